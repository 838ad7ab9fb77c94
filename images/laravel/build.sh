#!/bin/sh
set -eu

cd /root/laravel-app
mkdir -p app/Models bootstrap/cache database/migrations
mkdir -p storage/app storage/framework/cache/data storage/framework/sessions storage/framework/views storage/logs
touch database/database.sqlite
COMPOSER_ALLOW_SUPERUSER=1 composer dump-autoload --no-interaction
php artisan migrate --force
# Each machine makes its own, with its own key.
rm .env

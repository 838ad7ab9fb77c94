#!/bin/sh
set -eu

php --version | head -n 1
COMPOSER_ALLOW_SUPERUSER=1 composer --version | head -n 1
for extension in curl intl mbstring pdo_sqlite xml zip; do
  php --ri "$extension" > /tmp/extension.log
done

cd /root/laravel-app
php artisan --version
php artisan migrate:status
php artisan serve > /tmp/serve.log 2>&1 < /dev/null &
trap 'cat /tmp/serve.log >&2; kill $!' EXIT
page=$(curl -fs --retry 300 --retry-delay 1 --retry-connrefused http://127.0.0.1:8000/)
echo "$page" | grep '<h1>Hello from Laravel 10'

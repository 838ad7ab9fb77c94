#!/bin/sh
set -eu

cd /root/django-app
python3 manage.py migrate
# Each machine makes its own.
rm secret-key

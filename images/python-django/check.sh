#!/bin/sh
set -eu

python3 --version
python3 -m django --version
git --version
python3 -m venv /tmp/venv
/tmp/venv/bin/pip --version

cd /root/django-app
python3 manage.py check
python3 manage.py migrate --check
gunicorn --version
gunicorn --bind 127.0.0.1:8000 hello.wsgi > /tmp/gunicorn.log 2>&1 < /dev/null &
trap 'cat /tmp/gunicorn.log >&2; kill $!' EXIT
get() { curl -fs --retry 300 --retry-delay 1 --retry-connrefused "http://127.0.0.1:8000$1"; }
get / | grep '<h1>Hello from Django 4.2'
# Signing in needs the database.
get /admin/login/ | grep -o '<title>.*'

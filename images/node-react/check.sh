#!/bin/sh
set -eu

echo "Node.js $(node --version), npm $(npm --version)"
git --version

cd /root/react-app
npm run build
grep -q 'Hello from React' dist/assets/*.js
npm run dev -- --host > /tmp/dev.log 2>&1 < /dev/null &
trap 'cat /tmp/dev.log >&2; kill $!' EXIT
get() { curl -fs --retry 300 --retry-delay 1 --retry-connrefused "http://127.0.0.1:5173$1"; }
get / | grep '<div id="root">'
get /src/App.jsx | grep 'Hello from React'

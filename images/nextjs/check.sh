#!/bin/sh
set -eu

echo "Node.js $(node --version), npm $(npm --version)"
git --version

cd /root/next-app
npx next --version
npm start > /tmp/start.log 2>&1 < /dev/null &
trap 'cat /tmp/start.log >&2; kill $!' EXIT
page=$(curl -fs --retry 300 --retry-delay 1 --retry-connrefused http://127.0.0.1:3000/)
echo "$page" | grep -o '<h1>Hello from Next.js</h1>'

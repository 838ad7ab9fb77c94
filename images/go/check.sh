#!/bin/sh
set -eu

go version
git --version

cd /root/hello
# Changed, so that it is compiled here.
echo '// Checked.' >> main.go
go build
./hello | grep 'Hello from go'
go vet
go test
# The standard library comes compiled, and stays so after a first build: nothing is left to compile, or to name.
go build -v std 2>&1 | tee /tmp/compiled
test ! -s /tmp/compiled

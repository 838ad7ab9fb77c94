#!/bin/sh
set -eu

rustc --version
cargo --version
cargo clippy --version
cargo fmt --version
git --version

cd /root/hello
cargo build --locked --offline
cargo run --locked --offline | grep 'Hello from Rust'
cargo test --locked --offline
# What crates with C in them look for.
pkg-config --modversion openssl

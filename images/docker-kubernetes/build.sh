#!/bin/sh
set -eu

# Docker starts with the first command that asks for it, so that it does not slow the boot down, and else by its
# timer, for containers that are to be up again after a restart.
systemctl disable docker.service containerd.service
systemctl enable docker.socket docker.timer

#!/bin/sh
# Whether a guest of this image can be frozen and become others. Runs in a booted machine with nobody signed in, because
# that ends with the first program; /run/identity-<n> say who it becomes. What comes of it is in /run/identity-checked.
set -eu
programs=/usr/lib/slipway
$programs/drop-identity
for secret in /root/.ssh/authorized_keys /etc/dropbear/*_host_key /etc/ssh/ssh_host_* /etc/machine-id; do
  [ ! -s "$secret" ] || { echo "$secret is not dropped"; exit 1; }
done
[ -z "$(ip -o -4 address show dev eth0)" ] || { echo 'The address is not dropped'; exit 1; }

for number in 1 2 3; do
  $programs/renew-identity < /run/identity-$number
  . /run/identity-$number
  [ "$(cat /etc/machine-id)" = "$machine_id" ]
  [ "$(hostname)" = "$name" ]
  [ "$(cat /root/.ssh/authorized_keys)" = "${keys%?}" ]
  ip -o -4 address show dev eth0 | grep -q " $ip/"
done
echo passed > /run/identity-checked

#!/bin/sh
# Run by mmdebstrap first: unpacks the image to build upon. What belongs to a guest steps aside, so that it neither
# takes part in the building nor is overwritten by it. (mmdebstrap's own `tar-in` now and then dies of a broken pipe.)
set -eu
cd "$1"
tar --extract --file="$SLIPWAY_LOWER" --numeric-owner --xattrs --xattrs-include='*'
aside=var/lib/slipway-aside
mkdir "$aside"
for file in etc/hostname etc/resolv.conf etc/apt/sources.list.d/debian.sources; do
  if [ -e "$file" ] || [ -L "$file" ]; then
    mkdir -p "$aside/${file%/*}"
    mv "$file" "$aside/$file"
  fi
done

#!/bin/sh
# Run by mmdebstrap after it has unpacked the image to build upon: what belongs to a guest steps aside, so that it
# neither takes part in the building nor is overwritten by it.
set -eu
cd "$1"
aside=var/lib/slipway-aside
mkdir "$aside"
for file in etc/hostname etc/resolv.conf etc/apt/sources.list.d/debian.sources; do
  if [ -e "$file" ] || [ -L "$file" ]; then
    mkdir -p "$aside/${file%/*}"
    mv "$file" "$aside/$file"
  fi
done

#!/usr/bin/env bash
# Usage: scripts/promtool.sh [--there]
#
# Prints where promtool is: on the PATH, or that of Debian's package, which is unpacked into a cache folder and not installed, as it
# would start a server. --there only looks, and fetches nothing. Where there is none, exits 1 and says why on stderr.
set -euo pipefail

# Debian keeps only its newest version: when it has another, change both lines together.
version="2.42.0+ds-5+deb12u1"
sha256="81d59a24fce84f7fbe97a45a4f2914b6a5881b5cd1db2a6a0e129e515e1a5f55"

none() {
  echo "$1" >&2
  exit 1
}

command -v promtool && exit

folder="${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/corrente/promtool-$version"
if [ -x "$folder/promtool" ]; then
  echo "$folder/promtool"
  exit
fi
[ "${1:-}" = --there ] && none "promtool is not on the PATH, and scripts/promtool.sh has not fetched it"
command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || none "promtool is not on the PATH, and this is no Debian to fetch it for"
[ "$(dpkg --print-architecture)" = amd64 ] || none "promtool is not on the PATH, and only that for amd64 is pinned"

draft="$(mktemp -d)"
trap 'rm -rf "$draft"' EXIT
cd "$draft"
download() { timeout 120 apt-get download -q "prometheus=$version" >/dev/null 2>&1; }
# Only root may read the lists of packages anew.
download || { [ "$(id -u)" = 0 ] && timeout 120 apt-get update -qq >/dev/null 2>&1 && download; } ||
  none "promtool is not on the PATH, and Debian's prometheus $version cannot be downloaded"
echo "$sha256 $(echo prometheus_*.deb)" | sha256sum --check --status || none "the downloaded package is not the one that is pinned"
dpkg-deb --fsys-tarfile prometheus_*.deb | tar -x ./usr/bin/promtool
mkdir -p "$folder"
mv usr/bin/promtool "$folder/promtool.$$"
mv "$folder/promtool.$$" "$folder/promtool"
echo "$folder/promtool"

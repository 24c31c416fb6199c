#!/bin/sh
# Installs Debian packages: install-packages.sh build | tests
set -eu
here=$(dirname "$0")
packages="g++ cmake ninja-build make curl ca-certificates iproute2 openssh-client"
[ "$1" != tests ] || packages="$packages libgtest-dev clang-19 libclang-rt-19-dev $(cat "$here/../tests/interop/packages.txt")"
missing=
for package in $packages; do
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2> /dev/null)" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0
as_root=
[ "$(id -u)" = 0 ] || as_root=sudo
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq
# shellcheck disable=SC2086
$as_root apt-get install -y -qq --no-install-recommends $missing > /dev/null

#!/bin/sh
# Finds wolfSSL's source and unpacks it: wolfssl-source.sh INTO-FOLDER
# In this order: SSHAPE_WOLFSSL_SOURCE (an archive; a folder is used as it is by wolfssl.cmake),
# SSHAPE_DOWNLOADS (a folder of archives), upstream's release, Debian's copy of the same archive.
# Every archive is checked against its hash. Prints the reason of each way that failed.
set -eu
into=$1
version=5.9.2
hash=2f4ef3d4fd387a9b3191d36a6316d69116c46ff69bb9583b6c82b36d7b8ca114
name=wolfssl_$version.orig.tar.gz
url=https://github.com/wolfSSL/wolfssl/archive/refs/tags/v$version-stable.tar.gz
[ -f "$into/wolfssl/wolfcrypt/settings.h" ] && exit 0

work=$(mktemp -d "${into%/*}/wolfssl.XXXXXX")
trap 'rm -rf "$work"' EXIT
say() { echo "wolfssl: $*" >&2; }

right() { [ -f "$1" ] && [ "$(sha256sum < "$1" | cut -d' ' -f1)" = "$hash" ]; }

unpack() {
  say "unpacking $1"
  mkdir "$work/out"
  tar xzf "$1" -C "$work/out" --strip-components=1 --wildcards '*/wolfcrypt/src' '*/wolfssl' '*/LICENSING' '*/COPYING'
  # Another configure may have been first: whoever renames first wins.
  mv -T "$work/out" "$into" 2>/dev/null || [ -f "$into/wolfssl/wolfcrypt/settings.h" ]
  exit 0
}

if [ -n "${SSHAPE_WOLFSSL_SOURCE:-}" ]; then
  right "$SSHAPE_WOLFSSL_SOURCE" && unpack "$SSHAPE_WOLFSSL_SOURCE"
  say "SSHAPE_WOLFSSL_SOURCE=$SSHAPE_WOLFSSL_SOURCE is no archive of wolfSSL $version (SHA-256 $hash)"
  exit 1
fi
if [ -n "${SSHAPE_DOWNLOADS:-}" ]; then
  right "$SSHAPE_DOWNLOADS/$name" && unpack "$SSHAPE_DOWNLOADS/$name"
  say "SSHAPE_DOWNLOADS: no $name with the right SHA-256 in $SSHAPE_DOWNLOADS"
fi

if command -v curl > /dev/null; then
  curl -fsSL --connect-timeout 5 --max-time 300 -o "$work/upstream.tar.gz" "$url" 2> "$work/error" || true
  right "$work/upstream.tar.gz" && unpack "$work/upstream.tar.gz"
  say "upstream's release: $(cat "$work/error")"
else
  say "upstream's release: curl is not installed"
fi

# Debian: a private source list for unstable, sources only, with the address that this machine's own
# lists use (apt reads them, in whatever form); the machine's lists are not touched.
debian_address() {
  codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  apt-get indextargets --no-release-info --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' 'Component: main' |
    awk -v suites=" $codename stable testing unstable sid " 'index(suites, " " $2 " ") { print $1; exit }'
}

if ! command -v apt-get > /dev/null; then
  say "Debian's source archive: apt-get is not installed"
elif ! debian=$(debian_address) || [ -z "$debian" ]; then
  say "Debian's source archive: apt's lists on this machine name no Debian archive"
else
  apt=$work/apt
  mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
  printf 'Types: deb-src\nURIs: %s\nSuites: unstable\nComponents: main\n' "$debian" > "$apt/src.sources"
  for keyring in /usr/share/keyrings/debian-archive-keyring.gpg /usr/share/keyrings/debian-archive-keyring.pgp; do
    [ ! -f "$keyring" ] || { printf 'Signed-By: %s\n' "$keyring" >> "$apt/src.sources"; break; }
  done
  options="-o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts=$apt -o Dir::State::Lists=$apt/lists
    -o Dir::Cache=$apt/cache -o APT::Sandbox::User=root"
  # shellcheck disable=SC2086
  if apt-get $options update -qq > "$work/error" 2>&1; then
    found=$(apt-get $options source --print-uris -qq wolfssl 2>> "$work/error" | tr -d "'" | awk -v n="$name" '$2 == n { print $1 }')
    [ -z "$found" ] || /usr/lib/apt/apt-helper $options download-file "$found" "$work/$name" "SHA256:$hash" >> "$work/error" 2>&1 || true
    right "$work/$name" && unpack "$work/$name"
  fi
  say "Debian's source archive: $(tail -n 2 "$work/error")"
fi
say "wolfSSL $version was not found; set SSHAPE_WOLFSSL_SOURCE to its archive or folder"
exit 1

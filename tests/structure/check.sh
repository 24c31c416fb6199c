#!/bin/sh
# What core/ and profiles/ may include: of the system, only headers that need no operating system, no
# heap and no C++ runtime; of ours, what DESIGN's arrows allow: port -> core -> profiles, and inside
# core session -> connection, auth -> transport -> crypto, wire.  Usage: check.sh ROOT
cd "$1" || exit 1
bad=0

# only WHERE ALLOWED SENTENCE: every include in the files WHERE is one of ALLOWED.
only() {
  # shellcheck disable=SC2086 # WHERE may be several
  found=$(grep -rnE '^[[:space:]]*#[[:space:]]*include' --include='*.hpp' --include='*.h' --include='*.cpp' $1 |
    grep -vE "include[[:space:]]*($2)")
  [ -z "$found" ] || { printf '%s:\n%s\n' "$3" "$found"; bad=1; }
}

std='<(algorithm|array|atomic|bit|charconv|compare|concepts|cstddef|cstdint|cstring|expected|initializer_list|iterator|limits|new|numeric|optional|ranges|span|string_view|tuple|type_traits|utility|variant)>'
base="$std|\"core/(bytes|error|instant)\.hpp\"|\"profiles/"

only profiles             "$std|\"profiles/|SSHAPE_PROFILE_HEADER"                     'profiles know no core, no heap and no system'
only core/wire            "$base|\"core/wire/"                                         'wire stands alone'
only core/crypto          "$base|\"core/(crypto|wire)/|<wolfssl/wolfcrypt/"            'crypto knows wire only, and alone knows wolfCrypt'
only core/transport       "$base|\"core/(transport|crypto|wire)/|\"core/events\.hpp\"" 'transport knows crypto and wire only'
only core/auth            "$base|\"core/(auth|transport|crypto|wire)/|\"core/events\.hpp\""       'auth knows transport and below'
only core/connection      "$base|\"core/(connection|transport|crypto|wire)/|\"core/events\.hpp\"" 'connection knows transport and below'
[ ! -d core/sftp ] || only core/sftp "$base|\"core/(sftp|wire)/"                       'sftp is a codec and a state machine over wire'
only 'core/*.hpp core/*.cpp' "$std|\"core/|\"profiles/"                                'core does no I/O and has no heap, and knows no port'
exit $bad

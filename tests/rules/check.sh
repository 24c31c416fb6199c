#!/bin/sh
# One rule of rules.txt: what it allows compiles, one past it does not, and the compiler says the rule.
# Usage: check.sh RULE PROFILE_HEADER COMPILER
#        check.sh --complete: each sentence of profiles/rules.hpp has a line in rules.txt
set -u
if [ "$1" = --complete ]; then
  cd "$(dirname "$0")" || exit 1
  # A sentence is the string that ends a static_assert.
  tr '\n' ' ' < ../../profiles/rules.hpp | grep -oE '"[^"]*"\);' | sed 's/^"//; s/");$//' | {
    missing=0
    while read -r sentence; do
      grep -v '^#' rules.txt | awk -F ' *[|] *' '{ print $4 }' | {
        while read -r part; do case $sentence in *"$part"*) exit 0 ;; esac; done
        exit 1
      } || { echo "no line in rules.txt for: $sentence"; missing=1; }
    done
    exit $missing
  }
  exit
fi
rule=$1 header=$2 compiler=$3
root=$(cd "$(dirname "$0")/../.." && pwd)
line=$(grep "^$rule |" "$root/tests/rules/rules.txt") || { echo "no rule $rule in rules.txt"; exit 1; }
field() { printf '%s\n' "$line" | awk -F ' *[|] *' -v n="$1" '{ print $n }'; }

# compile CHANGE: the rules over the profile with this change.
compile() {
  "$compiler" -std=c++23 -fsyntax-only -I "$root" -DSSHAPE_PROFILE_HEADER="\"$header\"" -x c++ - 2>&1 << END
#include SSHAPE_PROFILE_HEADER
#include "profiles/rules.hpp"
constexpr sshape::Profile changed = [] {
  sshape::Profile p = sshape::active::profile;
  $1;
  return p;
}();
static_assert(sshape::ProfileRules<changed>::hold);
END
}

said=$(compile "$(field 2)") || { printf 'allowed, and it does not compile: %s\n%s\n' "$(field 2)" "$said"; exit 1; }
said=$(compile "$(field 3)") && { echo "forbidden, and it compiles: $(field 3)"; exit 1; }
case $said in
  *"$(field 4)"*) ;;
  *) printf 'the compiler does not say "%s" but:\n%s\n' "$(field 4)" "$said"; exit 1 ;;
esac

#!/bin/sh
# No file of core/ or profiles/ includes an operating system's header, and includes follow DESIGN's
# arrows: port -> core -> profiles; session -> connection, auth -> transport -> crypto, wire.
cd "$1" || exit 1
bad=0
refuse() { found=$(grep -nE "$1" -r $2 --include='*.hpp' --include='*.cpp' | grep -vE "${4:-^$}"); [ -z "$found" ] || { echo "$3:"; echo "$found"; bad=1; }; }
refuse '#include <(sys/|unistd|fcntl|poll|pwd|grp|netinet|arpa|netdb|termios|signal|time\.h|ctime|chrono|iostream|string>|vector|map>|memory>|functional|thread|mutex)' 'core profiles' 'core and profiles do no I/O and have no heap'
refuse '#include "(port|tests)/' 'core profiles' 'core knows no port'
refuse '#include "core/' 'profiles' 'profiles know no core'
refuse '#include "core/(crypto|transport|auth|connection|session|messages|events)' 'core/wire' 'wire stands alone'
refuse '#include "core/(transport|auth|connection|session|messages|events)' 'core/crypto' 'crypto knows wire only'
refuse '#include "core/(auth|connection|session|messages)' 'core/transport' 'transport knows crypto and wire only'
refuse '#include "core/(connection|session|messages)' 'core/auth' 'auth knows transport and below'
refuse '#include "core/(auth|session|messages)' 'core/connection' 'connection knows transport and below'
exit $bad

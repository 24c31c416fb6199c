// Passwords against the hashes of crypt(3).
#pragma once

#include <string_view>

namespace sshape::posix {

// Whether crypt(password) is the hash. Always one crypt() of the hash's cost; a hash that no password
// has (locked, empty) costs as much as `stand_in`, and does not match.
bool password_matches(std::string_view password, std::string_view hash, std::string_view stand_in);

}  // namespace sshape::posix

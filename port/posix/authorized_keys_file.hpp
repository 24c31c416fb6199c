// Finds a key in a user's authorized_keys: opened as the user, owner and permissions checked up to
// the home (COMPAT: authorized_keys).
#pragma once

#include "port/posix/account.hpp"
#include "port/posix/authorized_keys.hpp"

namespace sshape::posix {

// `folder` is -D: absolute, or "~/..." below the home. True: the key may log in, with `options`.
// Complaints go to the log. The candidate's times are filled in here.
bool find_authorized_key(const Account& account, std::string_view folder, KeyCandidate candidate, KeyOptions& options);

}  // namespace sshape::posix

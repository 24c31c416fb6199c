// What replaces the account's own values in single-user mode (COMPAT: SlapOS), given to the server in
// its environment and wiped there.
#pragma once

#include "port/posix/text.hpp"

namespace sshape::posix {

// Plain data: it goes from the listener to a connection's process through a pipe.
struct Overrides {
  bool has_home = false;
  bool has_shell = false;
  bool has_password = false;
  Text<1023> home;
  Text<1023> shell;
  Text<511> password_hash;

  bool any() const { return has_home || has_shell || has_password; }
};

// Takes DROPBEAR_OVERRIDE_HOME, _SHELL and _PASSWORD out of our environment, wiping their bytes.
void take_overrides(Overrides& into);

}  // namespace sshape::posix

// Starting a user's program: a shell or a command, on a terminal or between three pipes.
#pragma once

#include <sys/types.h>

#include "port/posix/account.hpp"
#include "port/posix/descriptor.hpp"
#include "port/posix/pty.hpp"

namespace sshape::posix {

struct ChildPlan {
  const char* shell;           // its path
  const char* command;         // run by the shell with -c; null: a login shell
  const char* home;
  char* const* environment;
  Pty* pty = nullptr;          // null: three pipes. Its slave is closed here once the child has it.
  bool message_of_the_day = false;
};

struct Child {
  pid_t pid = -1;      // also its process group and its session
  Descriptor input;    // of pipes: our ends, non-blocking
  Descriptor output;
  Descriptor error;
};

// False: errno says why. The caller is already the user.
bool start_child(const ChildPlan& plan, Child& into);

}  // namespace sshape::posix

// The listener: accepts, counts strangers, and hands each connection to a process of its own
// (DESIGN, section 5). It parses nothing, and no session needs it alive.
#pragma once

#include "port/posix/overrides.hpp"
#include "port/posix/programs/server_options.hpp"

namespace sshape::posix {

// How the listener executes itself.
struct OwnImage {
  int descriptor = -1;
  int folder = -1;  // where relative paths begin, if that is not the working folder
  int argc = 0;
  char** argv = nullptr;
};

// Until SIGTERM or SIGINT. Returns the process's exit status.
int listen_for_connections(const ServerOptions& options, const Listeners& listeners, const OwnImage& image,
                           const Overrides& overrides);

}  // namespace sshape::posix

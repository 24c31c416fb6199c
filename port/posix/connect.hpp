// A TCP connection to a host by name: every address in turn.
#pragma once

#include "core/instant.hpp"
#include "port/posix/console.hpp"
#include "port/posix/descriptor.hpp"
#include "port/posix/socket.hpp"

namespace sshape::posix {

struct ConnectPlan {
  const char* host = nullptr;
  unsigned port = 22;
  int family = 0;               // AF_INET, AF_INET6, or AF_UNSPEC for both
  Microseconds limit = 0;       // for each address; 0: the system's
  const char* from_host = nullptr;  // our end; null: the system's choice
  unsigned from_port = 0;           // 0: the system's choice
};

// Non-blocking, prepared as prepare_connection() does. Without a descriptor `why` says what failed.
Descriptor connect_to_host(const ConnectPlan& plan, ConsoleLine& why);

}  // namespace sshape::posix

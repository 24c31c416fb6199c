// Pseudo-terminals (RFC 4254, 6.2).
#pragma once

#include "core/bytes.hpp"
#include "core/events.hpp"
#include "port/posix/descriptor.hpp"
#include "port/posix/text.hpp"

namespace sshape::posix {

struct Pty {
  Descriptor master;  // non-blocking
  Descriptor slave;   // held until the child has it, or reading the master would find its end
  Text<63> name;      // /dev/pts/3
};

// False: errno says why.
bool open_pty(WindowSize size, Bytes modes, Pty& into);
void set_window_size(int master, WindowSize size);

}  // namespace sshape::posix

// Standard input, output and error belong to others too: their flags and offsets are not ours to
// change, yet no read or write of ours may wait.
#pragma once

#include <sys/types.h>

#include "core/bytes.hpp"
#include "port/posix/descriptor.hpp"
#include "port/posix/session_pump.hpp"

namespace sshape::posix {

struct SharedEnd {
  enum class Kind : unsigned char {
    own,     // opened anew: an open file description of our own, non-blocking
    file,    // never waits; its offset is meant to be shared
    socket,  // asked each time not to wait
    asked,   // none of these: one small call after poll() said that it is ready
  };
  Descriptor fd;
  Kind kind = Kind::asked;
};

// Pipes and terminals are opened anew through /proc where that is possible, everything else is
// duplicated. An end without `fd`: there is none.
SharedEnd share(int fd, bool to_read);

// As read() and write() on a non-blocking descriptor.
Reading read_shared(SharedEnd::Kind kind, int fd, MutableBytes space);
ssize_t write_shared(SharedEnd::Kind kind, int fd, Bytes data);

// Lets go of a standard descriptor: who holds the other end sees ours closed as soon as `share`d ones
// are. Its number stays taken.
void let_go(int fd);

}  // namespace sshape::posix

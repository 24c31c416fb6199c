// What a process does to itself: hardening, its name, executing its own image again, opening files.
#pragma once

#include "port/posix/descriptor.hpp"

namespace sshape::posix {

// No core dumps and no tracing by others of the same user: keys are in this memory. Again after a
// change of user, which undoes the second.
void harden_process();
// Between fork and exec: the limit that we were started with.
void restore_core_limit();

// The name that ps shows as comm: the last part of argv[0].
void name_process(const char* argv0);

// Descriptors 0, 1 and 2 open, on /dev/null where nobody gave us one: none of ours may get their
// numbers.
bool open_standard_descriptors();

// Our own executable, opened at start: an upgrade of the file does no harm.
Descriptor open_own_image();
// Returns only if it failed.
void execute_image(int image, char* const* argv, char* const* environment);

// Leaves 0 to `keep - 1` open.
void close_descriptors_from(int keep);

bool set_nonblocking(int fd);

}  // namespace sshape::posix

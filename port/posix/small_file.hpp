// Small files: read whole, written whole or not at all.
#pragma once

#include <sys/types.h>

#include <span>
#include <string_view>

#include "core/bytes.hpp"

namespace sshape::posix {

struct SmallFile {
  int error = 0;                    // of the system's; EFBIG: it does not fit; EINVAL: no regular file
  bool readable_by_others = false;  // group or world
  std::string_view text = {};       // in the caller's space
};
SmallFile read_small_file(const char* path, std::span<char> into);

// A file that is not there yet: of that mode (less the umask) and, when this returns 0, on disk. An
// existing file is never replaced (EEXIST) and no symbolic link followed. Returns an error of the system's.
int write_new_file(const char* path, Bytes content, mode_t mode = 0600);

}  // namespace sshape::posix

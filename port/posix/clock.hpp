// The port's monotonic clock, as the core wants it.
#pragma once

#include <time.h>

#include "core/instant.hpp"

namespace sshape::posix {

inline Instant monotonic_now() {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<Instant>(t.tv_sec) * second + static_cast<Instant>(t.tv_nsec) / 1000;
}

}  // namespace sshape::posix

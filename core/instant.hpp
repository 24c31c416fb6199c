// Time comes in from the port: microseconds on its monotonic clock. The core has no clock.
#pragma once

#include <cstdint>

namespace sshape {

using Instant = std::uint64_t;       // microseconds
using Microseconds = std::uint64_t;  // a length of time
inline constexpr Instant never = ~Instant{0};
inline constexpr Microseconds second = 1'000'000;

}  // namespace sshape

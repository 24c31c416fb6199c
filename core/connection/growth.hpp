// When a receive window is too small for its path. A pure value: time comes with each call.
#pragma once

#include <cstdint>
#include <optional>

#include "core/instant.hpp"

namespace sshape::connection {

// Watches one channel. An adjust is first used when data arrives that the credit before it did not
// cover; the time from the adjust to its first use is a round trip at least. A sender that waits uses an
// adjust after one round trip exactly; one that is held up by a queue on its way uses it later. So the
// window is too small when it is turned over in less than two of the least round trips ever seen:
//   2 x window <= 4 x rate x least round trip
class WindowGrowth {
 public:
  // An SSH_MSG_CHANNEL_WINDOW_ADJUST was composed; `credit` bytes were granted and not used before it.
  void adjusted(std::uint32_t credit, Instant now);
  // Data arrived. A value: this was the first use of an adjust, after so long.
  std::optional<Microseconds> arrived(std::uint32_t bytes, Instant now);
  // After a first use: the window is too small. Begins to measure anew once a round trip is over.
  bool too_small(std::uint32_t window, Microseconds first_use, Microseconds least_round_trip, Instant now);

 private:
  std::uint64_t arrived_ = 0;       // bytes, ever
  std::uint64_t used_after_ = 0;    // the adjust under watch is used beyond so many bytes
  Instant adjusted_ = 0;
  bool watching_ = false;
  std::uint64_t measured_from_ = 0; // bytes
  Instant measured_since_ = 0;
};

}  // namespace sshape::connection

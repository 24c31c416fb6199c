// One direction of a simulated link in virtual time: bytes arrive in order, after a delay, in chunks
// that the dice choose, with stalls now and then.
#pragma once

#include <algorithm>
#include <deque>
#include <vector>

#include "core/instant.hpp"
#include "tests/support/seeded.hpp"

namespace sshape::test {

struct LinkShape {
  Microseconds delay = 100;
  Microseconds jitter = 50;
  Microseconds stall = 0;        // now and then a chunk waits this long
  std::size_t chunk = 1'500;     // at most, in and out
  std::size_t capacity = 256 * 1'024;  // bytes in flight, then the sender's socket is full
};

class Direction {
 public:
  Direction(const LinkShape& shape, Seeded& dice) : shape_(shape), dice_(dice) {}

  // Takes a part of what the sender has, as a socket would.
  std::size_t send(Bytes bytes, Instant now) {
    const std::size_t room = shape_.capacity - std::min(shape_.capacity, in_flight_);
    const std::size_t taken = std::min({bytes.size(), room, 1 + dice_.below(shape_.chunk)});
    if (taken == 0) return 0;
    Instant at = now + shape_.delay + dice_.below(shape_.jitter + 1);
    if (shape_.stall != 0 && dice_.one_in(50)) at += shape_.stall;
    last_ = std::max(last_, at);
    chunks_.push_back({last_, {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(taken)}, 0});
    in_flight_ += taken;
    return taken;
  }

  // Fills a part of the receiver's space with what has arrived.
  std::size_t receive(MutableBytes space, Instant now) {
    if (space.empty() || chunks_.empty() || chunks_.front().at > now) return 0;
    Chunk& chunk = chunks_.front();
    const std::size_t n = std::min({space.size(), chunk.bytes.size() - chunk.taken, 1 + dice_.below(shape_.chunk)});
    copy_bytes(space, Bytes(chunk.bytes).subspan(chunk.taken, n));
    chunk.taken += n;
    in_flight_ -= n;
    if (chunk.taken == chunk.bytes.size()) chunks_.pop_front();
    return n;
  }

  Instant next_arrival() const { return chunks_.empty() ? never : chunks_.front().at; }
  bool empty() const { return chunks_.empty(); }

 private:
  struct Chunk {
    Instant at;
    std::vector<std::byte> bytes;
    std::size_t taken;
  };
  const LinkShape& shape_;
  Seeded& dice_;
  std::deque<Chunk> chunks_;
  std::size_t in_flight_ = 0;
  Instant last_ = 0;
};

}  // namespace sshape::test

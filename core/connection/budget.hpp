// The receive budget of one connection: how much credit all channels together may have been
// granted. A pure value.
#pragma once

#include <cstdint>

namespace sshape::connection {

class Budget {
 public:
  constexpr Budget(std::uint32_t pool, std::uint32_t floor, std::uint32_t slots)
      : pool_(pool), floor_(floor), unopened_(slots) {}

  // A channel opens: its window out of what it would like, never less than the floor while a slot
  // is left, and never out of the floors of slots still unopened.
  std::uint32_t open(std::uint32_t wanted);
  // The channel is gone and nothing of it is buffered.
  void close(std::uint32_t window);
  // Growth of an open channel's window: how much of `wanted` may be had.
  std::uint32_t grow(std::uint32_t wanted);

  std::uint32_t granted() const { return granted_; }
  std::uint32_t available() const;  // above the floors still unopened

 private:
  std::uint32_t pool_;
  std::uint32_t floor_;
  std::uint32_t unopened_;      // slots of the channel table without a channel
  std::uint32_t granted_ = 0;   // windows of the open channels
};

}  // namespace sshape::connection

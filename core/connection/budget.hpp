// The receive budget of one connection: how much credit all channels together may have been
// granted. A pure value.
#pragma once

#include <cstdint>

namespace sshape::connection {

// Credit cannot be taken back (RFC 4254, 5.2), so every slot of the channel table keeps a floor for
// itself, open or not: a window below the floor is charged as the floor. Always:
//   charged + slots unopened x floor <= pool
class Budget {
 public:
  constexpr Budget(std::uint32_t pool, std::uint32_t floor, std::uint32_t slots)
      : pool_(pool), floor_(floor), unopened_(slots) {}

  // A channel opens: its window out of what it would like, less only where the pool is spent, and
  // then not below the floor. 0: no slot is left.
  std::uint32_t open(std::uint32_t wanted);
  // The channel is gone and nothing of it is buffered.
  void close(std::uint32_t window);
  // Growth of an open channel's window: how much of `wanted` may be added to it.
  std::uint32_t grow(std::uint32_t window, std::uint32_t wanted);

  std::uint32_t charged() const { return charged_; }
  std::uint32_t available() const;  // above the floors still unopened

 private:
  std::uint32_t charge(std::uint32_t window) const { return window < floor_ ? floor_ : window; }

  std::uint32_t pool_;
  std::uint32_t floor_;
  std::uint32_t unopened_;      // slots of the channel table without a channel
  std::uint32_t charged_ = 0;   // windows of the open channels, none below the floor
};

}  // namespace sshape::connection

// Every buffer inside the connection object: its size is a compile-time constant.
#pragma once

#include <array>

#include "profiles/allocators/allocator.hpp"
#include "profiles/rules.hpp"

namespace sshape {

template <const Profile& P>
class StaticArena {
 public:
  explicit StaticArena(Pages&) {
    for (std::size_t i = 0; i < count; ++i) next_[i] = static_cast<Index>(i + 1);
  }

  std::span<std::byte> take(Use use) {
    switch (use) {
      case Use::receive: return take_region(receive_, receive_lent_);
      case Use::transmit: return take_region(transmit_, transmit_lent_);
      case Use::block: break;
    }
    if (free_ == count) return {};
    const std::size_t block = free_;
    free_ = next_[block];
    in_use_ += P.backlog_block;
    return std::span(blocks_).subspan(block * P.backlog_block, P.backlog_block);
  }

  void give_back(Use use, std::span<std::byte> taken) {
    in_use_ -= taken.size();
    switch (use) {
      case Use::receive: receive_lent_ = false; return;
      case Use::transmit: transmit_lent_ = false; return;
      case Use::block: break;
    }
    const auto block = static_cast<std::size_t>(taken.data() - blocks_.data()) / P.backlog_block;
    next_[block] = free_;
    free_ = static_cast<Index>(block);
  }

  void trim() {}
  std::size_t in_use() const { return in_use_; }
  static constexpr std::size_t ceiling() {
    return receive_region(P) + transmit_region(P) + count * P.backlog_block;
  }

 private:
  using Index = std::uint16_t;
  static constexpr std::size_t count = backlog_blocks(P);
  static_assert(count < 0xffff, "backlog_block: too small for this pool, the blocks cannot be counted");

  template <std::size_t N>
  std::span<std::byte> take_region(std::array<std::byte, N>& region, bool& lent) {
    if (lent) return {};
    lent = true;
    in_use_ += N;
    return region;
  }

  alignas(64) std::array<std::byte, receive_region(P)> receive_;
  alignas(64) std::array<std::byte, transmit_region(P)> transmit_;
  alignas(64) std::array<std::byte, count * P.backlog_block> blocks_;
  std::array<Index, count> next_;
  std::size_t in_use_ = 0;
  Index free_ = 0;
  bool receive_lent_ = false;
  bool transmit_lent_ = false;
};

}  // namespace sshape

// Buffers mapped on first use and given back when idle, under a hard ceiling.
#pragma once

#include <algorithm>

#include "profiles/allocators/allocator.hpp"
#include "profiles/rules.hpp"

namespace sshape {

// Regions are mapped one by one. Blocks are cut from slabs of `slab_bytes`; a slab whose last block
// came back stays as the one spare, a second idle one is unmapped, and trim() unmaps the spare too.
template <const Profile& P>
class Slabs {
 public:
  explicit Slabs(Pages& pages) : pages_(pages) {}
  Slabs(const Slabs&) = delete;
  Slabs& operator=(const Slabs&) = delete;
  ~Slabs() {
    for (Slab& slab : slabs_)
      if (slab.at != nullptr) pages_.unmap(slab.at, slab_bytes);
  }

  std::span<std::byte> take(Use use) {
    switch (use) {
      case Use::receive: return take_region(receive_region(P));
      case Use::transmit: return take_region(transmit_region(P));
      case Use::block: break;
    }
    Slab* best = nullptr;  // the fullest slab with room, so that the others empty
    for (Slab& slab : slabs_)
      if (slab.at != nullptr && slab.used < per_slab && (best == nullptr || slab.used > best->used))
        best = &slab;
    if (best == nullptr) best = map_slab();
    if (best == nullptr) return {};
    std::byte* block = best->free;
    if (block != nullptr) {
      std::copy_n(block, sizeof best->free, reinterpret_cast<std::byte*>(&best->free));
    } else {
      block = best->at + std::size_t{best->touched++} * P.backlog_block;
    }
    ++best->used;
    in_use_ += P.backlog_block;
    return {block, P.backlog_block};
  }

  void give_back(Use use, std::span<std::byte> taken) {
    in_use_ -= taken.size();
    if (use != Use::block) {
      pages_.unmap(taken.data(), taken.size());
      return;
    }
    for (Slab& slab : slabs_) {
      if (slab.at == nullptr || taken.data() < slab.at || taken.data() >= slab.at + slab_bytes) continue;
      std::copy_n(reinterpret_cast<const std::byte*>(&slab.free), sizeof slab.free, taken.data());
      slab.free = taken.data();
      if (--slab.used == 0) emptied(slab);
      return;
    }
  }

  void trim() {
    for (Slab& slab : slabs_)
      if (slab.at != nullptr && slab.used == 0) unmap(slab);
  }

  std::size_t in_use() const { return in_use_; }
  static constexpr std::size_t ceiling() {
    return receive_region(P) + transmit_region(P) + slab_count * slab_bytes;
  }

 private:
  static constexpr std::size_t per_slab =
      std::max<std::size_t>(1, 256 * 1024 / P.backlog_block);
  static constexpr std::size_t slab_bytes = per_slab * P.backlog_block;
  static constexpr std::size_t slab_count = (backlog_blocks(P) + per_slab - 1) / per_slab;

  struct Slab {
    std::byte* at = nullptr;
    std::byte* free = nullptr;   // returned blocks, each begins with the address of the next
    std::uint32_t touched = 0;   // blocks handed out at least once
    std::uint32_t used = 0;
  };

  std::span<std::byte> take_region(std::size_t bytes) {
    std::byte* at = pages_.map(bytes);
    if (at == nullptr) return {};
    in_use_ += bytes;
    return {at, bytes};
  }

  Slab* map_slab() {
    for (Slab& slab : slabs_) {
      if (slab.at != nullptr) continue;
      slab = Slab{.at = pages_.map(slab_bytes)};
      return slab.at == nullptr ? nullptr : &slab;
    }
    return nullptr;
  }

  void emptied(Slab& slab) {
    for (const Slab& other : slabs_)
      if (&other != &slab && other.at != nullptr && other.used == 0) return unmap(slab);
  }

  void unmap(Slab& slab) {
    pages_.unmap(slab.at, slab_bytes);
    slab = Slab{};
  }

  Pages& pages_;
  Slab slabs_[slab_count];
  std::size_t in_use_ = 0;
};

}  // namespace sshape

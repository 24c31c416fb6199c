// What a slow sink did not take: a chain of blocks from the connection's allocator.
#pragma once

#include "core/bytes.hpp"
#include "profiles/active.hpp"

namespace sshape::connection {

class Backlog {
 public:
  // False: the allocator has no block, although the budget said that it must. Nothing was kept then
  // of the part that did not fit.
  [[nodiscard]] bool append(Bytes bytes, active::Allocator& memory);
  Bytes front() const;  // the next contiguous piece; empty: nothing waits
  void drop(std::size_t bytes, active::Allocator& memory);
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

 private:
  // At the start of each block.
  struct Block {
    Block* next;
    std::uint32_t begin;  // data bytes taken
    std::uint32_t end;    // data bytes filled
    std::byte* data() { return reinterpret_cast<std::byte*>(this) + backlog_block_header; }
  };
  static_assert(sizeof(Block) <= backlog_block_header);
  static_assert(alignof(Block) <= 8);
  static constexpr std::size_t capacity = active::profile.backlog_block - backlog_block_header;

  Block* first_ = nullptr;
  Block* last_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace sshape::connection

#include "core/connection/backlog.hpp"

#include <algorithm>
#include <new>

namespace sshape::connection {

bool Backlog::append(Bytes bytes, active::Allocator& memory) {
  while (!bytes.empty()) {
    if (last_ == nullptr || last_->end == capacity) {
      const MutableBytes space = memory.take(Use::block);
      if (space.empty()) return false;
      Block* block = ::new (space.data()) Block{nullptr, 0, 0};
      (last_ == nullptr ? first_ : last_->next) = block;
      last_ = block;
    }
    const std::size_t n = std::min<std::size_t>(bytes.size(), capacity - last_->end);
    copy_bytes({last_->data() + last_->end, n}, bytes.first(n));
    last_->end += static_cast<std::uint32_t>(n);
    size_ += n;
    bytes = bytes.subspan(n);
  }
  return true;
}

Bytes Backlog::front() const {
  return first_ == nullptr ? Bytes{} : Bytes{first_->data() + first_->begin, first_->end - first_->begin};
}

void Backlog::drop(std::size_t bytes, active::Allocator& memory) {
  bytes = std::min(bytes, size_);
  size_ -= bytes;
  while (first_ != nullptr) {
    const std::size_t n = std::min<std::size_t>(bytes, first_->end - first_->begin);
    first_->begin += static_cast<std::uint32_t>(n);
    bytes -= n;
    if (first_->begin != first_->end) return;
    Block* const done = first_;
    first_ = done->next;
    if (first_ == nullptr) last_ = nullptr;
    memory.give_back(Use::block, {reinterpret_cast<std::byte*>(done), active::profile.backlog_block});
  }
}

}  // namespace sshape::connection

#include "core/transport/outbox.hpp"

#include <cstring>

namespace sshape::transport {

namespace {
constexpr std::size_t length_size = 2;
}  // namespace

wire::Writer Outbox::compose(std::size_t most) {
  if (!room(most)) {
    wire::Writer none;
    none.reserve(1);  // overflows: ok() is false
    return none;
  }
  if (tail_ + length_size + most > queue_.size()) {
    std::memmove(queue_.data(), queue_.data() + head_, tail_ - head_);
    tail_ -= head_;
    head_ = 0;
  }
  return wire::Writer(MutableBytes(queue_).subspan(tail_ + length_size, most));
}

void Outbox::commit(const wire::Writer& message) {
  queue_[tail_] = static_cast<std::byte>(message.size() >> 8);
  queue_[tail_ + 1] = static_cast<std::byte>(message.size() & 0xff);
  tail_ += length_size + message.size();
}

bool Outbox::room(std::size_t bytes) const {
  return tail_ - head_ + length_size + bytes <= queue_.size();
}

Bytes Outbox::front() const {
  const auto size = std::to_integer<std::size_t>(queue_[head_]) << 8 |
                    std::to_integer<std::size_t>(queue_[head_ + 1]);
  return Bytes(queue_).subspan(head_ + length_size, size);
}

void Outbox::pop() {
  head_ += length_size + front().size();
  if (head_ == tail_) head_ = tail_ = 0;
}

}  // namespace sshape::transport

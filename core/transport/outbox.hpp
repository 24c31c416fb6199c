// Control messages on their way out: every message but channel data and key exchange. They wait
// here, unsealed and in order, while a key exchange forbids them (RFC 4253, 7.1).
#pragma once

#include <array>

#include "core/wire/writer.hpp"
#include "profiles/active.hpp"

namespace sshape::transport {

class Outbox {
 public:
  // Space for one message of at most `most` bytes; the writer's ok() is false when there is none.
  // Nothing else may touch the outbox until commit(); a writer that is dropped leaves no trace.
  wire::Writer compose(std::size_t most);
  void commit(const wire::Writer& message);

  bool room(std::size_t bytes) const;  // compose(bytes) would succeed
  bool empty() const { return head_ == tail_; }

  Bytes front() const;  // the oldest message
  void pop();

 private:
  // Each message is preceded by its length, two bytes.
  alignas(8) std::array<std::byte, active::profile.control_queue> queue_;
  std::size_t head_ = 0;
  std::size_t tail_ = 0;
};

}  // namespace sshape::transport

// Choices and byte strings out of a fuzzer's input.
#pragma once

#include <algorithm>

#include "core/bytes.hpp"
#include "core/crypto/random.hpp"

namespace sshape::fuzz {

class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : rest_(reinterpret_cast<const std::byte*>(data), size) {}
  std::uint8_t byte() {
    if (rest_.empty()) return 0;
    const auto value = std::to_integer<std::uint8_t>(rest_[0]);
    rest_ = rest_.subspan(1);
    return value;
  }
  Bytes take(std::size_t most) {
    const Bytes taken = rest_.first(std::min(most, rest_.size()));
    rest_ = rest_.subspan(taken.size());
    return taken;
  }
  // A byte string after its length: eight high bits, then a byte with four low ones.
  Bytes block() {
    const std::size_t high = byte();
    return take(high << 4 | (byte() & 15));
  }
  Bytes rest() { return take(rest_.size()); }
  bool empty() const { return rest_.empty(); }

 private:
  Bytes rest_;
};

// Not random at all, and the same in every run.
class Counting final : public crypto::Random {
 public:
  void fill(MutableBytes space) override {
    for (std::byte& byte : space) byte = static_cast<std::byte>(next_ += 37);
  }

 private:
  unsigned next_ = 1;
};

}  // namespace sshape::fuzz

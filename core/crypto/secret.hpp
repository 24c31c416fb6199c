// Secrets live in one type that wipes itself; secrets are compared in constant time.
#pragma once

#include <array>

#include "core/bytes.hpp"

namespace sshape::crypto {

void wipe(MutableBytes bytes);  // not removed by the optimiser
bool same_secret(Bytes a, Bytes b);  // time depends on the lengths only

// Up to N bytes of secret, of which size() are in use.
template <std::size_t N>
class Secret {
 public:
  Secret() = default;
  Secret(const Secret&) = delete;
  Secret& operator=(const Secret&) = delete;
  ~Secret() { clear(); }

  static constexpr std::size_t capacity() { return N; }
  MutableBytes space() { return bytes_; }             // all N bytes, to fill
  void resize(std::size_t size) { size_ = size < N ? size : N; }
  Bytes bytes() const { return Bytes(bytes_).first(size_); }
  std::size_t size() const { return size_; }
  bool assign(Bytes value) {
    if (value.size() > N) return false;
    clear();
    copy_bytes(bytes_, value);
    size_ = value.size();
    return true;
  }
  void clear() {
    wipe(bytes_);
    size_ = 0;
  }

 private:
  std::array<std::byte, N> bytes_{};
  std::size_t size_ = 0;
};

}  // namespace sshape::crypto

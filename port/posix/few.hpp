// A few values, in place.
#pragma once

#include <array>
#include <cstddef>

namespace sshape::posix {

template <class T, std::size_t N>
class Few {  // at most N
 public:
  bool add(const T& value) {
    if (size_ == N) return false;
    values_[size_++] = value;
    return true;
  }
  const T* begin() const { return values_.data(); }
  const T* end() const { return values_.data() + size_; }
  const T& operator[](std::size_t i) const { return values_[i]; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

 private:
  std::array<T, N> values_{};
  std::size_t size_ = 0;
};

}  // namespace sshape::posix

#include "core/connection/budget.hpp"

#include <algorithm>

namespace sshape::connection {

std::uint32_t Budget::open(std::uint32_t wanted) {
  if (unopened_ == 0) return 0;
  --unopened_;
  return grow(wanted);
}

void Budget::close(std::uint32_t window) {
  granted_ -= window;
  ++unopened_;
}

std::uint32_t Budget::grow(std::uint32_t wanted) {
  const std::uint32_t got = std::min(wanted, available());
  granted_ += got;
  return got;
}

std::uint32_t Budget::available() const {
  const std::uint64_t kept = std::uint64_t{granted_} + std::uint64_t{unopened_} * floor_;
  return kept >= pool_ ? 0 : static_cast<std::uint32_t>(pool_ - kept);
}

}  // namespace sshape::connection

#include "core/connection/budget.hpp"

#include <algorithm>

namespace sshape::connection {

std::uint32_t Budget::open(std::uint32_t wanted) {
  if (unopened_ == 0) return 0;
  --unopened_;
  const std::uint32_t window = std::min(wanted, available());
  charged_ += charge(window);
  return window;
}

void Budget::close(std::uint32_t window) {
  charged_ -= charge(window);
  ++unopened_;
}

std::uint32_t Budget::grow(std::uint32_t window, std::uint32_t wanted) {
  const std::uint64_t most = std::uint64_t{available()} + (charge(window) - window);
  const auto got = static_cast<std::uint32_t>(std::min<std::uint64_t>(wanted, most));
  charged_ += charge(window + got) - charge(window);
  return got;
}

std::uint32_t Budget::available() const {
  const std::uint64_t kept = std::uint64_t{charged_} + std::uint64_t{unopened_} * floor_;
  return kept >= pool_ ? 0 : static_cast<std::uint32_t>(pool_ - kept);
}

}  // namespace sshape::connection

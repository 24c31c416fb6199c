#include "core/connection/window.hpp"

#include <algorithm>

namespace sshape::connection {

bool ReceiveWindow::arrived(std::uint32_t bytes) {
  if (bytes > credit_ || bytes > packet_) return false;
  credit_ -= bytes;
  return true;
}

std::uint32_t ReceiveWindow::due() const {
  if (owed_ == 0) return 0;
  if (credit_ < packet_) return owed_;  // the sender may be waiting for room for one packet
  const std::uint32_t batch = std::min(std::max(packet_, window_ / 16), window_ / 4);
  return owed_ >= batch ? owed_ : 0;
}

void ReceiveWindow::returned(std::uint32_t bytes) {
  owed_ -= bytes;
  credit_ += bytes;
}

bool SendWindow::adjust(std::uint32_t bytes) {
  if (bytes > ~std::uint32_t{0} - credit_) return false;
  credit_ += bytes;
  return true;
}

std::uint32_t SendWindow::sendable(std::uint32_t limit) const { return std::min({credit_, packet_, limit}); }

}  // namespace sshape::connection

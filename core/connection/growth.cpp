#include "core/connection/growth.hpp"

#include <utility>

namespace sshape::connection {

void WindowGrowth::adjusted(std::uint32_t credit, Instant now) {
  if (watching_) return;
  watching_ = true;
  used_after_ = arrived_ + credit;
  adjusted_ = now;
}

std::optional<Microseconds> WindowGrowth::arrived(std::uint32_t bytes, Instant now) {
  if (arrived_ == 0) measured_since_ = now;
  arrived_ += bytes;
  if (!watching_ || arrived_ <= used_after_) return std::nullopt;
  watching_ = false;
  return now - adjusted_;
}

bool WindowGrowth::too_small(std::uint32_t window, Microseconds first_use, Microseconds least_round_trip, Instant now) {
  constexpr Microseconds too_long = std::uint64_t{1} << 30;  // keeps the product below 2^64
  const Microseconds took = now - measured_since_;
  if (took < least_round_trip) return false;
  const std::uint64_t bytes = arrived_ - std::exchange(measured_from_, arrived_);
  measured_since_ = now;
  return first_use <= 2 * least_round_trip && took < too_long && least_round_trip < too_long &&
         std::uint64_t{window} * took <= 2 * bytes * least_round_trip;
}

}  // namespace sshape::connection

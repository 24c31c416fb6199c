#include "port/posix/poll_set.hpp"

#include <signal.h>

#include "port/posix/clock.hpp"

namespace sshape::posix {

std::size_t PollSet::add(int fd, short events) {
  if (fd < 0 || size_ == capacity) return none;
  entries_[size_] = {fd, events, 0};
  return size_++;
}

void PollSet::wait(Instant until) {
  timespec left{};
  const timespec* limit = nullptr;
  if (until != never) {
    const Instant now = monotonic_now();
    const Microseconds wait = until > now ? until - now : 0;
    left.tv_sec = static_cast<time_t>(wait / second);
    left.tv_nsec = static_cast<long>(wait % second) * 1000;
    limit = &left;
  }
  if (::ppoll(entries_.data(), size_, limit, nullptr) > 0) return;
  for (std::size_t i = 0; i < size_; ++i) entries_[i].revents = 0;
}

}  // namespace sshape::posix

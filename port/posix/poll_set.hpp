// What one turn of a loop waits for: filled anew each turn, so that who wants nothing of a
// descriptor has it not polled (a hang-up cannot be masked, and would wake for ever).
#pragma once

#include <poll.h>

#include <array>
#include <cstddef>

#include "core/instant.hpp"
#include "port/posix/build_settings.hpp"
#include "profiles/active.hpp"

namespace sshape::posix {

class PollSet {
 public:
  // Every channel's input, output and error; the transport's two; signals, answers, listeners, strangers.
  static constexpr std::size_t capacity = std::size_t{active::profile.channels} * 3 + 64 + build_settings::strangers;
  static constexpr std::size_t none = ~std::size_t{0};

  void clear() { size_ = 0; }

  // Returns the number to ask ready() with. A negative descriptor, or one past the table, is `none`,
  // which is never ready.
  std::size_t add(int fd, short events);

  // Sleeps until something is ready, a signal came, or `until`.
  void wait(Instant until);

  // Something of what was asked for, a hang-up or an error: the system call will tell.
  bool ready(std::size_t number) const { return number < size_ && entries_[number].revents != 0; }

 private:
  std::array<pollfd, capacity> entries_;
  std::size_t size_ = 0;
};

}  // namespace sshape::posix

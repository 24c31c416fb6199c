#include "port/posix/signals.hpp"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

namespace sshape::posix {

namespace {

int ends[2] = {-1, -1};  // the one thing of a process that its signal handlers can reach

extern "C" void signal_arrived(int number) {
  const int saved = errno;
  const auto byte = static_cast<unsigned char>(number);
  [[maybe_unused]] const ssize_t n = ::write(ends[1], &byte, 1);  // a full pipe wakes as well
  errno = saved;
}

}  // namespace

bool watch_signal(int number) {
  if (ends[0] < 0 && ::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return false;
  struct sigaction action{};
  action.sa_handler = signal_arrived;
  action.sa_flags = SA_RESTART | (number == SIGCHLD ? SA_NOCLDSTOP : 0);
  ::sigfillset(&action.sa_mask);
  return ::sigaction(number, &action, nullptr) == 0;
}

int signal_descriptor() { return ends[0]; }

int take_signal() {
  unsigned char number = 0;
  return ends[0] >= 0 && ::read(ends[0], &number, 1) == 1 ? number : 0;
}

void ignore_broken_pipes() {
  struct sigaction action{};
  action.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &action, nullptr);
}

void reset_signals() {
  struct sigaction action{};
  action.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) ::sigaction(number, &action, nullptr);
  sigset_t empty;
  ::sigemptyset(&empty);
  ::sigprocmask(SIG_SETMASK, &empty, nullptr);
}

}  // namespace sshape::posix

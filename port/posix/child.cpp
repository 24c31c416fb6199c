#include "port/posix/child.hpp"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "port/posix/process.hpp"
#include "port/posix/signals.hpp"

namespace sshape::posix {

namespace {

struct Pipe {
  Descriptor read, write;
};

bool open_pipe(Pipe& into) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  into.read.reset(ends[0]);
  into.write.reset(ends[1]);
  return true;
}

void print(std::string_view text) {
  [[maybe_unused]] const ssize_t n = ::write(STDERR_FILENO, text.data(), text.size());
}

void show_message_of_the_day(const char* home) {
  const Text<2047> quiet = Text<2047>(home).add("/.hushlogin");
  if (::access(quiet.c_str(), F_OK) == 0) return;
  const Descriptor file(::open("/etc/motd", O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  char piece[1024];
  for (ssize_t n; file && (n = ::read(file.get(), piece, sizeof piece)) > 0;)
    if (::write(STDOUT_FILENO, piece, static_cast<std::size_t>(n)) < 0) return;
}

// In the child. Only what a user's program may inherit is left when this is done.
[[noreturn]] void become_program(const ChildPlan& plan, const int (&standard)[3]) {
  ::setsid();
  if (plan.pty != nullptr) ::ioctl(standard[0], TIOCSCTTY, 0);
  for (int fd = 0; fd <= 2; ++fd) ::dup2(standard[fd], fd);
  close_descriptors_from(3);
  reset_signals();
  restore_core_limit();
  ::prctl(PR_SET_PDEATHSIG, SIGHUP, 0, 0, 0);  // even if the connection's process is killed

  if (::chdir(plan.home) != 0 && ::chdir("/") != 0) ::_exit(1);
  if (plan.message_of_the_day) show_message_of_the_day(plan.home);

  const char* const slash = ::strrchr(plan.shell, '/');
  Text<1024> name;
  if (plan.command == nullptr) name.add('-');
  name.add(slash != nullptr ? slash + 1 : plan.shell);
  char dash_c[] = "-c";
  char* const words[] = {name.data(), plan.command != nullptr ? dash_c : nullptr, const_cast<char*>(plan.command), nullptr};
  ::execve(plan.shell, words, plan.environment);
  const std::string_view why = ::strerror(errno);
  print(plan.shell);
  print(": ");
  print(why);
  print("\n");
  ::_exit(127);
}

}  // namespace

bool start_child(const ChildPlan& plan, Child& into) {
  Pipe input, output, error;
  if (plan.pty == nullptr && (!open_pipe(input) || !open_pipe(output) || !open_pipe(error))) return false;
  const int terminal = plan.pty != nullptr ? plan.pty->slave.get() : -1;
  const int standard[3] = {
      plan.pty != nullptr ? terminal : input.read.get(),
      plan.pty != nullptr ? terminal : output.write.get(),
      plan.pty != nullptr ? terminal : error.write.get(),
  };
  into.pid = ::fork();
  if (into.pid < 0) return false;
  if (into.pid == 0) become_program(plan, standard);
  if (plan.pty != nullptr) {
    plan.pty->slave.reset();
    return true;
  }
  into.input = std::move(input.write);
  into.output = std::move(output.read);
  into.error = std::move(error.read);
  return set_nonblocking(into.input.get()) && set_nonblocking(into.output.get()) && set_nonblocking(into.error.get());
}

}  // namespace sshape::posix

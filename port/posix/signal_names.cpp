#include "port/posix/signal_names.hpp"

#include <signal.h>

namespace sshape::posix {

namespace {

struct Entry {
  std::string_view name;
  int number;
};
constexpr Entry entries[] = {
    {"ABRT", SIGABRT}, {"ALRM", SIGALRM}, {"FPE", SIGFPE},   {"HUP", SIGHUP},   {"ILL", SIGILL},
    {"INT", SIGINT},   {"KILL", SIGKILL}, {"PIPE", SIGPIPE}, {"QUIT", SIGQUIT}, {"SEGV", SIGSEGV},
    {"TERM", SIGTERM}, {"USR1", SIGUSR1}, {"USR2", SIGUSR2},
};

}  // namespace

int signal_of_name(std::string_view name) {
  for (const Entry& entry : entries)
    if (entry.name == name) return entry.number;
  return 0;
}

std::string_view name_of_signal(int number) {
  for (const Entry& entry : entries)
    if (entry.number == number) return entry.name;
  return "SIG@openssh.com";
}

}  // namespace sshape::posix

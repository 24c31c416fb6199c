#include "port/posix/process.hpp"

#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace sshape::posix {

namespace {

rlim_t core_limit_before = 0;  // the soft one
bool core_limit_changed = false;

}  // namespace

void harden_process() {
  rlimit limit{};
  if (!core_limit_changed && ::getrlimit(RLIMIT_CORE, &limit) == 0) {
    core_limit_before = limit.rlim_cur;
    core_limit_changed = true;
    limit.rlim_cur = 0;
    ::setrlimit(RLIMIT_CORE, &limit);
  }
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

void restore_core_limit() {
  rlimit limit{};
  if (!core_limit_changed || ::getrlimit(RLIMIT_CORE, &limit) != 0) return;
  limit.rlim_cur = core_limit_before;
  ::setrlimit(RLIMIT_CORE, &limit);
}

void name_process(const char* argv0) {
  const char* const slash = ::strrchr(argv0, '/');
  ::prctl(PR_SET_NAME, slash != nullptr ? slash + 1 : argv0, 0, 0, 0);
}

bool open_standard_descriptors() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0) continue;
    if (::open("/dev/null", O_RDWR) != fd) return false;
  }
  return true;
}

Descriptor open_own_image() { return Descriptor(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC)); }

void execute_image(int image, char* const* argv, char* const* environment) {
#ifdef SYS_execveat
  if (image >= 0) ::syscall(SYS_execveat, image, "", argv, environment, 0x1000 /* AT_EMPTY_PATH */);
#endif
  ::execve("/proc/self/exe", argv, environment);
}

void close_descriptors_from(int keep) {
#ifdef SYS_close_range
  if (::syscall(SYS_close_range, static_cast<unsigned>(keep), ~0u, 0u) == 0) return;
#endif
  rlimit limit{};
  const rlim_t most = ::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 65536 ? limit.rlim_cur : 65536;
  for (int fd = keep; fd < static_cast<int>(most); ++fd) ::close(fd);
}

bool set_nonblocking(int fd) {
  const int flags = ::fcntl(fd, F_GETFL);
  return flags >= 0 && ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0;
}

}  // namespace sshape::posix

#include "port/posix/shared_descriptor.hpp"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>

#include "port/posix/text.hpp"

namespace sshape::posix {

namespace {

// What poll() promises of a pipe, and of a terminal no less.
constexpr std::size_t ready_for = 4096 < PIPE_BUF ? 4096 : PIPE_BUF;

Descriptor open_anew(int fd, bool to_read) {
  Text<40> path("/proc/self/fd/");
  path.add_number(static_cast<std::uint64_t>(fd));
  return Descriptor(::open(path.c_str(), (to_read ? O_RDONLY : O_WRONLY) | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
}

bool is_ready(int fd, short event) {
  pollfd one{fd, event, 0};
  return ::poll(&one, 1, 0) > 0;
}

Reading reading(ssize_t n, std::size_t wanted) {
  if (n < 0) {
    const bool later = errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
    return {0, later ? Reading::State::later : Reading::State::end};
  }
  if (n == 0) return {0, Reading::State::end};
  const auto bytes = static_cast<std::size_t>(n);
  return {bytes, bytes == wanted ? Reading::State::data : Reading::State::later};
}

SharedEnd::Kind kind_of_duplicate(const struct stat& about) {
  constexpr unsigned memory_devices = 1;  // /dev/null, /dev/zero, ...
  const bool memory = S_ISCHR(about.st_mode) && major(about.st_rdev) == memory_devices;
  if (memory || S_ISREG(about.st_mode) || S_ISBLK(about.st_mode)) return SharedEnd::Kind::file;
  return S_ISSOCK(about.st_mode) ? SharedEnd::Kind::socket : SharedEnd::Kind::asked;
}

}  // namespace

SharedEnd share(int fd, bool to_read) {
  struct stat about{};
  if (::fstat(fd, &about) != 0) return {};
  if (S_ISFIFO(about.st_mode) || ::isatty(fd) != 0)
    if (Descriptor own = open_anew(fd, to_read)) return {std::move(own), SharedEnd::Kind::own};
  return {Descriptor(::fcntl(fd, F_DUPFD_CLOEXEC, 3)), kind_of_duplicate(about)};
}

Reading read_shared(SharedEnd::Kind kind, int fd, MutableBytes space) {
  using Kind = SharedEnd::Kind;
  if (kind == Kind::socket) return reading(::recv(fd, space.data(), space.size(), MSG_DONTWAIT), space.size());
  if (kind == Kind::asked && !is_ready(fd, POLLIN)) return {0, Reading::State::later};
  return reading(::read(fd, space.data(), space.size()), space.size());
}

ssize_t write_shared(SharedEnd::Kind kind, int fd, Bytes data) {
  using Kind = SharedEnd::Kind;
  if (kind == Kind::socket) return ::send(fd, data.data(), data.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (kind != Kind::asked) return ::write(fd, data.data(), data.size());
  if (!is_ready(fd, POLLOUT)) {
    errno = EAGAIN;
    return -1;
  }
  return ::write(fd, data.data(), std::min(data.size(), ready_for));
}

void let_go(int fd) {
  const Descriptor nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (nothing) ::dup2(nothing.get(), fd);
}

}  // namespace sshape::posix

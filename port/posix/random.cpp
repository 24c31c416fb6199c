#include "port/posix/random.hpp"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#include "port/posix/descriptor.hpp"

namespace sshape::posix {

namespace {

// Kernels before 3.17, and filters that do not know the call.
void fill_from_device(MutableBytes space) {
  Descriptor device(::open("/dev/urandom", O_RDONLY | O_CLOEXEC));
  while (!space.empty()) {
    const ssize_t n = ::read(device.get(), space.data(), space.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) ::abort();  // keys out of nothing would be worse
    space = space.subspan(static_cast<std::size_t>(n));
  }
}

}  // namespace

void KernelRandom::fill(MutableBytes space) {
  while (!space.empty()) {
    const ssize_t n = ::getrandom(space.data(), space.size(), 0);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fill_from_device(space);
    space = space.subspan(static_cast<std::size_t>(n));
  }
}

}  // namespace sshape::posix

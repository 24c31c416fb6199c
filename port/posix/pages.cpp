#include "port/posix/pages.hpp"

#include <sys/mman.h>

namespace sshape::posix {

std::byte* MappedPages::map(std::size_t bytes) {
  void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return at == MAP_FAILED ? nullptr : static_cast<std::byte*>(at);
}

void MappedPages::unmap(std::byte* at, std::size_t bytes) { ::munmap(at, bytes); }

void MappedPages::discard(std::byte* at, std::size_t bytes) { ::madvise(at, bytes, MADV_DONTNEED); }

}  // namespace sshape::posix

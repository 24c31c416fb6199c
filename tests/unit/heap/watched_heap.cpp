#include "tests/unit/heap/watched_heap.hpp"

#include <errno.h>
#include <stdlib.h>

extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* at, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
}

namespace {

std::size_t watchers = 0;
std::size_t counted = 0;

void count() { counted += watchers != 0; }

}  // namespace

// These replace glibc's, for the C++ operators and wolfCrypt as well as for everyone else.
extern "C" {

void* malloc(size_t size) {
  count();
  return __libc_malloc(size);
}
void* calloc(size_t number, size_t size) {
  count();
  return __libc_calloc(number, size);
}
void* realloc(void* at, size_t size) {
  count();
  return __libc_realloc(at, size);
}
void* memalign(size_t alignment, size_t size) {
  count();
  return __libc_memalign(alignment, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  count();
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** at, size_t alignment, size_t size) {
  count();
  *at = __libc_memalign(alignment, size);
  return *at == nullptr ? ENOMEM : 0;
}

}  // extern "C"

namespace sshape::test {

WatchedHeap::WatchedHeap() {
  counted = 0;
  ++watchers;
}
WatchedHeap::~WatchedHeap() { --watchers; }
std::size_t WatchedHeap::allocations() const { return counted; }

}  // namespace sshape::test

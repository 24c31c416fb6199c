// Every allocation of the process, counted while someone watches.
#pragma once

#include <cstddef>

namespace sshape::test {

// From construction to destruction, malloc and its kin are counted. glibc; not under sanitizers.
class WatchedHeap {
 public:
  WatchedHeap();
  ~WatchedHeap();
  std::size_t allocations() const;
};

}  // namespace sshape::test

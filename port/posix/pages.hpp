// Pages of anonymous memory for the allocators that map (profiles/allocators/slab.hpp).
#pragma once

#include "profiles/allocators/allocator.hpp"

namespace sshape::posix {

class MappedPages final : public Pages {
 public:
  std::byte* map(std::size_t bytes) override;
  void unmap(std::byte* at, std::size_t bytes) override;
  void discard(std::byte* at, std::size_t bytes) override;
};

}  // namespace sshape::posix

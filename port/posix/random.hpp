// The kernel's random bytes.
#pragma once

#include "core/crypto/random.hpp"

namespace sshape::posix {

class KernelRandom final : public crypto::Random {
 public:
  void fill(MutableBytes space) override;  // ends the process if there is no randomness to be had
};

}  // namespace sshape::posix

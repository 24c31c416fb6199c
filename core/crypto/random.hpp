// Randomness comes in through one interface a session, so that a test can replay it exactly.
#pragma once

#include "core/bytes.hpp"

namespace sshape::crypto {

class Random {
 public:
  virtual void fill(MutableBytes space) = 0;  // never fails: a port that cannot must end the process

 protected:
  ~Random() = default;
};

}  // namespace sshape::crypto

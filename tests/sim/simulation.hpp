// A client and a server session in one process over a simulated link, in virtual time.
#pragma once

#include <string>

#include "tests/sim/applications.hpp"
#include "tests/sim/link.hpp"

namespace sshape::test {

struct Outcome {
  bool whole = false;    // every byte arrived once, in order, and the exit status with it
  std::string why;       // if not
  int rekeys = 0;
  Instant took = 0;
};

// Runs to the end, or until nothing can move any more.
Outcome simulate(std::uint64_t seed, const Plan& plan, const LinkShape& shape);

}  // namespace sshape::test

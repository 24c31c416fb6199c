// The algorithms that a user asks for, out of those that the build has. Pure.
#pragma once

#include <string_view>

#include "port/posix/text.hpp"

namespace sshape::posix {

using AlgorithmList = Text<512>;

// `wanted` is a name-list in order of preference, or one with a sign in front, as OpenSSH has it: "+" adds
// to ours, "-" takes away from ours, "^" puts first. Names that we do not have are left out, and
// collected in `unknown`. An empty result: none is left.
AlgorithmList choose_algorithms(std::string_view wanted, std::string_view ours, AlgorithmList& unknown);

}  // namespace sshape::posix

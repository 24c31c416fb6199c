// What the command lines of server and client share.
#pragma once

#include <string_view>

namespace sshape::posix {

enum class CommandLine : unsigned char { run, exit_0, exit_1 };

// -Q: the algorithms of this build, one a line on standard output. `kind` is kex, sig, cipher, mac or
// compress; another one is complained of (exit_1).
CommandLine print_algorithms(std::string_view kind);

}  // namespace sshape::posix

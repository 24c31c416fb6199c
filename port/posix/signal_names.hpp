// Signals by the names that RFC 4254, 6.9 and 6.10 give them, without SIG.
#pragma once

#include <string_view>

namespace sshape::posix {

int signal_of_name(std::string_view name);           // 0: no such name
std::string_view name_of_signal(int number);         // "SIG@openssh.com" for one that the RFC does not name

}  // namespace sshape::posix

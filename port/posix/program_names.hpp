// The names that the one executable answers to (DESIGN, section 5; COMPAT: names).
#pragma once

#include <string_view>

#include "port/posix/text.hpp"

namespace sshape::posix {

enum class Program : unsigned char { none, server, client, keygen };

std::string_view program_name(const char* argv0);  // its last part, without a login shell's '-'
Program program_of_name(std::string_view name);

// What -V prints: one line in dropbear's form for its names (callers cut it and compare), our own
// name, version and profile for ours.
Text<128> version_line(const char* argv0);

}  // namespace sshape::posix

// Values of the client's options: -o NAME=VALUE, and what letters share with it. False, or exit_1: the
// value was no good, and a line says why.
#pragma once

#include <string_view>

#include "port/posix/programs/client_options.hpp"

namespace sshape::posix {

// "NAME=VALUE" or "NAME VALUE"; the text lives as long as the options. An unknown name is a warning.
CommandLine take_setting(std::string_view text, ClientOptions& into);

// `what` is the option as the user knows it: "-p", "Port".
bool set_port(std::string_view what, std::string_view value, ClientOptions& into);
bool set_seconds(std::string_view what, std::string_view value, Microseconds& into);
bool set_user(std::string_view value, ClientOptions& into);
bool add_identity(const char* path, ClientOptions& into);
bool set_ciphers(std::string_view value, ClientOptions& into);
bool complain_of(std::string_view what, std::string_view value, std::string_view expected);  // false

}  // namespace sshape::posix

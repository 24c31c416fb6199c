// Where a client is told to go: "[user@]host[^port]". Pure.
#pragma once

#include <optional>
#include <string_view>

namespace sshape::posix {

struct Destination {
  std::string_view user;  // empty: not said
  std::string_view host;  // without the brackets that an IPv6 address may have
  std::string_view port;  // empty: not said
};

// Also "host/port", as dropbear had it. The user is what is before the last @.
Destination split_destination(std::string_view word);

// Names that stay names wherever they are put later: a shell's line, a file, an option (CVE-2023-51385).
bool is_host_name(std::string_view name);
bool is_user_name(std::string_view name);

}  // namespace sshape::posix

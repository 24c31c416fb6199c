// Lists of addresses and networks, as from= has them (COMPAT: authorized_keys). Pure.
#pragma once

#include <optional>
#include <string_view>

namespace sshape::posix {

// "192.0.2.1,2001:db8::/32,!192.0.2.9": whether the list admits the address. A negation that matches
// outweighs everything. Nothing: the list holds something else than addresses, networks and their
// negations.
std::optional<bool> address_list_admits(std::string_view list, std::string_view host);

}  // namespace sshape::posix

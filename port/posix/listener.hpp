// Sockets that listen, from what -p and -l say (COMPAT: server options).
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "port/posix/descriptor.hpp"
#include "port/posix/text.hpp"

namespace sshape::posix {

// "PORT", "ADDRESS:PORT", "[ADDRESS]:PORT", "ADDRESS:" (the default port). An IPv6 address is split
// from its port at the last colon.
struct ListenAddress {
  Text<255> host;  // empty: every address of the machine
  Text<31> port;
};
// False: it is empty or does not fit.
bool parse_listen_address(std::string_view text, ListenAddress& into);

class Listeners {
 public:
  static constexpr std::size_t capacity = 32;  // sockets: 10 addresses, each perhaps of several families

  // Opens every socket that `address` names. Logs what cannot be used. A machine without IPv6 has
  // one family less, which is no error; an address that is not there yet is bound all the same.
  // `interface` (may be null) is the only one to listen on.
  void add(const ListenAddress& address, const char* interface);

  std::size_t size() const { return size_; }
  int operator[](std::size_t i) const { return sockets_[i].get(); }

 private:
  std::array<Descriptor, capacity> sockets_;
  std::size_t size_ = 0;
};

}  // namespace sshape::posix

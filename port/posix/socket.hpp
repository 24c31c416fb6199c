// Addresses and socket options of TCP connections.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <optional>

#include "port/posix/descriptor.hpp"
#include "port/posix/text.hpp"

namespace sshape::posix {

using HostText = Text<64>;

struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;

  bool is_tcp() const { return storage.ss_family == AF_INET || storage.ss_family == AF_INET6; }
  HostText host() const;           // 192.0.2.1, 2001:db8::1; an IPv4 address mapped into IPv6 as IPv4
  std::uint16_t port() const;
  Text<80> host_and_port() const;  // 192.0.2.1:22, [2001:db8::1]:22; "unknown" if it is no TCP
};

// Nothing for what is no socket; not is_tcp() for other sockets.
std::optional<Address> peer_address(int fd);
std::optional<Address> local_address(int fd);

// Who counts as one stranger before login: an IPv4 address, an IPv6 /64.
struct Source {
  std::uint64_t bits = 0;
  bool v6 = false;
  bool operator==(const Source&) const = default;
};
Source source_of(const Address& address);

// What every connection's socket gets, from its first byte on: no delay, little unsent in the kernel
// (so that what is sealed is sealed late), keepalive probes.
void prepare_connection(int socket);
// Marks the connection's packets as interactive (RFC 8325: AF21), unless -z.
void mark_interactive(int socket);

}  // namespace sshape::posix

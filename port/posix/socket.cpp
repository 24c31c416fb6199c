#include "port/posix/socket.hpp"

#include <arpa/inet.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>

namespace sshape::posix {

namespace {

constexpr int unsent_in_kernel = 128 * 1024;  // bytes

template <class T>
T as(const Address& address) {
  T value;
  std::memcpy(&value, &address.storage, sizeof value);
  return value;
}

void set(int socket, int level, int option, int value) {
  ::setsockopt(socket, level, option, &value, sizeof value);  // every one of them may be missing
}

std::optional<Address> address_of(int fd, int (*get)(int, sockaddr*, socklen_t*)) {
  Address address;
  address.size = sizeof address.storage;
  if (get(fd, reinterpret_cast<sockaddr*>(&address.storage), &address.size) != 0) return std::nullopt;
  return address;
}

}  // namespace

HostText Address::host() const {
  char text[INET6_ADDRSTRLEN] = "";
  if (storage.ss_family == AF_INET) {
    const in_addr v4 = as<sockaddr_in>(*this).sin_addr;
    ::inet_ntop(AF_INET, &v4, text, sizeof text);
  } else if (storage.ss_family == AF_INET6) {
    const in6_addr v6 = as<sockaddr_in6>(*this).sin6_addr;
    if (IN6_IS_ADDR_V4MAPPED(&v6)) {
      ::inet_ntop(AF_INET, &v6.s6_addr[12], text, sizeof text);
    } else {
      ::inet_ntop(AF_INET6, &v6, text, sizeof text);
    }
  }
  return HostText(text);
}

std::uint16_t Address::port() const {
  if (storage.ss_family == AF_INET) return ntohs(as<sockaddr_in>(*this).sin_port);
  if (storage.ss_family == AF_INET6) return ntohs(as<sockaddr_in6>(*this).sin6_port);
  return 0;
}

Text<80> Address::host_and_port() const {
  Text<80> text;
  if (!is_tcp()) return text.add("unknown");
  const HostText name = host();
  const bool brackets = name.view().find(':') != std::string_view::npos;
  if (brackets) text.add('[');
  text.add(name.view());
  if (brackets) text.add(']');
  return text.add(':').add_number(port());
}

std::optional<Address> peer_address(int fd) { return address_of(fd, ::getpeername); }
std::optional<Address> local_address(int fd) { return address_of(fd, ::getsockname); }

Source source_of(const Address& address) {
  if (address.storage.ss_family == AF_INET) return {as<sockaddr_in>(address).sin_addr.s_addr, false};
  if (address.storage.ss_family != AF_INET6) return {};
  const in6_addr v6 = as<sockaddr_in6>(address).sin6_addr;
  Source source{0, true};
  std::memcpy(&source.bits, v6.s6_addr, sizeof source.bits);
  return source;
}

void prepare_connection(int socket) {
  set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
#ifdef TCP_NOTSENT_LOWAT
  set(socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, unsent_in_kernel);
#endif
  set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
}

void mark_interactive(int socket) {
  constexpr int af21 = 0x48;
  set(socket, IPPROTO_IP, IP_TOS, af21);
  set(socket, IPPROTO_IPV6, IPV6_TCLASS, af21);
}

}  // namespace sshape::posix

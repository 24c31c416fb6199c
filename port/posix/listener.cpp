#include "port/posix/listener.hpp"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "port/posix/log.hpp"

namespace sshape::posix {

namespace {

constexpr std::string_view default_port = "22";
constexpr int waiting_connections = 128;

// Returns an error of the system's, 0 if all is well.
int open_socket(const addrinfo& wanted, const char* interface, Descriptor& into) {
  const int one = 1;
  into.reset(::socket(wanted.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, wanted.ai_protocol));
  if (!into) return errno;
  const int fd = into.get();
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (wanted.ai_family == AF_INET6) ::setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof one);
#ifdef IP_FREEBIND
  ::setsockopt(fd, IPPROTO_IP, IP_FREEBIND, &one, sizeof one);  // an address that comes up later
#endif
  if (interface != nullptr && interface[0] != '\0' &&
      ::setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, interface,
                   static_cast<socklen_t>(std::strlen(interface) + 1)) != 0)
    return errno;
  if (::bind(fd, wanted.ai_addr, wanted.ai_addrlen) != 0) return errno;
  return ::listen(fd, waiting_connections) != 0 ? errno : 0;
}

void complain(const ListenAddress& address, std::string_view why) {
  LogLine line("Failed listening on '");
  if (!address.host.empty()) line.add_escaped(address.host.view()).add(':');
  log_warning(line.add_escaped(address.port.view()).add("': ").add(why));
}

}  // namespace

bool parse_listen_address(std::string_view text, ListenAddress& into) {
  into = {};
  std::string_view host, port = text;
  if (text.starts_with('[')) {
    const std::size_t bracket = text.find(']');
    if (bracket == std::string_view::npos) return false;
    host = text.substr(1, bracket - 1);
    port = text.substr(bracket + 1);
    if (port.starts_with(':')) port.remove_prefix(1);
    else if (!port.empty()) return false;
    if (host.empty()) return false;
  } else if (const std::size_t colon = text.rfind(':'); colon != std::string_view::npos) {
    host = text.substr(0, colon);
    port = text.substr(colon + 1);
  } else if (text.empty()) {
    return false;
  }
  if (host == "*") host = {};
  into.host.add(host);
  into.port.add(port.empty() ? default_port : port);
  return !into.host.cut() && !into.port.cut();
}

void Listeners::add(const ListenAddress& address, const char* interface) {
  addrinfo hints{};
  hints.ai_flags = AI_PASSIVE;
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int failed = ::getaddrinfo(address.host.empty() ? nullptr : address.host.c_str(), address.port.c_str(),
                                   &hints, &found);
  if (failed != 0) return complain(address, ::gai_strerror(failed));
  int error = EADDRNOTAVAIL;
  std::size_t opened = 0;
  for (const addrinfo* one = found; one != nullptr && size_ < capacity; one = one->ai_next) {
    Descriptor socket;
    const int e = open_socket(*one, interface, socket);
    if (e != 0) {
      if (e == EAFNOSUPPORT || e == EADDRNOTAVAIL) continue;  // a kernel without IPv6 is no news
      complain(address, error_text(error = e));
      continue;
    }
    sockets_[size_++] = std::move(socket);
    ++opened;
  }
  ::freeaddrinfo(found);
  if (opened == 0 && error == EADDRNOTAVAIL) complain(address, error_text(error));
}

}  // namespace sshape::posix

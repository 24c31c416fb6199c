#include "port/posix/connect.hpp"

#include <errno.h>
#include <netdb.h>
#include <poll.h>

#include "port/posix/clock.hpp"
#include "port/posix/log.hpp"

namespace sshape::posix {

namespace {

class Addresses {
 public:
  Addresses(const char* host, unsigned port, int family, int flags) {
    Text<8> service;
    service.add_number(port);
    addrinfo hints{};
    hints.ai_family = family;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = flags;
    error_ = ::getaddrinfo(host, service.c_str(), &hints, &first_);
  }
  Addresses(const Addresses&) = delete;
  Addresses& operator=(const Addresses&) = delete;
  ~Addresses() {
    if (first_ != nullptr) ::freeaddrinfo(first_);
  }
  const addrinfo* first() const { return first_; }
  const char* error() const { return error_ == 0 ? nullptr : ::gai_strerror(error_); }

 private:
  addrinfo* first_ = nullptr;
  int error_ = 0;
};

// Binds to the first address of the plan's that suits the socket. An error of the system's, or 0.
int bind_our_end(int socket, const addrinfo& to, const ConnectPlan& plan) {
  const Addresses ours(plan.from_host, plan.from_port, to.ai_family, AI_PASSIVE);
  int error = EADDRNOTAVAIL;
  for (const addrinfo* at = ours.first(); at != nullptr; at = at->ai_next) {
    if (::bind(socket, at->ai_addr, at->ai_addrlen) == 0) return 0;
    error = errno;
  }
  return error;
}

int wait_for_connection(int socket, Microseconds limit) {
  const Instant end = limit == 0 ? never : monotonic_now() + limit;
  while (true) {
    pollfd one{socket, POLLOUT, 0};
    const Instant now = monotonic_now();
    if (now >= end) return ETIMEDOUT;
    constexpr Microseconds an_hour = 3'600 * second;
    const int milliseconds = static_cast<int>(std::min(end - now, an_hour) / 1000 + 1);
    const int ready = ::poll(&one, 1, milliseconds);
    if (ready < 0 && errno != EINTR) return errno;
    if (ready <= 0) continue;
    int error = 0;
    socklen_t size = sizeof error;
    return ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
  }
}

Descriptor connect_to_address(const addrinfo& to, const ConnectPlan& plan, int& error) {
  Descriptor socket(::socket(to.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, to.ai_protocol));
  if (!socket) {
    error = errno;
    return {};
  }
  prepare_connection(socket.get());
  error = plan.from_host != nullptr || plan.from_port != 0 ? bind_our_end(socket.get(), to, plan) : 0;
  if (error != 0) return {};
  if (::connect(socket.get(), to.ai_addr, to.ai_addrlen) != 0) error = errno;
  if (error == EINPROGRESS) error = wait_for_connection(socket.get(), plan.limit);
  return error == 0 ? std::move(socket) : Descriptor{};
}

}  // namespace

Descriptor connect_to_host(const ConnectPlan& plan, ConsoleLine& why) {
  const Addresses found(plan.host, plan.port, plan.family, 0);
  if (found.error() != nullptr) {
    why.add("cannot find the host ").add_escaped(plan.host).add(": ").add(found.error());
    return {};
  }
  int error = 0;
  for (const addrinfo* at = found.first(); at != nullptr; at = at->ai_next)
    if (Descriptor connected = connect_to_address(*at, plan, error)) return connected;
  why.add("cannot connect to ")
      .add_escaped(plan.host)
      .add(" port ")
      .add_number(plan.port)
      .add(": ")
      .add(error_text(error));
  return {};
}

}  // namespace sshape::posix

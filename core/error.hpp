// Errors are values. A Fault ends the session with an SSH_MSG_DISCONNECT that carries its text.
#pragma once

#include <cstdint>
#include <expected>

namespace sshape {

// RFC 4253, 11.1.
enum class Disconnect : std::uint32_t {
  host_not_allowed_to_connect = 1,
  protocol_error = 2,
  key_exchange_failed = 3,
  mac_error = 5,
  compression_error = 6,
  service_not_available = 7,
  protocol_version_not_supported = 8,
  host_key_not_verifiable = 9,
  connection_lost = 10,
  by_application = 11,
  too_many_connections = 12,
  auth_cancelled_by_user = 13,
  no_more_auth_methods_available = 14,
  illegal_user_name = 15,
};

// What is wrong and what was expected, in one sentence. The text is a literal: no memory, no
// byte of the peer's in it.
struct Fault {
  Disconnect reason = Disconnect::protocol_error;
  const char* text = "";
};

template <class T>
using Expected = std::expected<T, Fault>;
using Status = Expected<void>;

inline std::unexpected<Fault> fault(const char* text,
                                    Disconnect reason = Disconnect::protocol_error) {
  return std::unexpected(Fault{reason, text});
}

}  // namespace sshape

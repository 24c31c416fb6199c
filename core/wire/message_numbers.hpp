// Message numbers of RFC 4250, 4.1, of the key exchanges, and of the extensions we know.
#pragma once

#include <cstdint>

namespace sshape::wire {

enum class Message : std::uint8_t {
  disconnect = 1,
  ignore = 2,
  unimplemented = 3,
  debug = 4,
  service_request = 5,
  service_accept = 6,
  ext_info = 7,  // RFC 8308
  kexinit = 20,
  newkeys = 21,
  kex_ecdh_init = 30,  // also the hybrid exchange's SSH_MSG_KEX_HYBRID_INIT
  kex_ecdh_reply = 31,
  userauth_request = 50,
  userauth_failure = 51,
  userauth_success = 52,
  userauth_banner = 53,
  userauth_pk_ok = 60,  // method-specific: 60 to 79
  userauth_info_response = 61,
  global_request = 80,
  request_success = 81,
  request_failure = 82,
  channel_open = 90,
  channel_open_confirmation = 91,
  channel_open_failure = 92,
  channel_window_adjust = 93,
  channel_data = 94,
  channel_extended_data = 95,
  channel_eof = 96,
  channel_close = 97,
  channel_request = 98,
  channel_success = 99,
  channel_failure = 100,
  ping = 192,  // ping@openssh.com
  pong = 193,
};

constexpr std::uint8_t number(Message message) { return static_cast<std::uint8_t>(message); }

}  // namespace sshape::wire

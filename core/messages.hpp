// The one table of messages: number, who may send it, in which phase, which function. What is not
// here is unknown and answered by SSH_MSG_UNIMPLEMENTED; what is here but sent by the wrong role or
// in the wrong phase ends the session.
#pragma once

#include "core/session.hpp"
#include "core/wire/message_numbers.hpp"

namespace sshape {

namespace phase {
using Set = std::uint8_t;
inline constexpr Set strict_exchange = 1;  // first key exchange, the peer knows strict-kex
inline constexpr Set first_exchange = 2;   // first key exchange, strict-kex not (yet) known
inline constexpr Set exchange = 4;         // a rekey: from the peer's KEXINIT to its NEWKEYS
inline constexpr Set service = 8;          // SERVICE_REQUEST is expected
inline constexpr Set login = 16;           // RFC 4252
inline constexpr Set connection = 32;      // RFC 4254
inline constexpr Set relaxed = first_exchange | exchange | service | login | connection;
inline constexpr Set any = strict_exchange | relaxed;
inline constexpr Set exchanges = strict_exchange | first_exchange | exchange;
}  // namespace phase

namespace sender {
using Set = std::uint8_t;
inline constexpr Set client = 1;
inline constexpr Set server = 2;
inline constexpr Set both = client | server;
}  // namespace sender

struct MessageTable {
  struct Rule {
    wire::Message number;
    sender::Set senders;
    phase::Set phases;
    Expected<Event> (Session::*handler)(wire::Reader&);
  };
  using M = wire::Message;
  using C = connection::Connection;

  static constexpr Rule rules[] = {
      // clang-format off
      // number                       sender          phases                                        handler
      {M::disconnect,                 sender::both,   phase::any,                                   &Session::on_disconnect},
      {M::ignore,                     sender::both,   phase::relaxed,                               &Session::on_ignore},
      {M::unimplemented,              sender::both,   phase::relaxed,                               &Session::on_unimplemented},
      {M::debug,                      sender::both,   phase::relaxed,                               &Session::on_debug},
      {M::service_request,            sender::client, phase::service,                               &Session::on_service_request},
      {M::service_accept,             sender::server, phase::service,                               &Session::on_service_accept},
      {M::ext_info,                   sender::both,   phase::service | phase::login,                &Session::on_ext_info},
      {M::kexinit,                    sender::both,   phase::first_exchange | phase::connection,    &Session::on_kexinit},
      {M::newkeys,                    sender::both,   phase::exchanges,                             &Session::on_newkeys},
      {M::kex_ecdh_init,              sender::client, phase::exchanges,                             &Session::on_kex_ecdh_init},
      {M::kex_ecdh_reply,             sender::server, phase::exchanges,                             &Session::on_kex_ecdh_reply},
      // After success further requests are ignored (RFC 4252, 5.1): the handler knows.
      {M::userauth_request,           sender::client, phase::login | phase::connection,             &Session::on_userauth_request},
      {M::userauth_failure,           sender::server, phase::login,                                 &Session::on_userauth_failure},
      {M::userauth_success,           sender::server, phase::login,                                 &Session::on_userauth_success},
      {M::userauth_banner,            sender::server, phase::login,                                 &Session::on_userauth_banner},
      {M::userauth_pk_ok,             sender::server, phase::login,                                 &Session::on_userauth_60},
      // Between KEXINIT and NEWKEYS these are forbidden (RFC 4253, 7.1), but asyncssh sends the message that
      // was due when its rekey began; nothing is at risk, so they are taken.
      {M::global_request,             sender::both,   phase::connection | phase::exchange,          &Session::on_connection<&C::on_global_request>},
      {M::request_success,            sender::both,   phase::connection | phase::exchange,          &Session::on_connection<&C::on_request_success>},
      {M::request_failure,            sender::both,   phase::connection | phase::exchange,          &Session::on_connection<&C::on_request_failure>},
      {M::channel_open,               sender::both,   phase::connection | phase::exchange,          &Session::on_connection<&C::on_open>},
      {M::channel_open_confirmation,  sender::both,   phase::connection | phase::exchange,          &Session::on_connection<&C::on_open_confirmation>},
      {M::channel_open_failure,       sender::both,   phase::connection | phase::exchange,          &Session::on_connection<&C::on_open_failure>},
      {M::channel_window_adjust,      sender::both,   phase::connection | phase::exchange,          &Session::on_connection<&C::on_window_adjust>},
      {M::channel_data,               sender::both,   phase::connection | phase::exchange,          &Session::on_connection<&C::on_data>},
      {M::channel_extended_data,      sender::both,   phase::connection | phase::exchange,          &Session::on_connection<&C::on_extended_data>},
      {M::channel_eof,                sender::both,   phase::connection | phase::exchange,          &Session::on_connection<&C::on_eof>},
      {M::channel_close,              sender::both,   phase::connection | phase::exchange,          &Session::on_connection<&C::on_close>},
      {M::channel_request,            sender::both,   phase::connection | phase::exchange,          &Session::on_connection<&C::on_request>},
      {M::channel_success,            sender::both,   phase::connection | phase::exchange,          &Session::on_connection<&C::on_channel_success>},
      {M::channel_failure,            sender::both,   phase::connection | phase::exchange,          &Session::on_connection<&C::on_channel_failure>},
      // clang-format on
  };

  // Null: unknown number.
  static const Rule* find(std::uint8_t number);
};

}  // namespace sshape

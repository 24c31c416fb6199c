// One SSH connection, client or server: the face that a port uses. It does no I/O, has no clock
// and no heap. A port moves bytes, asks next() for events, and answers questions, now or later.
//
//   receive:  span = receive_space(); n = recv(span); received(n, now)
//   events:   while (!nothing(e = next(now))) handle e
//   send:     while (!(slot = next_send()).space.empty()) { n = read(source, slot.space); produced(n) }
//             span = transmit_ready(); n = send(span); transmitted(n)
//   sleep:    until the socket, a source, a sink or an answer is ready, or wake_at()
#pragma once

#include <algorithm>
#include <optional>
#include <utility>

#include "core/auth/client_auth.hpp"
#include "core/auth/server_auth.hpp"
#include "core/connection/connection.hpp"
#include "core/events.hpp"
#include "core/instant.hpp"
#include "core/transport/transport.hpp"

namespace sshape {

struct SessionConfig {
  Role role = Role::server;
  transport::TransportConfig transport;  // identification, host keys, algorithm preferences
  auth::ServerAuthConfig server_auth;
  auth::ClientAuthConfig client_auth;
  std::uint32_t window = 0;  // -W, fixed; see clamp_window(). 0: the profile's, which may grow to window_ceiling
  Microseconds login_limit = active::profile.login_seconds * second;
  Microseconds keepalive = 0;           // 0: off; 3 unanswered end the session (-K)
  Microseconds idle_limit = 0;          // 0: off; no channel data either way (-I)
};

class Session {
 public:
  Session(const SessionConfig& config, crypto::Random& random, Pages& pages, Instant now);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  // --- bytes ------------------------------------------------------------------------------------
  MutableBytes receive_space();  // empty: read nothing now (a question is pending, or replies cannot leave)
  void received(std::size_t bytes, Instant now);
  void receive_closed(Instant now);  // the transport's end of file, or its error
  Bytes transmit_ready(Instant now);
  void transmitted(std::size_t bytes, Instant now);

  Event next(Instant now);
  Instant wake_at() const;  // call next() no later than this; `never`: no need
  bool ended() const;

  // --- answers ----------------------------------------------------------------------------------
  void answer_signature(QuestionId question, Bytes signature_blob);  // empty: it cannot be made
  void answer_host_key(QuestionId question, HostKeyVerdict verdict);
  void answer_login(QuestionId question, LoginVerdict verdict);
  void answer_open(QuestionId question);
  void refuse_open(QuestionId question, OpenFailure reason, std::string_view text);
  void answer_request(QuestionId question, bool success);

  // --- channel data -----------------------------------------------------------------------------
  void consumed(ChannelId channel, Stream stream, std::size_t bytes);
  Bytes backlog(ChannelId channel, Stream stream) const;  // next contiguous piece; empty: nothing waits
  void discard(ChannelId channel, Stream stream);         // the sink is closed: drop all, credit returns

  // A source has data (or not any more). next_send() chooses among the ready ones.
  void source_ready(ChannelId channel, Stream stream, bool ready);
  connection::SendSlot next_send();
  void produced(std::size_t bytes);   // into the slot of the last next_send(); 0: nothing came
  bool sendable(ChannelId channel) const;  // worth polling its sources now

  Status end_of_output(ChannelId channel);  // no source is left: SSH_MSG_CHANNEL_EOF
  Status close(ChannelId channel);          // SSH_MSG_CHANNEL_CLOSE after all data and EOF
  Status exit_status(ChannelId channel, std::uint32_t status);
  Status exit_signal(ChannelId channel, std::string_view name, bool core_dumped,
                     std::string_view message);

  // --- client -----------------------------------------------------------------------------------
  Status try_none();
  Status try_password(std::string_view password);
  Status try_public_key_query(std::string_view algorithm, Bytes blob);
  Status try_public_key(std::string_view algorithm, Bytes blob);  // next(): SignLogin
  void answer_login_signature(QuestionId question, Bytes signature_blob);
  Expected<ChannelId> open_session();
  Status request_pty(ChannelId channel, std::string_view term, WindowSize size, Bytes modes);
  Status request_env(ChannelId channel, std::string_view name, std::string_view value);
  Status request_start(ChannelId channel, event::Start start, std::string_view command);
  Status window_change(ChannelId channel, WindowSize size);
  Status signal(ChannelId channel, std::string_view name);
  Status send_break(ChannelId channel, std::uint32_t milliseconds);

  // --- both -------------------------------------------------------------------------------------
  void rekey();  // start a key exchange when the protocol allows
  void disconnect(Disconnect reason, std::string_view text);

  Role role() const { return config_.role; }
  std::string_view user() const;  // server: the name that is logging in or logged in
  std::string_view peer_identification() const { return transport_.identification().theirs(); }
  Bytes session_id() const { return transport_.exchange().session_id(); }
  // Client: server-sig-algs (RFC 8308), or empty.
  std::string_view server_signature_algorithms() const { return transport_.server_signature_algorithms(); }
  std::uint32_t login_failures() const { return server_auth_.failures(); }
  bool logged_in() const { return stage_ == Stage::connection; }

 private:
  friend struct MessageTable;  // core/messages.hpp: which number calls which of these, and when
  enum class Stage : std::uint8_t { service, authentication, connection };

  Expected<Event> on_disconnect(wire::Reader& message);
  Expected<Event> on_ignore(wire::Reader& message);
  Expected<Event> on_unimplemented(wire::Reader& message);
  Expected<Event> on_debug(wire::Reader& message);
  Expected<Event> on_service_request(wire::Reader& message);
  Expected<Event> on_service_accept(wire::Reader& message);
  Expected<Event> on_ext_info(wire::Reader& message);
  Expected<Event> on_kexinit(wire::Reader& message);
  Expected<Event> on_newkeys(wire::Reader& message);
  Expected<Event> on_kex_ecdh_init(wire::Reader& message);
  Expected<Event> on_kex_ecdh_reply(wire::Reader& message);
  Expected<Event> on_userauth_request(wire::Reader& message);
  Expected<Event> on_userauth_failure(wire::Reader& message);
  Expected<Event> on_userauth_success(wire::Reader& message);
  Expected<Event> on_userauth_banner(wire::Reader& message);
  Expected<Event> on_userauth_60(wire::Reader& message);
  template <Expected<Event> (connection::Connection::*Handler)(wire::Reader&)>
  Expected<Event> on_connection(wire::Reader& message) { return (connection_.*Handler)(message); }

  Event dispatch(Bytes message);
  Event next_event();
  Event logged_in_now();
  Event ended_event();
  bool paused() const;  // a question of key exchange or login is open
  bool settle();        // ends the loan of the last event; false: the session has ended
  void watch_clock();
  void answered();
  void fail(const Fault& fault);
  void end(bool by_peer, Disconnect reason, std::string_view text);
  Status check(Status status);
  Status ready_for_requests() const;
  QuestionId next_question() { return static_cast<QuestionId>(++last_question_); }

  SessionConfig config_;
  active::Allocator memory_;
  MutableBytes receive_region_;
  MutableBytes transmit_region_;
  transport::Transport transport_;
  auth::ServerAuth server_auth_;
  auth::ClientAuth client_auth_;
  connection::Connection connection_;
  Stage stage_ = Stage::service;
  bool ended_ = false;
  bool end_reported_ = false;
  bool end_by_peer_ = false;
  Disconnect end_reason_ = Disconnect::by_application;
  std::array<char, 256> end_text_{};
  std::size_t end_text_size_ = 0;
  Event queued_;  // an event that follows the one just returned
  Bytes message_;  // the message in hand, with its number
  std::uint32_t last_question_ = 0;
  std::uint32_t keepalives_unanswered_ = 0;
  std::uint64_t received_ = 0;  // bytes
  Instant now_;
  Instant asked_ = never;  // when we last sent a message of the key exchange that the peer answers
  Instant began_;
  Instant heard_;      // when bytes last came
  Instant progressed_; // when bytes last left, or nothing waited
  Instant active_;     // when channel data last moved
};

// What -W asks for, moved into what the profile allows. The caller warns when it differs.
constexpr std::uint32_t clamp_window(std::uint64_t wanted) {
  const Profile& p = active::profile;
  const std::uint64_t most = std::min<std::uint64_t>(p.window_ceiling,
      p.pool - std::uint64_t{p.channels - 1u} * p.window_floor);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(std::max<std::uint64_t>(wanted, 1), most));
}

}  // namespace sshape

// What a session tells its port, and what it asks. Everything borrowed in an event (Bytes,
// string_view) lives until the port's next call of the session that is not the answer to it.
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

#include "core/bytes.hpp"
#include "core/error.hpp"

namespace sshape {

enum class Role : std::uint8_t { client, server };

enum class ChannelId : std::uint32_t {};      // our number of a channel
enum class PeerChannelId : std::uint32_t {};  // the peer's number of the same channel
enum class Stream : std::uint8_t { data, error };  // SSH_EXTENDED_DATA_STDERR is `error`

// Names one question. Answers to a question that is gone (answered, cancelled, its channel dead)
// are ignored.
enum class QuestionId : std::uint32_t { none = 0 };

struct WindowSize {  // RFC 4254, 6.2
  std::uint32_t columns = 0;
  std::uint32_t rows = 0;
  std::uint32_t width_pixels = 0;
  std::uint32_t height_pixels = 0;
};

// RFC 4254, 5.1.
enum class OpenFailure : std::uint32_t {
  administratively_prohibited = 1,
  connect_failed = 2,
  unknown_channel_type = 3,
  resource_shortage = 4,
};

// Zero is refuse, everywhere.
enum class HostKeyVerdict : std::uint8_t { refuse, accept };
enum class LoginVerdict : std::uint8_t {
  refuse,
  accept,
  accept_partial,  // this method succeeded, another is needed (RFC 4252, 5.1)
};

namespace event {

// --- key exchange -----------------------------------------------------------------------------

// Server: answer with answer_signature(). `blob` is the public host key that must sign.
struct SignExchangeHash {
  QuestionId question;
  std::string_view algorithm;
  Bytes blob;
  Bytes exchange_hash;
  Bytes session_id;  // equal to exchange_hash in the first exchange
};

// Client: the signature is already found valid; answer with answer_host_key(). First exchange only:
// a rekey must present the same key and is not asked about.
struct VerifyHostKey {
  QuestionId question;
  std::string_view algorithm;
  Bytes blob;
};

// Each time both sides have taken new keys into use. Names as negotiated.
struct KeysChanged {
  bool first;
  std::string_view kex;
  std::string_view host_key;
  std::string_view cipher_in;
  std::string_view cipher_out;
};

// --- login, server ----------------------------------------------------------------------------

enum class Method : std::uint8_t {
  none,
  password,
  public_key_query,
  public_key,
  // The session refuses these whatever the answer is; they are asked so that the port can log them
  // and let them take as long as any other refusal.
  password_unusable,          // longer than the profile allows, or a password change
  public_key_bad_signature,
  unsupported,                // a method or key algorithm that is not offered
};

// Answer with answer_login(). For public_key the session has already checked the signature; the
// parts are here so that a monitor may check it again over what it knows itself.
struct LoginRequest {
  QuestionId question;
  Method method;
  std::string_view user;
  std::string_view password;   // password
  std::string_view algorithm;  // public_key, public_key_query
  Bytes key_blob;
  Bytes signature;    // public_key: the signature blob
  Bytes signed_data;  // public_key: session identifier and request, as signed (RFC 4252, 7)
};

// The peer is logged in; channels may follow.
struct LoggedIn {};

// One failed try (not a query, not `none`). `count` so far; for the log.
struct LoginFailed {
  std::uint32_t count;
};

// --- login, client ----------------------------------------------------------------------------

struct Banner {
  std::string_view text;  // the peer's: escape before showing
};

// Choose what to try next and call try_none(), try_public_key_query(), try_public_key(),
// try_password() or give_up().
struct ChooseLogin {
  std::string_view methods;  // the server's name-list; empty before the first answer
  bool partial_success;      // the last try succeeded but is not enough
};

// The server would take this key: answer as to ChooseLogin, normally try_public_key().
struct PublicKeyWelcome {
  std::string_view algorithm;
  Bytes key_blob;
};

// Sign `data` with the key of try_public_key(); answer with answer_login_signature().
struct SignLogin {
  QuestionId question;
  std::string_view algorithm;
  Bytes key_blob;
  Bytes data;
};

// --- connection -------------------------------------------------------------------------------

// Server: answer with answer_open() or refuse_open().
struct OpenSession {
  QuestionId question;
  ChannelId channel;
};

struct ChannelOpened {  // client: our open was confirmed
  ChannelId channel;
};
struct ChannelRefused {  // client: the channel is gone
  ChannelId channel;
  OpenFailure reason;
  std::string_view text;
};

// Requests on a session channel, to be answered with answer_request(); the session keeps the order
// of the replies and sends none where none is wanted.
struct PtyRequest {
  QuestionId question;
  ChannelId channel;
  std::string_view term;
  WindowSize size;
  Bytes modes;  // RFC 4254, 8: encoded terminal modes
};
struct EnvRequest {
  QuestionId question;
  ChannelId channel;
  std::string_view name;
  std::string_view value;
};
enum class Start : std::uint8_t { shell, exec, subsystem };
struct StartRequest {
  QuestionId question;
  ChannelId channel;
  Start start;
  std::string_view command;  // exec: the command; subsystem: its name
};
struct BreakRequest {
  QuestionId question;
  ChannelId channel;
  std::uint32_t milliseconds;
};

struct WindowChange {
  ChannelId channel;
  WindowSize size;
};
struct Signal {
  ChannelId channel;
  std::string_view name;  // "TERM", without SIG
};

// Client: the reply to our requests on this channel, in the order in which they were made.
struct RequestReply {
  ChannelId channel;
  bool success;
};

struct ExitStatus {
  ChannelId channel;
  std::uint32_t status;
};
struct ExitSignal {
  ChannelId channel;
  std::string_view name;
  bool core_dumped;
  std::string_view message;
};

// Data for a sink. Write what the sink takes and say so with consumed(); the rest goes to the
// channel's backlog when the session is called next, and is offered again by backlog().
struct ChannelData {
  ChannelId channel;
  Stream stream;
  Bytes data;
};
struct ChannelEof {  // no more data will come (what is in the backlog comes first)
  ChannelId channel;
};
// The peer knows that our sink is closed or told us so (eow@openssh.com): stop reading the source.
struct PeerSinkClosed {
  ChannelId channel;
};
// Both sides closed, or the connection ended: the ChannelId is free after this.
struct ChannelClosed {
  ChannelId channel;
};
// The peer sent CLOSE: nothing we send arrives any more. Answer by close() once the sources and
// children are dealt with; the session has taken care of unanswered requests.
struct PeerClosed {
  ChannelId channel;
};

// Client: reply to keepalive() or another global request of ours, in order.
struct GlobalReply {
  bool success;
  Bytes data;
};

// --- the end ----------------------------------------------------------------------------------

// Nothing follows. Send what transmit_ready() still holds (the DISCONNECT), then close.
struct Ended {
  bool by_peer;
  Disconnect reason;
  std::string_view text;  // the peer's if by_peer: escape before showing
};

}  // namespace event

using Event = std::variant<
    std::monostate,  // nothing now: wait for bytes, an answer, or the time of wake_at()
    event::SignExchangeHash, event::VerifyHostKey, event::KeysChanged, event::LoginRequest,
    event::LoggedIn, event::LoginFailed, event::Banner, event::ChooseLogin,
    event::PublicKeyWelcome, event::SignLogin, event::OpenSession, event::ChannelOpened,
    event::ChannelRefused, event::PtyRequest, event::EnvRequest, event::StartRequest,
    event::BreakRequest, event::WindowChange, event::Signal, event::RequestReply,
    event::ExitStatus, event::ExitSignal, event::ChannelData, event::ChannelEof,
    event::PeerSinkClosed, event::ChannelClosed, event::PeerClosed, event::GlobalReply,
    event::Ended>;

inline bool nothing(const Event& event) { return std::holds_alternative<std::monostate>(event); }

}  // namespace sshape

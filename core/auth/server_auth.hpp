// User authentication, the server's side (RFC 4252).
#pragma once

#include <array>

#include "core/crypto/hash.hpp"
#include "core/error.hpp"
#include "core/events.hpp"
#include "core/transport/outbox.hpp"
#include "core/wire/reader.hpp"
#include "profiles/active.hpp"

namespace sshape::auth {

struct ServerAuthConfig {
  bool password = true;      // whether the method is offered at all
  bool public_key = true;
  std::uint32_t max_failures = 10;      // failure number max_failures + 1 disconnects (-T)
  std::string_view banner;              // sent before the first answer; empty: none. Outlives the session.
};

// One question at a time: while pending() the session parses nothing (RFC 4252, 5.1).
class ServerAuth {
 public:
  explicit ServerAuth(const ServerAuthConfig& config) : config_(config) {}

  // SSH_MSG_USERAUTH_REQUEST. The whole message is parsed before anything is decided. The user and
  // the service may not change: that is a fault. Everything else becomes a LoginRequest, so that
  // every refusal takes the same way and the same time: a user name or password past its limit, a
  // change of password, a method or an algorithm that is not offered, a signature that is wrong.
  // `session_id` is the transport's.
  Expected<Event> on_request(wire::Reader& message, Bytes session_id, QuestionId next_question,
                             transport::Outbox& out);

  // Composes SUCCESS, FAILURE (with partial success) or PK_OK. A fault when the tries are used up: a
  // refusal is a failed try, but not of a question about a key, nor of the first `none`.
  // Returns LoggedIn, LoginFailed or nothing.
  Expected<Event> answer(QuestionId question, LoginVerdict verdict, transport::Outbox& out);

  bool pending() const { return question_ != QuestionId::none; }
  bool done() const { return done_; }
  std::string_view user() const { return {user_.data(), user_size_}; }  // as much as was kept of it
  std::uint32_t failures() const { return failures_; }

 private:
  void send_banner(transport::Outbox& out);
  Status send_failure(bool partial, transport::Outbox& out);
  Event ask(event::LoginRequest request);
  Expected<Event> on_public_key(wire::Reader& message, Bytes session_id, event::LoginRequest request);
  bool offered(event::Method method) const;
  static bool may_succeed(event::Method method);

  // Session identifier and request, as signed: RFC 4252, 7.
  static constexpr std::size_t signed_limit = 4 + 64 + 1 + 4 + active::profile.user_name + 4 + 14 + 4 + 9 + 1 +
                                              4 + 64 + 4 + active::profile.key_blob;

  ServerAuthConfig config_;
  std::array<char, active::profile.user_name> user_{};
  std::size_t user_size_ = 0;
  bool user_known_ = false;
  bool user_too_long_ = false;    // cut at the limit: nobody's name, whatever it looks like now
  bool banner_sent_ = false;
  bool done_ = false;
  bool none_tried_ = false;       // the first is no failure: it asks which methods there are
  bool password_done_ = false;    // succeeded partially
  bool public_key_done_ = false;
  bool charged_ = true;           // a refusal of the request in question is a failed try
  std::uint32_t failures_ = 0;
  std::uint32_t queries_ = 0;     // of public keys: at most max(15, max_failures)
  QuestionId question_ = QuestionId::none;
  event::Method method_ = event::Method::none;
  // The signed data of the request in question, or the PK_OK that answers a query.
  std::array<std::byte, signed_limit> kept_{};
  std::size_t kept_size_ = 0;
};

}  // namespace sshape::auth

// User authentication, the client's side (RFC 4252).
#pragma once

#include <array>

#include "core/error.hpp"
#include "core/events.hpp"
#include "core/transport/outbox.hpp"
#include "core/wire/reader.hpp"
#include "profiles/active.hpp"

namespace sshape::auth {

struct ClientAuthConfig {
  std::string_view user;  // outlives the session
};

class ClientAuth {
 public:
  explicit ClientAuth(const ClientAuthConfig& config) : config_(config) {}

  // After SERVICE_ACCEPT (or at once, pipelined): asks the port what to try.
  Event begin();

  // The port's choices. A fault: a choice that is not possible now (another try is unanswered), or
  // an argument past the profile's limits.
  Status try_none(transport::Outbox& out);
  Status try_password(std::string_view password, transport::Outbox& out);
  Status try_public_key_query(std::string_view algorithm, Bytes blob, transport::Outbox& out);
  // Returns SignLogin; the request is kept until the signature comes.
  Expected<Event> try_public_key(std::string_view algorithm, Bytes blob, Bytes session_id,
                                 QuestionId question);
  Status answer_signature(QuestionId question, Bytes signature_blob, transport::Outbox& out);

  // SSH_MSG_USERAUTH_FAILURE, _SUCCESS, _BANNER and number 60: PK_OK after a question about a key, for
  // that key and no other; PASSWD_CHANGEREQ after a password, which counts as a refusal. An answer to
  // nothing that was asked is a fault.
  Expected<Event> on_failure(wire::Reader& message);
  Expected<Event> on_success(wire::Reader& message);
  Expected<Event> on_banner(wire::Reader& message);
  Expected<Event> on_method_specific_60(wire::Reader& message);

  bool done() const { return done_; }
  bool pending() const { return question_ != QuestionId::none; }

 private:
  enum class Waiting : std::uint8_t { nothing, answer, password_answer, pk_ok };
  Status may_try() const;
  static Status key_fits(std::string_view algorithm, Bytes blob);

  static constexpr std::size_t algorithm_limit = 64;  // RFC 4251, 6: a name
  static constexpr std::size_t signed_limit = 4 + 64 + 1 + 4 + active::profile.user_name + 4 + 14 + 4 + 9 + 1 +
                                              4 + algorithm_limit + 4 + active::profile.key_blob;

  ClientAuthConfig config_;
  Waiting waiting_ = Waiting::nothing;
  bool done_ = false;
  QuestionId question_ = QuestionId::none;
  // The data to sign, in which the request begins at request_at_; or the key that was asked about.
  std::array<std::byte, signed_limit> kept_{};
  std::array<char, algorithm_limit> asked_algorithm_{};
  std::size_t asked_algorithm_size_ = 0;
  std::size_t kept_size_ = 0;
  std::size_t request_at_ = 0;
};

}  // namespace sshape::auth

#include "core/auth/client_auth.hpp"

#include "core/wire/message_numbers.hpp"
#include "core/wire/name_list.hpp"

namespace sshape::auth {

using wire::Message;

namespace {

wire::Writer& begin_request(wire::Writer& out, std::string_view user, std::string_view method) {
  return out.byte(number(Message::userauth_request))
      .string(user)
      .string(std::string_view("ssh-connection"))
      .string(method);
}

constexpr std::size_t request_room = 64;  // beside the strings of the caller's
constexpr std::size_t password_limit = 1'024;

}  // namespace

Event ClientAuth::begin() { return event::ChooseLogin{{}, false}; }

Status ClientAuth::may_try() const {
  if (done_) return fault("already logged in");
  if (waiting_ != Waiting::nothing || pending()) return fault("the last try of a login is not answered yet");
  if (config_.user.size() > active::profile.user_name) return fault("user name longer than this build allows");
  return {};
}

Status ClientAuth::key_fits(std::string_view algorithm, Bytes blob) {
  if (algorithm.size() > algorithm_limit) return fault("algorithm name longer than 64 bytes");
  if (blob.size() > active::profile.key_blob) return fault("public key larger than this build allows");
  return {};
}

Status ClientAuth::try_none(transport::Outbox& out) {
  if (Status status = may_try(); !status) return status;
  wire::Writer request = out.compose(request_room + config_.user.size());
  begin_request(request, config_.user, "none");
  if (!request.ok()) return fault("no room for a login request");
  out.commit(request);
  waiting_ = Waiting::answer;
  return {};
}

Status ClientAuth::try_password(std::string_view password, transport::Outbox& out) {
  if (Status status = may_try(); !status) return status;
  if (password.size() > password_limit) return fault("password longer than 1,024 bytes");
  wire::Writer request = out.compose(request_room + config_.user.size() + password.size());
  begin_request(request, config_.user, "password").boolean(false).string(password);
  if (!request.ok()) return fault("no room for a login request");
  out.commit(request);
  waiting_ = Waiting::password_answer;
  return {};
}

Status ClientAuth::try_public_key_query(std::string_view algorithm, Bytes blob, transport::Outbox& out) {
  if (Status status = may_try(); !status) return status;
  if (Status status = key_fits(algorithm, blob); !status) return status;
  wire::Writer request = out.compose(request_room + config_.user.size() + algorithm.size() + blob.size());
  begin_request(request, config_.user, "publickey").boolean(false).string(algorithm).string(blob);
  if (!request.ok()) return fault("no room for a login request");
  out.commit(request);
  wire::Writer kept(kept_);
  kept.raw(blob);
  kept_size_ = kept.size();
  asked_algorithm_size_ = algorithm.copy(asked_algorithm_.data(), algorithm_limit);
  waiting_ = Waiting::pk_ok;
  return {};
}

Expected<Event> ClientAuth::try_public_key(std::string_view algorithm, Bytes blob, Bytes session_id,
                                           QuestionId question) {
  if (Status status = may_try(); !status) return std::unexpected(status.error());
  if (Status status = key_fits(algorithm, blob); !status) return std::unexpected(status.error());
  wire::Writer kept(kept_);
  kept.string(session_id);
  request_at_ = kept.size();
  begin_request(kept, config_.user, "publickey").boolean(true).string(algorithm);
  const std::size_t blob_at = kept.size() + 4;
  kept.string(blob);
  if (!kept.ok()) return fault("internal: a login request does not fit");
  kept_size_ = kept.size();
  question_ = question;
  const Bytes kept_blob = kept.written().subspan(blob_at, blob.size());
  const Bytes kept_algorithm = kept.written().subspan(blob_at - 4 - algorithm.size(), algorithm.size());
  return event::SignLogin{question_, text_of(kept_algorithm), kept_blob, kept.written()};
}

Status ClientAuth::answer_signature(QuestionId question, Bytes signature_blob, transport::Outbox& out) {
  if (!pending() || question != question_) return {};
  question_ = QuestionId::none;
  if (signature_blob.empty()) return fault("the key cannot sign", Disconnect::auth_cancelled_by_user);
  const Bytes unsigned_request = Bytes(kept_).subspan(request_at_, kept_size_ - request_at_);
  wire::Writer request = out.compose(unsigned_request.size() + 4 + signature_blob.size());
  request.raw(unsigned_request).string(signature_blob);
  if (!request.ok()) return fault("no room for a login request");
  out.commit(request);
  waiting_ = Waiting::answer;
  return {};
}

Expected<Event> ClientAuth::on_failure(wire::Reader& message) {
  const std::string_view methods = message.text();
  const bool partial = message.boolean();
  if (!message.at_end() || !well_formed(wire::NameList(methods)))
    return fault("USERAUTH_FAILURE: a name-list and a boolean are expected");
  if (waiting_ == Waiting::nothing) return fault("USERAUTH_FAILURE without a request");
  waiting_ = Waiting::nothing;
  return event::ChooseLogin{methods, partial};
}

Expected<Event> ClientAuth::on_success(wire::Reader& message) {
  if (!message.at_end()) return fault("USERAUTH_SUCCESS carries nothing");
  if (waiting_ != Waiting::answer && waiting_ != Waiting::password_answer)
    return fault("USERAUTH_SUCCESS without a request that could succeed");
  waiting_ = Waiting::nothing;
  done_ = true;
  return event::LoggedIn{};
}

Expected<Event> ClientAuth::on_banner(wire::Reader& message) {
  const std::string_view text = message.text();
  message.string();  // language
  if (!message.at_end()) return fault("USERAUTH_BANNER: two strings are expected");
  return event::Banner{text};
}

Expected<Event> ClientAuth::on_method_specific_60(wire::Reader& message) {
  if (waiting_ == Waiting::password_answer) {
    message.string();  // prompt
    message.string();  // language
    if (!message.at_end()) return fault("USERAUTH_PASSWD_CHANGEREQ: two strings are expected");
    waiting_ = Waiting::nothing;
    return event::ChooseLogin{{}, false};
  }
  if (waiting_ != Waiting::pk_ok) return fault("message 60 without a login request that it could answer");
  message.string();  // the algorithm; some servers name the key's type instead
  const Bytes blob = message.string();
  if (!message.at_end()) return fault("USERAUTH_PK_OK: two strings are expected");
  if (!same_bytes(blob, Bytes(kept_).first(kept_size_))) return fault("USERAUTH_PK_OK for a key that was not asked about");
  waiting_ = Waiting::nothing;
  return event::PublicKeyWelcome{{asked_algorithm_.data(), asked_algorithm_size_}, blob};
}

}  // namespace sshape::auth

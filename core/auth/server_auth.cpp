#include "core/auth/server_auth.hpp"

#include <algorithm>
#include <utility>

#include "core/crypto/public_key.hpp"
#include "core/wire/message_numbers.hpp"
#include "core/wire/name_list.hpp"

namespace sshape::auth {

using event::Method;
using wire::Message;

namespace {

constexpr std::string_view connection_service = "ssh-connection";

// One text for whatever was tried too often.
Fault too_many_failures() {
  return {Disconnect::no_more_auth_methods_available, "Too many authentication failures"};
}

}  // namespace

Expected<Event> ServerAuth::on_request(wire::Reader& message, Bytes session_id, QuestionId next_question,
                                       transport::Outbox& out) {
  if (pending()) return fault("USERAUTH_REQUEST while another is being decided");
  const std::string_view user = message.text();
  const std::string_view service = message.text();
  const std::string_view method = message.text();
  if (!message.ok()) return fault("USERAUTH_REQUEST: three strings are expected");
  if (service != connection_service)
    return fault("USERAUTH_REQUEST: the service must be ssh-connection", Disconnect::service_not_available);
  const std::string_view kept = user.substr(0, user_.size());
  const bool too_long = user.size() > user_.size();
  if (user_known_ && (kept != this->user() || too_long != user_too_long_))
    return fault("the user name may not change within a connection", Disconnect::illegal_user_name);
  user_known_ = true;
  user_too_long_ = too_long;
  user_size_ = kept.size();
  std::copy(kept.begin(), kept.end(), user_.begin());
  send_banner(out);

  event::LoginRequest request{};
  request.question = next_question;
  request.method = Method::unsupported;
  request.user = this->user();
  charged_ = true;
  if (method == "none") {
    if (!message.at_end()) return fault("USERAUTH_REQUEST none: nothing follows");
    charged_ = std::exchange(none_tried_, true);
    if (!user_too_long_) request.method = Method::none;
  } else if (method == "password") {
    const bool change = message.boolean();
    request.password = message.text();
    if (change) message.string();
    if (!message.at_end()) return fault("USERAUTH_REQUEST password: a boolean and a string are expected");
    const bool usable = !change && !user_too_long_ && request.password.size() <= active::profile.password;
    if (!usable) request.password = {};
    request.method = !offered(Method::password) ? Method::unsupported
                     : usable                   ? Method::password
                                                : Method::password_unusable;
    if (request.method == Method::unsupported) request.password = {};
  } else if (method == "publickey") {
    return on_public_key(message, session_id, request);
  }
  return ask(request);
}

Expected<Event> ServerAuth::on_public_key(wire::Reader& message, Bytes session_id, event::LoginRequest request) {
  const bool with_signature = message.boolean();
  request.algorithm = message.text();
  request.key_blob = message.string();
  if (with_signature) request.signature = message.string();
  if (!message.at_end()) return fault("USERAUTH_REQUEST publickey: a boolean and two or three strings are expected");

  const bool usable = offered(Method::public_key) && !user_too_long_ && request.key_blob.size() <= active::profile.key_blob &&
                      wire::NameList(active::profile.algorithms.user_signatures).contains(request.algorithm) &&
                      crypto::key_type(request.key_blob) == crypto::key_type_of_algorithm(request.algorithm);
  charged_ = with_signature;
  if (!with_signature && ++queries_ > std::max(15u, config_.max_failures)) return std::unexpected(too_many_failures());
  if (!usable) return ask(request);

  wire::Writer kept(kept_);
  if (!with_signature) {
    kept.byte(number(Message::userauth_pk_ok)).string(request.algorithm).string(request.key_blob);
    request.method = Method::public_key_query;
  } else {
    kept.string(session_id).byte(number(Message::userauth_request)).string(request.user);
    kept.string(connection_service).string(std::string_view("publickey")).boolean(true);
    kept.string(request.algorithm).string(request.key_blob);
    request.signed_data = kept.written();
    const Status valid = crypto::verify(request.algorithm, request.key_blob, kept.written(), request.signature);
    request.method = valid ? Method::public_key : Method::public_key_bad_signature;
  }
  if (!kept.ok()) return fault("internal: a login request does not fit");
  kept_size_ = kept.size();
  return ask(request);
}

Event ServerAuth::ask(event::LoginRequest request) {
  question_ = request.question;
  method_ = request.method;
  return request;
}

Expected<Event> ServerAuth::answer(QuestionId question, LoginVerdict verdict, transport::Outbox& out) {
  if (!pending() || question != question_) return Event{};
  question_ = QuestionId::none;
  if (!may_succeed(method_)) verdict = LoginVerdict::refuse;
  if (method_ == Method::none && verdict == LoginVerdict::accept_partial) verdict = LoginVerdict::refuse;

  if (method_ == Method::public_key_query && verdict != LoginVerdict::refuse) {
    wire::Writer reply = out.compose(kept_size_);
    reply.raw(Bytes(kept_).first(kept_size_));
    if (!reply.ok()) return fault("internal: no room for PK_OK");
    out.commit(reply);
    return Event{};
  }
  if (verdict == LoginVerdict::accept) {
    wire::Writer reply = out.compose(1);
    reply.byte(number(Message::userauth_success));
    if (!reply.ok()) return fault("internal: no room for USERAUTH_SUCCESS");
    out.commit(reply);
    done_ = true;
    return event::LoggedIn{};
  }
  if (verdict == LoginVerdict::accept_partial) {
    (method_ == Method::password ? password_done_ : public_key_done_) = true;
    if (Status status = send_failure(true, out); !status) return std::unexpected(status.error());
    return Event{};
  }

  if (charged_ && ++failures_ > config_.max_failures) return std::unexpected(too_many_failures());
  if (Status status = send_failure(false, out); !status) return std::unexpected(status.error());
  return charged_ ? Event{event::LoginFailed{failures_}} : Event{};
}

// The list is the same whatever the cause.
Status ServerAuth::send_failure(bool partial, transport::Outbox& out) {
  const bool key = offered(Method::public_key);
  const bool password = offered(Method::password);
  wire::Writer reply = out.compose(64);
  reply.byte(number(Message::userauth_failure));
  reply.string(std::string_view(key && password ? "publickey,password" : key ? "publickey" : password ? "password" : ""));
  reply.boolean(partial);
  if (!reply.ok()) return fault("internal: no room for USERAUTH_FAILURE");
  out.commit(reply);
  return {};
}

bool ServerAuth::may_succeed(Method method) {
  return method == Method::none || method == Method::password || method == Method::public_key ||
         method == Method::public_key_query;
}

bool ServerAuth::offered(Method method) const {
  return method == Method::password ? config_.password && !password_done_ : config_.public_key && !public_key_done_;
}

void ServerAuth::send_banner(transport::Outbox& out) {
  if (config_.banner.empty() || std::exchange(banner_sent_, true)) return;
  const std::string_view text = config_.banner.substr(0, active::profile.banner);
  wire::Writer message = out.compose(1 + 4 + text.size() + 4);
  message.byte(number(Message::userauth_banner)).string(text).string(std::string_view{});
  if (message.ok()) out.commit(message);
}

}  // namespace sshape::auth

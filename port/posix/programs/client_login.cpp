#include "port/posix/programs/client_login.hpp"

#include <stdlib.h>
#include <string.h>

#include <utility>

#include "core/wire/name_list.hpp"

namespace sshape::posix {

ClientLogin::ClientLogin(const ClientOptions& options, Identities& identities)
    : options_(options), identities_(identities) {
  char* const given = ::getenv("DROPBEAR_PASSWORD");
  if (given == nullptr) return;
  has_given_password_ = given_password_.assign(bytes_of(given));
  if (!has_given_password_) tell("warning: DROPBEAR_PASSWORD is too long and left out");
  crypto::wipe(std::as_writable_bytes(std::span(given, ::strlen(given))));
  ::unsetenv("DROPBEAR_PASSWORD");
}

// Without a key to try, the first request is for the server's list of methods.
ClientLogin::Step ClientLogin::choose(Session& session, const event::ChooseLogin& choice) {
  methods_known_ = std::exchange(asked_, true);
  if (!choice.methods.empty()) {
    methods_.clear();
    methods_.add(choice.methods);
  }
  const bool has_key = options_.use_keys && next_key_ < identities_.size();
  if (has_key && offers("publickey")) return next_key(session);
  if (!methods_known_) return session.try_none() ? Step::sent : Step::give_up;
  return offers("password") ? next_password(session) : Step::give_up;
}

// Of several keys the server is asked which it would take; a single one signs at once.
ClientLogin::Step ClientLogin::next_key(Session& session) {
  key_in_hand_ = next_key_++;
  const std::string_view algorithm = identities_.key(key_in_hand_).type_name();
  const Bytes blob = identities_.blob(key_in_hand_);
  const Status tried = identities_.size() == 1 ? session.try_public_key(algorithm, blob)
                                               : session.try_public_key_query(algorithm, blob);
  if (tried) return Step::sent;
  tell(tried.error().text);
  return Step::give_up;
}

ClientLogin::Step ClientLogin::welcome(Session& session, const event::PublicKeyWelcome& key) {
  if (!same_bytes(key.key_blob, identities_.blob(key_in_hand_))) {
    tell("the server took a key that it was not asked about");
    return Step::give_up;
  }
  const Status tried =
      session.try_public_key(identities_.key(key_in_hand_).type_name(), identities_.blob(key_in_hand_));
  return tried ? Step::sent : Step::give_up;
}

void ClientLogin::sign(Session& session, const event::SignLogin& request) const {
  std::array<std::byte, 1024> space;
  wire::Writer signature(space);
  const crypto::PrivateKey* const key = identities_.find(request.key_blob);
  const bool made = key != nullptr && key->sign(request.algorithm, request.data, signature) && signature.ok();
  session.answer_login_signature(request.question, made ? signature.written() : Bytes{});
}

ClientLogin::Step ClientLogin::next_password(Session& session) {
  if (!may_tell_passwords_) return Step::give_up;
  if (has_given_password_) {
    if (passwords_tried_++ != 0) return Step::give_up;
    return session.try_password(text_of(given_password_.bytes())) ? Step::sent : Step::give_up;
  }
  if (!options_.use_passwords || options_.batch || passwords_tried_ >= options_.password_tries) return Step::give_up;
  if (passwords_tried_ != 0) tell("permission denied, please try again");
  return Step::ask_password;
}

ClientLogin::Step ClientLogin::password(Session& session, std::string_view users) {
  ++passwords_tried_;
  const Status tried = session.try_password(users);
  if (tried) return Step::sent;
  tell(tried.error().text);
  return Step::give_up;
}

ClientLogin::Step ClientLogin::nobody_to_ask() {
  nobody_to_ask_ = true;
  return Step::give_up;
}

void ClientLogin::forget_secrets() {
  identities_.forget();
  given_password_.clear();
}

ConsoleLine ClientLogin::prompt() const {
  return ConsoleLine().add(options_.user.view()).add('@').add(options_.host.view()).add("'s password: ");
}

ConsoleLine ClientLogin::refusal() const {
  ConsoleLine text;
  text.add(options_.user.view()).add('@').add(options_.host.view()).add(": permission denied (");
  text.add_escaped(methods_.view()).add(")");
  if (nobody_to_ask_) text.add(": there is no terminal to ask for a password");
  return text;
}

bool ClientLogin::offers(std::string_view method) const {
  return !methods_known_ || wire::NameList(methods_.view()).contains(method);
}

}  // namespace sshape::posix

// What the client tries, in which order, to log in: its keys, then passwords (RFC 4252).
#pragma once

#include "core/session.hpp"
#include "port/posix/console.hpp"
#include "port/posix/identities.hpp"
#include "port/posix/programs/client_options.hpp"

namespace sshape::posix {

class ClientLogin {
 public:
  // Takes DROPBEAR_PASSWORD out of the environment.
  ClientLogin(const ClientOptions& options, Identities& identities);

  enum class Step : unsigned char {
    sent,          // the server's answer follows
    ask_password,  // the user, with prompt(); then password()
    give_up,       // refusal() says why
  };
  Step choose(Session& session, const event::ChooseLogin& choice);
  Step welcome(Session& session, const event::PublicKeyWelcome& key);
  void sign(Session& session, const event::SignLogin& request) const;
  Step password(Session& session, std::string_view users);
  Step nobody_to_ask();  // instead of password()

  void withhold_passwords() { may_tell_passwords_ = false; }
  void forget_secrets();  // once logged in

  ConsoleLine prompt() const;
  ConsoleLine refusal() const;

 private:
  Step next_key(Session& session);
  Step next_password(Session& session);
  bool offers(std::string_view method) const;

  const ClientOptions& options_;
  Identities& identities_;
  Text<256> methods_;          // the server's list, as far as it fits
  bool asked_ = false;         // the server got a request of ours
  bool methods_known_ = false; // and answered
  std::size_t next_key_ = 0;
  std::size_t key_in_hand_ = 0;
  unsigned passwords_tried_ = 0;
  bool may_tell_passwords_ = true;
  bool nobody_to_ask_ = false;
  bool has_given_password_ = false;  // DROPBEAR_PASSWORD: no question, and one try
  crypto::Secret<1024> given_password_;
};

}  // namespace sshape::posix

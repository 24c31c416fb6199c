// Who may log in (COMPAT: server, log lines). One connection's worth: the user's name does not change.
#pragma once

#include "port/posix/account.hpp"
#include "port/posix/authority.hpp"
#include "port/posix/authorized_keys.hpp"
#include "port/posix/build_settings.hpp"
#include "port/posix/overrides.hpp"

namespace sshape::posix {

struct LoginPolicy {
  bool root_login = true;
  bool passwords = true;
  bool root_passwords = true;
  bool blank_passwords = false;
  bool blank_root_password = build_settings::blank_root_password;  // by method `none` only
  bool password_and_key = false;
  const char* only_group = nullptr;
  const char* keys_folder = "~/.ssh";  // absolute, or below "~"
  const char* root_keys_folder = build_settings::root_keys_folder;  // a second one; empty: none
  bool single_user = false;
  Overrides overrides;
};

class Login {
 public:
  // `peer` as in the log, `host` its address alone. Both outlive this.
  Login(const LoginPolicy& policy, std::string_view peer, std::string_view host)
      : policy_(policy), peer_(peer), host_(host) {}

  // Decides, and logs. Blocks for as long as crypt() and the account calls take.
  LoginVerdict decide(const Question& question);

  const Account& account() const { return account_; }
  // The user's name for the log: of an account that exists. Empty: none was asked for, or it does not.
  std::string_view known_user() const { return account_.exists ? account_.name.view() : std::string_view{}; }
  // Of the key that logged in; without one, all is allowed.
  const KeyOptions& key_options() const { return key_options_; }

 private:
  void look_up(std::string_view name);
  void look_up_single_user();
  bool admits();
  LoginVerdict decide_none();
  LoginVerdict decide_password(const Question& question);
  LoginVerdict decide_key(const Question& question);
  LoginVerdict succeeded(bool& this_method, std::string_view what, std::string_view detail);
  bool find_key(const KeyCandidate& candidate, KeyOptions& options) const;
  void log_user(std::string_view before, std::string_view after);

  const LoginPolicy& policy_;
  std::string_view peer_;
  std::string_view host_;
  Account account_;
  bool looked_up_ = false;
  bool admitted_ = false;  // the account, before any password or key
  Text<511> stand_in_;
  bool password_done_ = false;
  bool key_done_ = false;
  KeyOptions key_options_;
};

}  // namespace sshape::posix

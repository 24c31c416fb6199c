#include "port/posix/login.hpp"

#include <unistd.h>

#include "core/crypto/public_key.hpp"
#include "port/posix/authorized_keys_file.hpp"
#include "port/posix/log.hpp"
#include "port/posix/password.hpp"

namespace sshape::posix {

using event::Method;

LoginVerdict Login::decide(const Question& question) {
  if (!looked_up_) {
    looked_up_ = true;
    stand_in_ = stand_in_hash();
    if (policy_.single_user) look_up_single_user();
    else look_up(question.user);
    admitted_ = admits();
  }
  switch (question.method) {
    case Method::none: return decide_none();
    case Method::password:
    case Method::password_unusable: return decide_password(question);
    case Method::public_key_query:
    case Method::public_key: return decide_key(question);
    case Method::public_key_bad_signature:
      if (account_.exists) {
        log_warning(LogLine("Pubkey auth bad signature for '").add_escaped(account_.name.view()).add("' with key ")
                        .add(crypto::fingerprint(question.blob).text()).add(" from ").add(peer_));
      }
      return LoginVerdict::refuse;
    case Method::unsupported: break;
  }
  return LoginVerdict::refuse;
}

// --- the account ----------------------------------------------------------------------------------

void Login::look_up(std::string_view name) { look_up_account(name, account_); }

void Login::look_up_single_user() {
  look_up_own_account(account_);
  const Overrides& replaced = policy_.overrides;
  if (replaced.has_home) account_.home = replaced.home;
  if (replaced.has_shell) account_.shell = replaced.shell;
  if (replaced.has_password) {
    account_.forget_hash();
    account_.password_hash.add(replaced.password_hash.view());
  }
}

// Says once why not.
bool Login::admits() {
  if (!account_.exists) {
    log_warning(LogLine("Login attempt for nonexistent user from ").add(peer_));
    return false;
  }
  if (policy_.single_user) return true;
  if (::geteuid() != 0 && account_.uid != ::geteuid()) {
    log_warning(LogLine("Login attempt with wrong user ").add_escaped(account_.name.view()).add(" from ").add(peer_));
    return false;
  }
  if (account_.uid == 0 && !policy_.root_login) {
    log_warning(LogLine("root login rejected from ").add(peer_));
    return false;
  }
  if (policy_.only_group != nullptr && !is_in_group(account_, policy_.only_group)) {
    log_warning(LogLine("Logins are restricted to the group ").add_escaped(policy_.only_group).add(" but user '")
                    .add_escaped(account_.name.view()).add("' is not a member, from ").add(peer_));
    return false;
  }
  if (!is_permitted_shell(account_.shell.c_str())) {
    log_user("User '", "' has invalid shell, rejected");
    return false;
  }
  return true;
}

// --- methods --------------------------------------------------------------------------------------

// Logs in who has a blank password, where that is allowed: nobody else.
LoginVerdict Login::decide_none() {
  const bool root = account_.uid == 0;
  const bool blank = admitted_ && account_.password_hash.empty() && policy_.passwords && !policy_.password_and_key &&
                     (policy_.blank_passwords || (root && policy_.blank_root_password)) &&
                     (!root || policy_.root_passwords);
  if (!blank) return LoginVerdict::refuse;
  log_user("Auth succeeded with blank password for '", "'");
  return LoginVerdict::accept;
}

LoginVerdict Login::decide_password(const Question& question) {
  const std::string_view hash = account_.exists ? account_.password_hash.view() : std::string_view{};
  bool matches = password_matches(question.password, hash, stand_in_.view());  // for everyone: it takes its time
  if (!account_.exists) return LoginVerdict::refuse;
  if (question.method == Method::password_unusable) {
    log_user("Too-long password attempt for '", "'");
    return LoginVerdict::refuse;
  }
  const bool blank = hash.empty();
  if (blank && policy_.blank_passwords && question.password.empty()) matches = true;
  const bool allowed = admitted_ && policy_.passwords && (account_.uid != 0 || policy_.root_passwords);
  if (!matches || !allowed) {
    if (blank) log_user("User '", "' has blank password, rejected");
    else if (hash.front() == '!' || hash.front() == '*') log_user("User account '", "' is locked");
    else if (admitted_) log_user("Bad password attempt for '", "'");
    return LoginVerdict::refuse;
  }
  return succeeded(password_done_, "Password auth succeeded for '", "");
}

LoginVerdict Login::decide_key(const Question& question) {
  if (!admitted_) return LoginVerdict::refuse;
  KeyCandidate candidate;
  candidate.type = crypto::key_type(question.blob);
  candidate.blob = question.blob;
  candidate.host = host_;
  KeyOptions options;
  if (!find_key(candidate, options)) return LoginVerdict::refuse;
  if (question.method == Method::public_key_query) return LoginVerdict::accept;
  key_options_ = options;
  Text<160> detail;
  detail.add(" with ").add(candidate.type).add(" key ").add(crypto::fingerprint(question.blob).text());
  return succeeded(key_done_, "Pubkey auth succeeded for '", detail.view());
}

bool Login::find_key(const KeyCandidate& candidate, KeyOptions& options) const {
  if (find_authorized_key(account_, policy_.keys_folder, candidate, options)) return true;
  const bool second = account_.uid == 0 && policy_.root_keys_folder[0] != '\0';
  return second && find_authorized_key(account_, policy_.root_keys_folder, candidate, options);
}

LoginVerdict Login::succeeded(bool& this_method, std::string_view what, std::string_view detail) {
  this_method = true;
  const bool more = policy_.password_and_key && !(password_done_ && key_done_);
  log_notice(LogLine(what).add_escaped(account_.name.view()).add("'").add(detail).add(" from ").add(peer_)
                 .add(more ? ", extra auth required" : ""));
  return more ? LoginVerdict::accept_partial : LoginVerdict::accept;
}

void Login::log_user(std::string_view before, std::string_view after) {
  log_warning(LogLine(before).add_escaped(account_.name.view()).add(after).add(" from ").add(peer_));
}

}  // namespace sshape::posix

// Accounts of the system: who a user is, and becoming one. Libc's account calls may block and
// allocate: called at start, at login, never while a session has channels.
#pragma once

#include <sys/types.h>

#include "port/posix/text.hpp"

namespace sshape::posix {

struct Account {
  bool exists = false;
  Text<255> name;
  uid_t uid = 0;
  gid_t gid = 0;
  Text<1023> home;
  Text<1023> shell;          // never empty: /bin/sh then
  Text<511> password_hash;   // as crypt() wants it; "x" or "*" or "!..." matches nothing

  Account() = default;
  Account(const Account&) = delete;
  Account& operator=(const Account&) = delete;
  ~Account() { forget_hash(); }
  void forget_hash();
};

// `exists` is false if there is no such user, or an entry of it does not fit. The hash is the shadow
// file's where we may read that, else the passwd file's.
void look_up_account(std::string_view name, Account& into);
// The user who runs this process. Without an entry in the passwd file: a name made of the number.
void look_up_own_account(Account& into);

// Standing in /etc/shells, or in the build's list where the file is absent.
bool is_permitted_shell(const char* shell);
bool group_exists(const char* group);
bool is_in_group(const Account& account, const char* group);

// A hash that costs as much to try as a real user's: for the users that do not exist.
Text<511> stand_in_hash();

// Takes over the user's supplementary groups, group and user for good, and verifies it. False: this
// process must end now.
bool become_for_good(const Account& account);

// The user's rights over files for the time of this object, where we are root. Everything that is
// opened in between is opened as the user.
class AsUser {
 public:
  explicit AsUser(const Account& account);
  AsUser(const AsUser&) = delete;
  AsUser& operator=(const AsUser&) = delete;
  ~AsUser();
  explicit operator bool() const { return good_; }

 private:
  bool switched_ = false;
  bool good_ = true;
};

}  // namespace sshape::posix

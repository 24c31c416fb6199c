#include "port/posix/account.hpp"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>
#if __has_include(<shadow.h>)
#include <shadow.h>
#define SSHAPE_HAS_SHADOW 1
#endif

#include <array>

#include "core/crypto/secret.hpp"
#include "port/posix/build_settings.hpp"
#include "port/posix/log.hpp"

namespace sshape::posix {

namespace {

constexpr std::size_t most_groups = 1024;

void fill(const passwd& entry, Account& into) {
  into.name.add(entry.pw_name);
  into.uid = entry.pw_uid;
  into.gid = entry.pw_gid;
  into.home.add(entry.pw_dir != nullptr ? entry.pw_dir : "");
  into.shell.add(entry.pw_shell != nullptr && entry.pw_shell[0] != '\0' ? entry.pw_shell : "/bin/sh");
  const char* hash = entry.pw_passwd != nullptr ? entry.pw_passwd : "!";
#ifdef SSHAPE_HAS_SHADOW
  if (const spwd* const shadow = ::getspnam(entry.pw_name); shadow != nullptr && shadow->sp_pwdp != nullptr)
    hash = shadow->sp_pwdp;
#endif
  into.password_hash.add(hash);
  into.exists = !into.name.cut() && !into.home.cut() && !into.shell.cut() && !into.password_hash.cut();
}

void clear(Account& account) {
  account.forget_hash();
  account.exists = false;
  account.name.clear();
  account.home.clear();
  account.shell.clear();
  account.uid = 0;
  account.gid = 0;
}

// Entries have a colon between them.
bool is_in_list(std::string_view wanted, std::string_view list) {
  while (!list.empty()) {
    const std::string_view one = list.substr(0, list.find(':'));
    if (one == wanted) return true;
    list.remove_prefix(one.size() < list.size() ? one.size() + 1 : list.size());
  }
  return false;
}

bool is_real_hash(const char* hash) { return hash != nullptr && hash[0] == '$' && std::strlen(hash) > 20; }

}  // namespace

void Account::forget_hash() {
  crypto::wipe(std::as_writable_bytes(std::span(password_hash.data(), password_hash.size())));
  password_hash.clear();
}

void look_up_account(std::string_view name, Account& into) {
  clear(into);
  const Text<255> terminated(name);
  if (name.empty() || terminated.cut() || name.find('\0') != std::string_view::npos) return;
  if (const passwd* const entry = ::getpwnam(terminated.c_str()); entry != nullptr) fill(*entry, into);
}

void look_up_own_account(Account& into) {
  clear(into);
  if (const passwd* const entry = ::getpwuid(::geteuid()); entry != nullptr) return fill(*entry, into);
  const char* const home = ::getenv("HOME");
  into.name.add("uid").add_number(::geteuid());
  into.uid = ::geteuid();
  into.gid = ::getegid();
  into.home.add(home != nullptr ? home : "/");
  into.shell.add("/bin/sh");
  into.password_hash.add("!");
  into.exists = !into.home.cut();
}

bool is_permitted_shell(const char* shell) {
  if (::access("/etc/shells", F_OK) != 0) return is_in_list(shell, build_settings::shells);
  bool found = false;
  ::setusershell();
  while (const char* const one = ::getusershell())
    if (std::strcmp(one, shell) == 0) found = true;
  ::endusershell();
  return found;
}

bool group_exists(const char* group) { return ::getgrnam(group) != nullptr; }

bool is_in_group(const Account& account, const char* group) {
  const struct group* const wanted = ::getgrnam(group);
  if (wanted == nullptr) return false;
  const gid_t id = wanted->gr_gid;
  std::array<gid_t, most_groups> groups;
  int count = static_cast<int>(groups.size());
  if (::getgrouplist(account.name.c_str(), account.gid, groups.data(), &count) < 0) return false;
  for (int i = 0; i < count; ++i)
    if (groups[static_cast<std::size_t>(i)] == id) return true;
  return false;
}

Text<511> stand_in_hash() {
  Text<511> hash;
#ifdef SSHAPE_HAS_SHADOW
  ::setspent();
  while (const spwd* const entry = ::getspent()) {
    if (!is_real_hash(entry->sp_pwdp)) continue;
    hash.add(entry->sp_pwdp);
    break;
  }
  ::endspent();
#endif
  if (hash.empty() || hash.cut()) {
    hash.clear();
    hash.add("$6$nobodyknowsthis$");
  }
  return hash;
}

bool become_for_good(const Account& account) {
  if (::geteuid() != 0) return account.uid == ::geteuid();
  if (::initgroups(account.name.c_str(), account.gid) != 0) return false;
  if (::setresgid(account.gid, account.gid, account.gid) != 0) return false;
  if (::setresuid(account.uid, account.uid, account.uid) != 0) return false;
  uid_t real = 0, effective = 0, saved = 0;
  gid_t real_group = 0, effective_group = 0, saved_group = 0;
  if (::getresuid(&real, &effective, &saved) != 0 || ::getresgid(&real_group, &effective_group, &saved_group) != 0)
    return false;
  if (real != account.uid || effective != account.uid || saved != account.uid) return false;
  if (real_group != account.gid || effective_group != account.gid || saved_group != account.gid) return false;
  return account.uid == 0 || ::setuid(0) != 0;
}

// Root's own supplementary groups are not brought back: nothing that a server does with root's rights
// hangs on them.
AsUser::AsUser(const Account& account) {
  if (::geteuid() != 0 || account.uid == 0) return;
  switched_ = true;
  good_ = ::setgroups(1, &account.gid) == 0 && ::setegid(account.gid) == 0 && ::seteuid(account.uid) == 0;
}

AsUser::~AsUser() {
  if (!switched_) return;
  if (::seteuid(0) == 0 && ::setegid(0) == 0) return;
  log_warning("cannot return from a user's rights: ending");
  ::_exit(1);
}

}  // namespace sshape::posix

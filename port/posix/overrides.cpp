#include "port/posix/overrides.hpp"

#include <stdlib.h>

#include <span>

#include "core/crypto/secret.hpp"

namespace sshape::posix {

namespace {

template <std::size_t N>
bool take(const char* name, Text<N>& into) {
  char* const value = ::getenv(name);
  if (value == nullptr) return false;
  into.clear();
  into.add(value);
  crypto::wipe(std::as_writable_bytes(std::span(value, std::strlen(value))));
  ::unsetenv(name);
  return !into.cut();
}

}  // namespace

void take_overrides(Overrides& into) {
  into.has_home = take("DROPBEAR_OVERRIDE_HOME", into.home);
  into.has_shell = take("DROPBEAR_OVERRIDE_SHELL", into.shell);
  into.has_password = take("DROPBEAR_OVERRIDE_PASSWORD", into.password_hash);
}

}  // namespace sshape::posix

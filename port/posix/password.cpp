#include "port/posix/password.hpp"

#include <unistd.h>
#if __has_include(<crypt.h>)
#include <crypt.h>
#endif

#include "core/crypto/secret.hpp"
#include "port/posix/text.hpp"
#include "profiles/active.hpp"

namespace sshape::posix {

namespace {

using Password = Text<active::profile.password>;

}  // namespace

bool password_matches(std::string_view password, std::string_view hash, std::string_view stand_in) {
  // Locked accounts have '!' or '*' in front of what may be a hash, or nothing else.
  const bool possible = hash.size() > 1 && hash.front() != '!' && hash.front() != '*';
  Password terminated(password);
  const bool usable = !terminated.cut() && password.find('\0') == std::string_view::npos;
  const Text<511> setting(possible ? hash : stand_in);
  const char* const result = ::crypt(terminated.c_str(), setting.c_str());
  const bool same = result != nullptr && crypto::same_secret(bytes_of(std::string_view(result)), bytes_of(hash));
  crypto::wipe(std::as_writable_bytes(std::span(terminated.data(), terminated.size())));
  return same && possible && usable && !setting.cut();
}

}  // namespace sshape::posix

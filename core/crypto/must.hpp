// For calls of wolfCrypt that fail only when this code is wrong, where going on would be worse than stopping.
#pragma once

namespace sshape::crypto {

// A hash that did not happen must never become a key or be signed.
inline void must_succeed(int wolfcrypt_result) {
  if (wolfcrypt_result != 0) __builtin_trap();
}

}  // namespace sshape::crypto

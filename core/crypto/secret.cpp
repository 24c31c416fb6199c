#include "core/crypto/secret.hpp"

namespace sshape::crypto {

void wipe(MutableBytes bytes) {
  if (bytes.empty()) return;
  std::memset(bytes.data(), 0, bytes.size());
  // The compiler must take the zeros for read.
  asm volatile("" : : "r"(bytes.data()) : "memory");
}

bool same_secret(Bytes a, Bytes b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    difference |= std::to_integer<unsigned>(a[i] ^ b[i]);
  asm volatile("" : "+r"(difference));
  return difference == 0;
}

}  // namespace sshape::crypto

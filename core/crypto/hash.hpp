// SHA-2 in pieces. The state lives in the object: no heap.
#pragma once

#include <wolfssl/wolfcrypt/settings.h>
#include <wolfssl/wolfcrypt/sha256.h>
#include <wolfssl/wolfcrypt/sha512.h>

#include <array>

#include "core/bytes.hpp"
#include "core/crypto/secret.hpp"

namespace sshape::crypto {

enum class HashAlgorithm : std::uint8_t { sha256, sha384, sha512 };

// Wiped at its end: keys are made of digests.
struct Digest {
  std::array<std::byte, 64> value{};
  std::size_t size = 0;
  Digest() = default;
  Digest(const Digest&) = default;
  Digest& operator=(const Digest&) = default;
  ~Digest() { wipe(value); }
  Bytes bytes() const { return Bytes(value).first(size); }
};

class Hash {
 public:
  explicit Hash(HashAlgorithm algorithm);
  Hash(const Hash&) = delete;
  Hash& operator=(const Hash&) = delete;
  ~Hash();  // wipes: an exchange hash's state has seen the shared secret

  Hash& update(Bytes bytes);
  Hash& string(Bytes value);     // with its uint32 length, as RFC 4251's string
  Hash& mpint(Bytes magnitude);  // as RFC 4251's mpint
  Digest finish();

 private:
  HashAlgorithm algorithm_;
  union {
    wc_Sha256 sha256_;
    wc_Sha512 sha512_;
  };
};

Digest hash(HashAlgorithm algorithm, Bytes bytes);

}  // namespace sshape::crypto

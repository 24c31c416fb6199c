// A private key that can sign. Used by whoever answers the signing questions, never by a session.
#pragma once

#include "core/bytes.hpp"
#include "core/crypto/random.hpp"
#include "core/crypto/secret.hpp"
#include "core/error.hpp"
#include "core/wire/writer.hpp"

namespace sshape::crypto {

enum class KeyType : std::uint8_t { none, ed25519 };

class PrivateKey {
 public:
  PrivateKey() = default;

  static Status generate(KeyType type, Random& random, PrivateKey& into);
  // From the 32-byte seed of RFC 8032. Computes the public half.
  static Status from_ed25519_seed(Bytes seed, PrivateKey& into);

  KeyType type() const { return type_; }
  std::string_view type_name() const;        // "ssh-ed25519"
  void public_blob(wire::Writer& out) const;  // raw, without a length of its own
  // The signature blob: string algorithm name, string signature. Deterministic.
  Status sign(std::string_view signature_algorithm, Bytes message, wire::Writer& out) const;

  Bytes ed25519_seed() const { return seed_.bytes(); }
  Bytes ed25519_public() const { return Bytes(public_); }

 private:
  KeyType type_ = KeyType::none;
  Secret<32> seed_;
  std::array<std::byte, 32> public_{};
};

}  // namespace sshape::crypto

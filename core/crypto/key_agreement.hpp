// The key agreements: curve25519-sha256 (RFC 8731) and mlkem768x25519-sha256
// (draft-ietf-sshm-mlkem-hybrid-kex).
#pragma once

#include "core/bytes.hpp"
#include "core/crypto/hash.hpp"
#include "core/crypto/random.hpp"
#include "core/crypto/secret.hpp"
#include "core/error.hpp"
#include "core/wire/writer.hpp"

namespace sshape::crypto {

enum class KexAlgorithm : std::uint8_t { curve25519_sha256, mlkem768x25519_sha256 };

HashAlgorithm hash_of(KexAlgorithm algorithm);

// K, and how it enters the exchange hash and the key derivation: an mpint for the elliptic curve
// exchanges, a string for the hybrid one.
struct SharedSecret {
  Secret<66> value;
  bool as_string = false;
  void add_to(Hash& hash) const;
};

// One exchange in one role. Every message has one length, and a fault names it. Ephemeral private keys are
// wiped as soon as the secret is known, whatever comes of it.
class KeyAgreement {
 public:
  // The largest messages, for sizing buffers.
  static constexpr std::size_t client_share_limit = 1184 + 32;
  static constexpr std::size_t server_share_limit = 1088 + 32;

  // Client: makes the ephemeral keys and appends our share (raw, no length) to `out`. Of ML-KEM's key only
  // the seed is kept: 64 bytes instead of 2,400.
  Status start_client(KexAlgorithm algorithm, Random& random, wire::Writer& out);
  // Client: the server's share arrived. Once for each start.
  Status finish_client(Bytes server_share, SharedSecret& secret);

  // Server: the client's share arrived; appends ours to `out`.
  static Status respond(KexAlgorithm algorithm, Bytes client_share, Random& random,
                        wire::Writer& out, SharedSecret& secret);
  void clear();

 private:
  Status agree(Bytes server_share, SharedSecret& secret) const;

  KexAlgorithm algorithm_ = KexAlgorithm::curve25519_sha256;
  Secret<32> x25519_;
  Secret<64> mlkem_seed_;  // d | z of FIPS 203: the decapsulation key is made again from them
};

}  // namespace sshape::crypto

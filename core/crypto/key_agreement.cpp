#include "core/crypto/key_agreement.hpp"

#include <wolfssl/wolfcrypt/curve25519.h>
#include <wolfssl/wolfcrypt/wc_mlkem.h>

#include "core/crypto/offers.hpp"

namespace sshape::crypto {

namespace {

constexpr auto failed = Disconnect::key_exchange_failed;
constexpr auto hybrid = KexAlgorithm::mlkem768x25519_sha256;
constexpr bool has_hybrid = offers_kex("mlkem768x25519-sha256");

constexpr std::size_t x25519_size = 32;
constexpr std::size_t mlkem_public_size = 1'184;
constexpr std::size_t mlkem_ciphertext_size = 1'088;
constexpr std::size_t mlkem_secret_size = 32;
constexpr std::size_t mlkem_key_seed = 64;            // d | z
constexpr std::size_t mlkem_encapsulation_seed = 32;  // m

// RFC 7748, 5: the scalar as curve25519 wants it.
void make_x25519(Random& random, Secret<32>& scalar) {
  random.fill(scalar.space());
  scalar.resize(x25519_size);
  const MutableBytes bytes = scalar.space();
  bytes[0] &= std::byte{248};
  bytes[31] &= std::byte{127};
  bytes[31] |= std::byte{64};
}

Status x25519_public(const Secret<32>& scalar, wire::Writer& out) {
  const MutableBytes space = out.reserve(x25519_size);
  if (space.empty() || wc_curve25519_make_pub(x25519_size, uchars(space), x25519_size,
                                              const_cast<byte*>(uchars(scalar.bytes()))) != 0)
    return fault("internal: x25519 key generation failed", failed);
  return {};
}

Status x25519_secret(const Secret<32>& scalar, Bytes theirs, MutableBytes secret) {
  std::array<std::byte, x25519_size> point;
  copy_bytes(point, theirs);
  point[31] &= std::byte{127};  // RFC 7748, 5: not part of the number; wolfCrypt would count it
  if (wc_curve25519_generic(x25519_size, uchars(secret), x25519_size,
                            const_cast<byte*>(uchars(scalar.bytes())), x25519_size,
                            uchars(MutableBytes(point))) != 0)
    return fault("curve25519: the peer's public key is unusable", failed);
  constexpr std::array<std::byte, x25519_size> zero{};
  if (same_secret(secret, zero))
    return fault("curve25519: the shared secret is all zero", failed);  // RFC 8731, 3
  return {};
}

// ML-KEM-768 (FIPS 203) with the key's memory wiped at the end.
class MlKem {
 public:
  MlKem() { usable_ = wc_MlKemKey_Init(&key_, WC_ML_KEM_768, nullptr, INVALID_DEVID) == 0; }
  ~MlKem() {
    wc_MlKemKey_Free(&key_);
    wipe(std::as_writable_bytes(std::span(&key_, 1)));
  }
  MlKem(const MlKem&) = delete;
  MlKem& operator=(const MlKem&) = delete;

  bool make(Bytes seed) {
    return usable_ && wc_MlKemKey_MakeKeyWithRandom(&key_, uchars(seed), static_cast<int>(seed.size())) == 0;
  }
  bool encode_public(MutableBytes into) {
    return wc_MlKemKey_EncodePublicKey(&key_, uchars(into), static_cast<word32>(into.size())) == 0;
  }
  // False for a key of another length, and for coefficients of 3,329 and above (FIPS 203, 7.2).
  bool decode_public(Bytes from) {
    return usable_ && wc_MlKemKey_DecodePublicKey(&key_, uchars(from), static_cast<word32>(from.size())) == 0;
  }
  bool encapsulate(Bytes seed, MutableBytes ciphertext, MutableBytes secret) {
    return wc_MlKemKey_EncapsulateWithRandom(&key_, uchars(ciphertext), uchars(secret), uchars(seed),
                                             static_cast<int>(seed.size())) == 0;
  }
  bool decapsulate(Bytes ciphertext, MutableBytes secret) {
    return wc_MlKemKey_Decapsulate(&key_, uchars(secret), uchars(ciphertext),
                                   static_cast<word32>(ciphertext.size())) == 0;
  }

 private:
  MlKemKey key_;
  bool usable_;
};

// The public key of a client.
Status mlkem_start(Random& random, Secret<mlkem_key_seed>& seed, wire::Writer& out) {
  random.fill(seed.space());
  seed.resize(mlkem_key_seed);
  const MutableBytes space = out.reserve(mlkem_public_size);
  MlKem key;
  if (space.empty() || !key.make(seed.bytes()) || !key.encode_public(space))
    return fault("internal: ML-KEM key generation failed", failed);
  return {};
}

// A wrong ciphertext gives a secret that nobody knows, not a failure (FIPS 203, 6.3).
Status mlkem_finish(const Secret<mlkem_key_seed>& seed, Bytes ciphertext, MutableBytes secret) {
  MlKem key;
  if (!key.make(seed.bytes()) || !key.decapsulate(ciphertext, secret))
    return fault("internal: ML-KEM decapsulation failed", failed);
  return {};
}

Status mlkem_respond(Bytes client_public, Random& random, wire::Writer& out, MutableBytes secret) {
  MlKem key;
  if (!key.decode_public(client_public))
    return fault("mlkem768x25519: the client's ML-KEM key has a coefficient above 3,328", failed);
  Secret<mlkem_encapsulation_seed> seed;
  random.fill(seed.space());
  seed.resize(mlkem_encapsulation_seed);
  const MutableBytes ciphertext = out.reserve(mlkem_ciphertext_size);
  if (ciphertext.empty() || !key.encapsulate(seed.bytes(), ciphertext, secret))
    return fault("internal: ML-KEM encapsulation failed", failed);
  return {};
}

// What both ends know at the end: of the hybrid exchange, K = SHA-256(ML-KEM's secret | x25519's).
void settle(bool with_mlkem, Bytes both, SharedSecret& secret) {
  secret.as_string = with_mlkem;
  if (with_mlkem) secret.value.assign(hash(HashAlgorithm::sha256, both).bytes());
  else secret.value.assign(both.last(x25519_size));
}

Status respond_with(KexAlgorithm algorithm, Bytes client_share, Random& random, wire::Writer& out,
                    SharedSecret& secret) {
  const bool with_mlkem = algorithm == hybrid;
  Secret<mlkem_secret_size + x25519_size> both;
  if (with_mlkem) {
    if constexpr (!has_hybrid) return fault("internal: ML-KEM is not in this build", failed);
    if (client_share.size() != mlkem_public_size + x25519_size)
      return fault("mlkem768x25519: the client's share is not 1,216 bytes long", failed);
    if constexpr (has_hybrid)
      if (Status status = mlkem_respond(client_share.first(mlkem_public_size), random, out,
                                        both.space().first(mlkem_secret_size));
          !status)
        return status;
  } else if (client_share.size() != x25519_size) {
    return fault("curve25519: the client's public key is not 32 bytes long", failed);
  }
  Secret<x25519_size> scalar;
  make_x25519(random, scalar);
  if (Status status = x25519_public(scalar, out); !status) return status;
  if (Status status = x25519_secret(scalar, client_share.last(x25519_size), both.space().last(x25519_size)); !status)
    return status;
  settle(with_mlkem, both.space(), secret);
  return {};
}

}  // namespace

HashAlgorithm hash_of(KexAlgorithm) { return HashAlgorithm::sha256; }

void SharedSecret::add_to(Hash& hash) const {
  if (as_string) hash.string(value.bytes());
  else hash.mpint(value.bytes());
}

Status KeyAgreement::start_client(KexAlgorithm algorithm, Random& random, wire::Writer& out) {
  clear();
  algorithm_ = algorithm;
  if (algorithm == hybrid) {
    if constexpr (!has_hybrid) return fault("internal: ML-KEM is not in this build", failed);
    if constexpr (has_hybrid)
      if (Status status = mlkem_start(random, mlkem_seed_, out); !status) return status;
  }
  make_x25519(random, x25519_);
  return x25519_public(x25519_, out);
}

Status KeyAgreement::finish_client(Bytes server_share, SharedSecret& secret) {
  const Status status = agree(server_share, secret);
  clear();
  if (!status) secret.value.clear();
  return status;
}

Status KeyAgreement::respond(KexAlgorithm algorithm, Bytes client_share, Random& random, wire::Writer& out,
                             SharedSecret& secret) {
  const Status status = respond_with(algorithm, client_share, random, out, secret);
  if (!status) secret.value.clear();
  return status;
}

Status KeyAgreement::agree(Bytes server_share, SharedSecret& secret) const {
  if (x25519_.size() != x25519_size) return fault("internal: key agreement finished without a start", failed);
  const bool with_mlkem = algorithm_ == hybrid;
  Secret<mlkem_secret_size + x25519_size> both;
  if (with_mlkem) {
    if (server_share.size() != mlkem_ciphertext_size + x25519_size)
      return fault("mlkem768x25519: the server's share is not 1,120 bytes long", failed);
    if constexpr (has_hybrid)
      if (Status status = mlkem_finish(mlkem_seed_, server_share.first(mlkem_ciphertext_size),
                                       both.space().first(mlkem_secret_size));
          !status)
        return status;
  } else if (server_share.size() != x25519_size) {
    return fault("curve25519: the server's public key is not 32 bytes long", failed);
  }
  if (Status status = x25519_secret(x25519_, server_share.last(x25519_size), both.space().last(x25519_size)); !status)
    return status;
  settle(with_mlkem, both.space(), secret);
  return {};
}

void KeyAgreement::clear() {
  x25519_.clear();
  mlkem_seed_.clear();
}

}  // namespace sshape::crypto

#include "core/crypto/key_agreement.hpp"

#include <wolfssl/wolfcrypt/curve25519.h>
#include <wolfssl/wolfcrypt/wc_mlkem.h>

#include "core/crypto/algorithms.hpp"

namespace sshape::crypto {

namespace {

constexpr auto failed = Disconnect::key_exchange_failed;
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
  if (wc_curve25519_generic(x25519_size, uchars(secret), x25519_size,
                            const_cast<byte*>(uchars(scalar.bytes())), x25519_size,
                            const_cast<byte*>(uchars(theirs))) != 0)
    return fault("curve25519: the peer's public key is unusable", failed);
  constexpr std::array<std::byte, x25519_size> zero{};
  if (same_secret(secret, zero))
    return fault("curve25519: the shared secret is all zero", failed);  // RFC 8731, 3
  return {};
}

// ML-KEM-768 with the key's memory wiped at the end.
class MlKem {
 public:
  MlKem() { usable_ = wc_MlKemKey_Init(&key_, WC_ML_KEM_768, nullptr, INVALID_DEVID) == 0; }
  ~MlKem() {
    wc_MlKemKey_Free(&key_);
    wipe(std::as_writable_bytes(std::span(&key_, 1)));
  }
  bool make(Bytes seed) {
    return usable_ && wc_MlKemKey_MakeKeyWithRandom(&key_, uchars(seed), static_cast<int>(seed.size())) == 0;
  }
  bool encode_public(MutableBytes into) {
    return wc_MlKemKey_EncodePublicKey(&key_, uchars(into), static_cast<word32>(into.size())) == 0;
  }
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

// FIPS 203, 7.2: every coefficient of an encapsulation key is below q = 3329.
bool canonical(Bytes mlkem_public) {
  constexpr unsigned q = 3'329;
  constexpr std::size_t coefficients = 1'152;  // bytes of them, before the 32 of rho
  for (std::size_t i = 0; i < coefficients; i += 3) {
    const auto a = std::to_integer<unsigned>(mlkem_public[i]);
    const auto b = std::to_integer<unsigned>(mlkem_public[i + 1]);
    const auto c = std::to_integer<unsigned>(mlkem_public[i + 2]);
    if ((a | (b & 15) << 8) >= q || (b >> 4 | c << 4) >= q) return false;
  }
  return true;
}

// K = SHA-256(secret of ML-KEM | secret of x25519), a string.
void combine(const Secret<64>& both, SharedSecret& secret) {
  const Digest digest = hash(HashAlgorithm::sha256, both.bytes());
  secret.value.assign(digest.bytes());
  secret.as_string = true;
}

}  // namespace

HashAlgorithm hash_of(KexAlgorithm) { return HashAlgorithm::sha256; }

void SharedSecret::add_to(Hash& hash) const {
  if (as_string) hash.string(value.bytes());
  else hash.mpint(value.bytes());
}

Status KeyAgreement::start_client(KexAlgorithm algorithm, Random& random, wire::Writer& out) {
  algorithm_ = algorithm;
  if (algorithm == KexAlgorithm::mlkem768x25519_sha256) {
    if constexpr (has_hybrid) {
      mlkem_seed_.resize(mlkem_key_seed);
      random.fill(mlkem_seed_.space());
      const MutableBytes space = out.reserve(mlkem_public_size);
      MlKem key;
      if (space.empty() || !key.make(mlkem_seed_.bytes()) || !key.encode_public(space))
        return fault("internal: ML-KEM key generation failed", failed);
    }
  }
  make_x25519(random, x25519_);
  return x25519_public(x25519_, out);
}

Status KeyAgreement::finish_client(Bytes server_share, SharedSecret& secret) {
  if (algorithm_ == KexAlgorithm::curve25519_sha256) {
    if (server_share.size() != x25519_size)
      return fault("curve25519: the server's public key is not 32 bytes long", failed);
    secret.as_string = false;
    secret.value.resize(x25519_size);
    return x25519_secret(x25519_, server_share, secret.value.space().first(x25519_size));
  }
  if constexpr (has_hybrid) {
    if (server_share.size() != mlkem_ciphertext_size + x25519_size)
      return fault("mlkem768x25519: the server's share is not 1,120 bytes long", failed);
    Secret<64> both;
    both.resize(64);
    MlKem key;
    if (!key.make(mlkem_seed_.bytes()) ||
        !key.decapsulate(server_share.first(mlkem_ciphertext_size), both.space().first(mlkem_secret_size)))
      return fault("mlkem768x25519: decapsulation failed", failed);
    if (Status status = x25519_secret(x25519_, server_share.last(x25519_size), both.space().last(x25519_size));
        !status)
      return status;
    combine(both, secret);
    return {};
  }
  return fault("internal: no such key agreement in this build", failed);
}

Status KeyAgreement::respond(KexAlgorithm algorithm, Bytes client_share, Random& random, wire::Writer& out,
                             SharedSecret& secret) {
  Secret<32> scalar;
  if (algorithm == KexAlgorithm::curve25519_sha256) {
    if (client_share.size() != x25519_size)
      return fault("curve25519: the client's public key is not 32 bytes long", failed);
    make_x25519(random, scalar);
    if (Status status = x25519_public(scalar, out); !status) return status;
    secret.as_string = false;
    secret.value.resize(x25519_size);
    return x25519_secret(scalar, client_share, secret.value.space().first(x25519_size));
  }
  if constexpr (has_hybrid) {
    if (client_share.size() != mlkem_public_size + x25519_size)
      return fault("mlkem768x25519: the client's share is not 1,216 bytes long", failed);
    const Bytes mlkem_public = client_share.first(mlkem_public_size);
    if (!canonical(mlkem_public))
      return fault("mlkem768x25519: the client's encapsulation key is not in reduced form", failed);
    Secret<64> both;
    both.resize(64);
    Secret<mlkem_encapsulation_seed> seed;
    seed.resize(mlkem_encapsulation_seed);
    random.fill(seed.space());
    const MutableBytes ciphertext = out.reserve(mlkem_ciphertext_size);
    MlKem key;
    if (ciphertext.empty() || !key.decode_public(mlkem_public) ||
        !key.encapsulate(seed.bytes(), ciphertext, both.space().first(mlkem_secret_size)))
      return fault("mlkem768x25519: encapsulation failed", failed);
    make_x25519(random, scalar);
    if (Status status = x25519_public(scalar, out); !status) return status;
    if (Status status = x25519_secret(scalar, client_share.last(x25519_size), both.space().last(x25519_size));
        !status)
      return status;
    combine(both, secret);
    return {};
  }
  return fault("internal: no such key agreement in this build", failed);
}

void KeyAgreement::clear() {
  x25519_.clear();
  mlkem_seed_.clear();
}

}  // namespace sshape::crypto

#include "core/crypto/private_key.hpp"

#include <wolfssl/wolfcrypt/ed25519.h>

namespace sshape::crypto {

namespace {

constexpr std::string_view ed25519_name = "ssh-ed25519";

class Ed25519 {
 public:
  Ed25519() { usable_ = wc_ed25519_init(&key_) == 0; }
  ~Ed25519() {
    wc_ed25519_free(&key_);
    wipe(std::as_writable_bytes(std::span(&key_, 1)));
  }
  ed25519_key* get() { return &key_; }
  explicit operator bool() const { return usable_; }

 private:
  ed25519_key key_;
  bool usable_;
};

}  // namespace

Status PrivateKey::generate(KeyType type, Random& random, PrivateKey& into) {
  if (type != KeyType::ed25519) return fault("key type not in this build: ed25519 is");
  Secret<32> seed;
  seed.resize(32);
  random.fill(seed.space());
  return from_ed25519_seed(seed.bytes(), into);
}

Status PrivateKey::from_ed25519_seed(Bytes seed, PrivateKey& into) {
  into.type_ = KeyType::none;
  if (seed.size() != 32) return fault("an ed25519 seed is 32 bytes long");
  Ed25519 key;
  if (!key || wc_ed25519_import_private_only(uchars(seed), 32, key.get()) != 0 ||
      wc_ed25519_make_public(key.get(), uchars(MutableBytes(into.public_)), 32) != 0)
    return fault("internal: ed25519 key generation failed");
  into.seed_.assign(seed);
  into.type_ = KeyType::ed25519;
  return {};
}

std::string_view PrivateKey::type_name() const {
  return type_ == KeyType::ed25519 ? ed25519_name : std::string_view{};
}

void PrivateKey::public_blob(wire::Writer& out) const { out.string(type_name()).string(Bytes(public_)); }

Status PrivateKey::sign(std::string_view signature_algorithm, Bytes message, wire::Writer& out) const {
  if (type_ != KeyType::ed25519 || signature_algorithm != ed25519_name)
    return fault("this key cannot sign with that algorithm");
  Ed25519 key;
  std::array<std::byte, 64> signature;
  word32 size = 64;
  // The public half was computed from the seed: checking that again would double the work.
  constexpr int trusted = 1;
  if (!key ||
      wc_ed25519_import_private_key_ex(uchars(seed_.bytes()), 32, uchars(Bytes(public_)), 32, key.get(), trusted) != 0 ||
      wc_ed25519_sign_msg(uchars(message), static_cast<word32>(message.size()),
                          uchars(MutableBytes(signature)), &size, key.get()) != 0)
    return fault("internal: ed25519 signing failed");
  out.string(ed25519_name).string(Bytes(signature));
  if (!out.ok()) return fault("the signature is larger than the space for it");
  return {};
}

}  // namespace sshape::crypto

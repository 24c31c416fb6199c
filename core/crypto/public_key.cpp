#include "core/crypto/public_key.hpp"

#include <wolfssl/wolfcrypt/ed25519.h>

#include "core/crypto/base64.hpp"
#include "core/crypto/hash.hpp"
#include "core/wire/reader.hpp"
#include "core/wire/writer.hpp"

namespace sshape::crypto {

namespace {

constexpr std::string_view ed25519_name = "ssh-ed25519";

Status verify_ed25519(Bytes public_key, Bytes message, Bytes signature) {
  if (public_key.size() != 32) return fault("ssh-ed25519: the public key is not 32 bytes long");
  if (signature.size() != 64) return fault("ssh-ed25519: the signature is not 64 bytes long");
  ed25519_key key;
  if (wc_ed25519_init(&key) != 0) return fault("internal: ed25519 is not available");
  int good = 0;
  const bool done =
      wc_ed25519_import_public(uchars(public_key), 32, &key) == 0 &&
      wc_ed25519_verify_msg(uchars(signature), 64, uchars(message), static_cast<word32>(message.size()),
                            &good, &key) == 0;
  wc_ed25519_free(&key);
  if (!done || good != 1) return fault("the signature is wrong");
  return {};
}

}  // namespace

std::string_view key_type(Bytes key_blob) {
  wire::Reader reader(key_blob);
  const std::string_view type = reader.text();
  return reader.ok() ? type : std::string_view{};
}

std::string_view key_type_of_algorithm(std::string_view signature_algorithm) {
  return signature_algorithm == ed25519_name ? ed25519_name : std::string_view{};
}

Status verify(std::string_view signature_algorithm, Bytes key_blob, Bytes message, Bytes signature_blob) {
  const std::string_view expected = key_type_of_algorithm(signature_algorithm);
  if (expected.empty()) return fault("signature algorithm not in this build");

  wire::Reader key(key_blob);
  if (key.text() != expected || !key.ok())
    return fault("the key's type is not that of the signature algorithm agreed on");
  const Bytes public_key = key.string();
  if (!key.at_end()) return fault("malformed public key");

  wire::Reader signature(signature_blob);
  if (signature.text() != signature_algorithm || !signature.ok())
    return fault("the signature's algorithm is not the one agreed on");
  const Bytes value = signature.string();
  if (!signature.at_end()) return fault("malformed signature");
  return verify_ed25519(public_key, message, value);
}

Fingerprint fingerprint(Bytes key_blob) {
  const Digest digest = hash(HashAlgorithm::sha256, key_blob);
  Fingerprint text;
  wire::Writer out(std::as_writable_bytes(std::span(text.characters)));
  out.raw(bytes_of("SHA256:"));
  base64_encode(digest.bytes(), out);
  text.characters[out.size() - 1] = '\0';  // the padding, one character for 32 bytes
  return text;
}

}  // namespace sshape::crypto

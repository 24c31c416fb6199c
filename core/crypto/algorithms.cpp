#include "core/crypto/algorithms.hpp"

namespace sshape::crypto {

std::optional<KexAlgorithm> kex_algorithm(std::string_view name) {
  if (offers_kex("mlkem768x25519-sha256") && name == "mlkem768x25519-sha256")
    return KexAlgorithm::mlkem768x25519_sha256;
  if (name == "curve25519-sha256" || name == "curve25519-sha256@libssh.org")
    return KexAlgorithm::curve25519_sha256;
  return std::nullopt;
}

std::optional<CipherAlgorithm> cipher_algorithm(std::string_view name) {
  if (name == "chacha20-poly1305@openssh.com") return CipherAlgorithm::chacha20_poly1305;
  if (name == "aes128-gcm@openssh.com") return CipherAlgorithm::aes128_gcm;
  if (name == "aes256-gcm@openssh.com") return CipherAlgorithm::aes256_gcm;
  return std::nullopt;
}

}  // namespace sshape::crypto

#include "core/crypto/algorithms.hpp"

namespace sshape::crypto {

std::optional<KexAlgorithm> kex_algorithm(std::string_view name) {
  if (!offers_kex(name)) return std::nullopt;
  if (name == "mlkem768x25519-sha256") return KexAlgorithm::mlkem768x25519_sha256;
  if (name == "curve25519-sha256" || name == "curve25519-sha256@libssh.org")
    return KexAlgorithm::curve25519_sha256;
  return std::nullopt;
}

std::optional<CipherAlgorithm> cipher_algorithm(std::string_view name) {
  if (!offers_cipher(name)) return std::nullopt;
  if (name == "chacha20-poly1305@openssh.com") return CipherAlgorithm::chacha20_poly1305;
  if (name == "aes128-gcm@openssh.com") return CipherAlgorithm::aes128_gcm;
  if (name == "aes256-gcm@openssh.com") return CipherAlgorithm::aes256_gcm;
  if (name == "aes128-ctr") return CipherAlgorithm::aes128_ctr;
  if (name == "aes256-ctr") return CipherAlgorithm::aes256_ctr;
  return std::nullopt;
}

std::optional<MacAlgorithm> mac_algorithm(std::string_view name) {
  if (!offers_mac(name)) return std::nullopt;
  if (name == "hmac-sha2-256") return MacAlgorithm::hmac_sha2_256;
  if (name == "hmac-sha2-256-etm@openssh.com") return MacAlgorithm::hmac_sha2_256_etm;
  return std::nullopt;
}

}  // namespace sshape::crypto

#include "core/crypto/packet_cipher.hpp"

#include "core/crypto/packet_layout.hpp"
#include "core/crypto/secret.hpp"
#include "core/wire/writer.hpp"

namespace sshape::crypto {

CipherShape shape_of(CipherAlgorithm algorithm, MacAlgorithm mac) {
  const bool etm = mac == MacAlgorithm::hmac_sha2_256_etm;
  constexpr std::uint64_t gigabyte = std::uint64_t{1} << 30;
  constexpr std::uint64_t packets = std::uint64_t{1} << 31;
  switch (algorithm) {
    case CipherAlgorithm::none: return {0, 0, 8, 0, false, ~std::uint64_t{0}, packets};
    case CipherAlgorithm::chacha20_poly1305: return {64, 0, 8, aead_tag_size, true, gigabyte, packets};
    case CipherAlgorithm::aes128_gcm: return {16, 12, 16, aead_tag_size, true, 64 * gigabyte, packets};
    case CipherAlgorithm::aes256_gcm: return {32, 12, 16, aead_tag_size, true, 64 * gigabyte, packets};
    case CipherAlgorithm::aes128_ctr:
      return {16, 16, 16, AesCtr::tag_size, etm, 64 * gigabyte, packets, AesCtr::mac_key_size};
    case CipherAlgorithm::aes256_ctr:
      return {32, 16, 16, AesCtr::tag_size, etm, 64 * gigabyte, packets, AesCtr::mac_key_size};
  }
  return {};
}

void PacketCipher::start(CipherAlgorithm algorithm, Bytes key, Bytes iv, MacAlgorithm mac, Bytes mac_key) {
  algorithm_ = algorithm;
  shape_ = shape_of(algorithm, mac);
  if (key.size() != shape_.key || iv.size() != shape_.iv) {
    cipher_.emplace<Broken>();
    return;
  }
  switch (algorithm) {
    case CipherAlgorithm::none: cipher_.emplace<Clear>(); return;
    case CipherAlgorithm::chacha20_poly1305: start_as<OfferedChaChaPoly>(key, iv); return;
    case CipherAlgorithm::aes128_gcm:
    case CipherAlgorithm::aes256_gcm: start_as<OfferedAesGcm>(key, iv); return;
    case CipherAlgorithm::aes128_ctr:
    case CipherAlgorithm::aes256_ctr: start_as<OfferedAesCtr>(key, iv, mac, mac_key); return;
  }
}

void PacketCipher::seal(std::uint32_t sequence, MutableBytes packet) {
  if (!std::visit([&](auto& cipher) { return cipher.seal(sequence, packet); }, cipher_)) wipe(packet);
}

std::uint32_t PacketCipher::length(std::uint32_t sequence, std::span<const std::byte, 4> first) {
  return std::visit([&](auto& cipher) { return cipher.length(sequence, first); }, cipher_);
}

bool PacketCipher::open(std::uint32_t sequence, MutableBytes packet) {
  return std::visit([&](auto& cipher) { return cipher.open(sequence, packet); }, cipher_);
}

std::uint32_t PacketCipher::Clear::length(std::uint32_t, std::span<const std::byte, 4> first) {
  return wire::load_uint32(first.data());
}

template <class Cipher, class... Keys>
void PacketCipher::start_as(Keys... keys) {
  if (!cipher_.template emplace<Cipher>().start(keys...)) cipher_.template emplace<Broken>();
}

}  // namespace sshape::crypto

#include "core/crypto/aes_gcm.hpp"

#include "core/crypto/packet_layout.hpp"
#include "core/crypto/secret.hpp"
#include "core/wire/writer.hpp"

namespace sshape::crypto {

AesGcm::~AesGcm() {
  wc_AesFree(&aes_);
  wipe(std::as_writable_bytes(std::span(this, 1)));
}

bool AesGcm::start(Bytes key, Bytes iv) {
  if (iv.size() != iv_.size() || wc_AesInit(&aes_, nullptr, INVALID_DEVID) != 0) return false;
  copy_bytes(iv_, iv);
  return wc_AesGcmSetKey(&aes_, uchars(key), static_cast<word32>(key.size())) == 0;
}

bool AesGcm::seal(std::uint32_t, MutableBytes packet) {
  if (!holds_aead_packet(packet)) return false;
  const MutableBytes body = packet.subspan(length_size, packet.size() - length_size - aead_tag_size);
  const int result = wc_AesGcmEncrypt(&aes_, uchars(body), uchars(Bytes(body)), static_cast<word32>(body.size()),
                                      uchars(Bytes(iv_)), static_cast<word32>(iv_.size()),
                                      uchars(packet.last(aead_tag_size)), aead_tag_size,
                                      uchars(Bytes(packet.first(length_size))), length_size);
  next_invocation();
  return result == 0;
}

std::uint32_t AesGcm::length(std::uint32_t, std::span<const std::byte, 4> first) {
  return wire::load_uint32(first.data());
}

bool AesGcm::open(std::uint32_t, MutableBytes packet) {
  if (!holds_aead_packet(packet)) return false;
  const MutableBytes body = packet.subspan(length_size, packet.size() - length_size - aead_tag_size);
  const int result = wc_AesGcmDecrypt(&aes_, uchars(body), uchars(Bytes(body)), static_cast<word32>(body.size()),
                                      uchars(Bytes(iv_)), static_cast<word32>(iv_.size()),
                                      uchars(Bytes(packet.last(aead_tag_size))), aead_tag_size,
                                      uchars(Bytes(packet.first(length_size))), length_size);
  next_invocation();
  if (result == 0) return true;
  wipe(body);  // wolfCrypt deciphers while it computes the tag
  return false;
}

void AesGcm::next_invocation() {
  for (std::size_t i = iv_.size(); i-- > 4;) {
    iv_[i] = static_cast<std::byte>(std::to_integer<unsigned>(iv_[i]) + 1);
    if (iv_[i] != std::byte{0}) return;
  }
}

}  // namespace sshape::crypto

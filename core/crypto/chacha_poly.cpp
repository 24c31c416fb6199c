#include "core/crypto/chacha_poly.hpp"

#include <array>

#include "core/crypto/packet_layout.hpp"
#include "core/crypto/secret.hpp"
#include "core/wire/writer.hpp"

namespace sshape::crypto {

namespace {

// The original ChaCha20 has a 64-bit block counter and a 64-bit nonce; wolfCrypt has RFC 8439's, 32 and
// 96 bits, so the counter's upper half is the first word of the nonce.
bool crypt(ChaCha& cipher, std::uint32_t sequence, word32 block, MutableBytes bytes) {
  std::array<std::byte, 12> nonce{};
  wire::store_uint64(nonce.data() + 4, sequence);
  return wc_Chacha_SetIV(&cipher, uchars(Bytes(nonce)), block) == 0 &&
         wc_Chacha_Process(&cipher, uchars(bytes), uchars(Bytes(bytes)), static_cast<word32>(bytes.size())) == 0;
}

}  // namespace

ChaChaPoly::~ChaChaPoly() { wipe(std::as_writable_bytes(std::span(this, 1))); }

bool ChaChaPoly::start(Bytes key, Bytes) {
  return key.size() == 64 && wc_Chacha_SetKey(&payload_, uchars(key.first(32)), 32) == 0 &&
         wc_Chacha_SetKey(&length_, uchars(key.last(32)), 32) == 0;
}

bool ChaChaPoly::seal(std::uint32_t sequence, MutableBytes packet) {
  if (!holds_aead_packet(packet)) return false;
  const MutableBytes sealed = packet.first(packet.size() - aead_tag_size);
  return crypt(length_, sequence, 0, sealed.first(length_size)) &&
         crypt(payload_, sequence, 1, sealed.subspan(length_size)) &&
         tag(sequence, sealed, packet.last<aead_tag_size>());
}

std::uint32_t ChaChaPoly::length(std::uint32_t sequence, std::span<const std::byte, 4> first) {
  std::array<std::byte, length_size> clear;
  copy_bytes(clear, first);
  return crypt(length_, sequence, 0, clear) ? wire::load_uint32(clear.data()) : 0;
}

bool ChaChaPoly::open(std::uint32_t sequence, MutableBytes packet) {
  if (!holds_aead_packet(packet)) return false;
  const MutableBytes sealed = packet.first(packet.size() - aead_tag_size);
  std::array<std::byte, aead_tag_size> expected;
  return tag(sequence, sealed, expected) && same_secret(expected, packet.last(aead_tag_size)) &&
         crypt(payload_, sequence, 1, sealed.subspan(length_size));
}

// The packet's Poly1305 key is the first half of block 0; the payload begins with block 1.
bool ChaChaPoly::tag(std::uint32_t sequence, Bytes sealed, std::span<std::byte, 16> into) {
  std::array<std::byte, 32> key{};
  const bool done = crypt(payload_, sequence, 0, key) &&
                    wc_Poly1305SetKey(&mac_, uchars(Bytes(key)), static_cast<word32>(key.size())) == 0 &&
                    wc_Poly1305Update(&mac_, uchars(sealed), static_cast<word32>(sealed.size())) == 0 &&
                    wc_Poly1305Final(&mac_, uchars(MutableBytes(into))) == 0;
  wipe(key);
  return done;
}

}  // namespace sshape::crypto

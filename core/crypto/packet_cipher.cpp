#include "core/crypto/packet_cipher.hpp"

#include <new>

#include "core/crypto/secret.hpp"
#include "core/wire/writer.hpp"

namespace sshape::crypto {

namespace {

constexpr std::size_t length_size = 4;
constexpr std::size_t tag_size = 16;
constexpr std::uint64_t gigabyte = std::uint64_t{1} << 30;
constexpr std::uint64_t packet_limit = std::uint64_t{1} << 31;

// The state has a 64-bit block counter and a 64-bit nonce; wolfCrypt's is 32 and 96, so the upper
// half of the counter is the first word of the nonce (PROTOCOL.chacha20poly1305).
void set_nonce(ChaCha& cipher, std::uint32_t sequence, word32 block) {
  std::array<std::byte, 12> nonce{};
  wire::store_uint64(nonce.data() + 4, sequence);
  (void)wc_Chacha_SetIV(&cipher, uchars(Bytes(nonce)), block);
}

// The packet's Poly1305 key is the first half of block 0; the payload begins with block 1.
void packet_tag(ChaCha& cipher, Poly1305& mac, std::uint32_t sequence, Bytes authenticated,
                std::span<std::byte, tag_size> tag) {
  std::array<std::byte, 32> key{};
  set_nonce(cipher, sequence, 0);
  (void)wc_Chacha_Process(&cipher, uchars(MutableBytes(key)), uchars(Bytes(key)), static_cast<word32>(key.size()));
  (void)wc_Poly1305SetKey(&mac, uchars(Bytes(key)), static_cast<word32>(key.size()));
  wipe(key);
  (void)wc_Poly1305Update(&mac, uchars(authenticated), static_cast<word32>(authenticated.size()));
  (void)wc_Poly1305Final(&mac, uchars(MutableBytes(tag)));
}

void crypt(ChaCha& cipher, std::uint32_t sequence, word32 block, MutableBytes bytes) {
  set_nonce(cipher, sequence, block);
  (void)wc_Chacha_Process(&cipher, uchars(bytes), uchars(Bytes(bytes)), static_cast<word32>(bytes.size()));
}

// RFC 5647, 7.1: the eight last bytes of the IV count invocations.
void next_invocation(std::array<std::byte, 12>& iv) {
  for (std::size_t i = 12; i-- > 4;) {
    iv[i] = static_cast<std::byte>(std::to_integer<unsigned>(iv[i]) + 1);
    if (iv[i] != std::byte{0}) return;
  }
}

}  // namespace

CipherShape shape_of(CipherAlgorithm algorithm) {
  switch (algorithm) {
    case CipherAlgorithm::none: return {0, 0, 8, 0, false, ~std::uint64_t{0}, packet_limit};
    case CipherAlgorithm::chacha20_poly1305: return {64, 0, 8, tag_size, true, gigabyte, packet_limit};
    case CipherAlgorithm::aes128_gcm: return {16, 12, 16, tag_size, true, 64 * gigabyte, packet_limit};
    case CipherAlgorithm::aes256_gcm: return {32, 12, 16, tag_size, true, 64 * gigabyte, packet_limit};
  }
  return {};
}

PacketCipher::~PacketCipher() { clear(); }

void PacketCipher::start(CipherAlgorithm algorithm, Bytes key, Bytes iv) {
  clear();
  algorithm_ = algorithm;
  shape_ = shape_of(algorithm);
  switch (algorithm) {
    case CipherAlgorithm::none: return;
    case CipherAlgorithm::chacha20_poly1305:
      ::new (&chacha_) ChaChaPoly{};
      (void)wc_Chacha_SetKey(&chacha_.payload, uchars(key.first(32)), 32);
      (void)wc_Chacha_SetKey(&chacha_.length, uchars(key.subspan(32, 32)), 32);
      return;
    case CipherAlgorithm::aes128_gcm:
    case CipherAlgorithm::aes256_gcm:
      ::new (&gcm_) Gcm{};
      (void)wc_AesInit(&gcm_.aes, nullptr, INVALID_DEVID);
      (void)wc_AesGcmSetKey(&gcm_.aes, uchars(key), static_cast<word32>(key.size()));
      copy_bytes(gcm_.iv, iv.first(12));
      return;
  }
}

void PacketCipher::seal(std::uint32_t sequence, MutableBytes packet) {
  switch (algorithm_) {
    case CipherAlgorithm::none: return;
    case CipherAlgorithm::chacha20_poly1305: {
      const MutableBytes sealed = packet.first(packet.size() - tag_size);
      crypt(chacha_.length, sequence, 0, packet.first(length_size));
      crypt(chacha_.payload, sequence, 1, sealed.subspan(length_size));
      packet_tag(chacha_.payload, chacha_.mac, sequence, sealed, packet.last<tag_size>());
      return;
    }
    case CipherAlgorithm::aes128_gcm:
    case CipherAlgorithm::aes256_gcm: {
      const MutableBytes body = packet.subspan(length_size, packet.size() - length_size - tag_size);
      (void)wc_AesGcmEncrypt(&gcm_.aes, uchars(body), uchars(Bytes(body)), static_cast<word32>(body.size()),
                             uchars(Bytes(gcm_.iv)), 12, uchars(packet.last(tag_size)), tag_size,
                             uchars(Bytes(packet.first(length_size))), length_size);
      next_invocation(gcm_.iv);
      return;
    }
  }
}

std::uint32_t PacketCipher::length(std::uint32_t sequence, std::span<const std::byte, 4> first) {
  if (algorithm_ != CipherAlgorithm::chacha20_poly1305) return wire::load_uint32(first.data());
  std::array<std::byte, length_size> copy;
  copy_bytes(copy, first);
  crypt(chacha_.length, sequence, 0, copy);
  return wire::load_uint32(copy.data());
}

bool PacketCipher::open(std::uint32_t sequence, MutableBytes packet) {
  switch (algorithm_) {
    case CipherAlgorithm::none: return true;
    case CipherAlgorithm::chacha20_poly1305: {
      const MutableBytes sealed = packet.first(packet.size() - tag_size);
      std::array<std::byte, tag_size> expected;
      packet_tag(chacha_.payload, chacha_.mac, sequence, sealed, expected);
      if (!same_secret(expected, packet.last(tag_size))) return false;
      crypt(chacha_.payload, sequence, 1, sealed.subspan(length_size));
      return true;
    }
    case CipherAlgorithm::aes128_gcm:
    case CipherAlgorithm::aes256_gcm: {
      const MutableBytes body = packet.subspan(length_size, packet.size() - length_size - tag_size);
      const int result = wc_AesGcmDecrypt(
          &gcm_.aes, uchars(body), uchars(Bytes(body)), static_cast<word32>(body.size()),
          uchars(Bytes(gcm_.iv)), 12, uchars(Bytes(packet.last(tag_size))), tag_size,
          uchars(Bytes(packet.first(length_size))), length_size);
      next_invocation(gcm_.iv);
      return result == 0;
    }
  }
  return false;
}

void PacketCipher::clear() {
  switch (algorithm_) {
    case CipherAlgorithm::none: return;
    case CipherAlgorithm::chacha20_poly1305:
      wipe(std::as_writable_bytes(std::span(&chacha_, 1)));
      break;
    case CipherAlgorithm::aes128_gcm:
    case CipherAlgorithm::aes256_gcm:
      wc_AesFree(&gcm_.aes);
      wipe(std::as_writable_bytes(std::span(&gcm_, 1)));
      break;
  }
  algorithm_ = CipherAlgorithm::none;
}

}  // namespace sshape::crypto

#include "core/crypto/aes_ctr.hpp"

#include <algorithm>
#include <array>

#include "core/crypto/must.hpp"
#include "core/crypto/packet_layout.hpp"
#include "core/crypto/secret.hpp"
#include "core/wire/writer.hpp"

namespace sshape::crypto {

namespace {

constexpr std::size_t block_size = 16;
constexpr std::size_t piece = 1'024;  // of keystream at a time: measured, larger is not faster

// bytes ^= stream, a word at a time: the compiler does not find that by itself.
void exclusive_or(MutableBytes bytes, Bytes stream) {
  std::size_t at = 0;
  for (; at + sizeof(std::uint64_t) <= bytes.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t a, b;
    std::memcpy(&a, bytes.data() + at, sizeof a);
    std::memcpy(&b, stream.data() + at, sizeof b);
    a ^= b;
    std::memcpy(bytes.data() + at, &a, sizeof a);
  }
  for (; at < bytes.size(); ++at) bytes[at] ^= stream[at];
}

}  // namespace

AesCtr::~AesCtr() {
  wc_AesFree(&aes_);
  wc_HmacFree(&hmac_);
  wipe(std::as_writable_bytes(std::span(this, 1)));
}

bool AesCtr::start(Bytes key, Bytes iv, MacAlgorithm mac, Bytes mac_key) {
  if (wc_AesInit(&aes_, nullptr, INVALID_DEVID) != 0 || wc_HmacInit(&hmac_, nullptr, INVALID_DEVID) != 0) return false;
  if (iv.size() != block_size || mac == MacAlgorithm::none || mac_key.size() != mac_key_size) return false;
  etm_ = mac == MacAlgorithm::hmac_sha2_256_etm;
  high_ = wire::load_uint64(iv.data());
  low_ = wire::load_uint64(iv.data() + 8);
  return wc_AesSetKeyDirect(&aes_, uchars(key), static_cast<word32>(key.size()), uchars(iv), AES_ENCRYPTION) == 0 &&
         wc_HmacSetKey(&hmac_, WC_SHA256, uchars(mac_key), static_cast<word32>(mac_key.size())) == 0;
}

bool AesCtr::seal(std::uint32_t sequence, MutableBytes packet) {
  if (packet.size() < length_size + tag_size) return false;
  const MutableBytes body = packet.first(packet.size() - tag_size);
  if (etm_) {
    crypt(body.subspan(length_size));
    return mac(sequence, body, packet.last<tag_size>());
  }
  if (!mac(sequence, body, packet.last<tag_size>())) return false;
  crypt(body);
  return true;
}

std::uint32_t AesCtr::length(std::uint32_t, std::span<const std::byte, 4> first) {
  if (etm_) return wire::load_uint32(first.data());
  const std::uint64_t high = high_, low = low_;
  std::array<std::byte, block_size> stream;
  keystream(stream);
  high_ = high;
  low_ = low;
  return wire::load_uint32(first.data()) ^ wire::load_uint32(stream.data());
}

bool AesCtr::open(std::uint32_t sequence, MutableBytes packet) {
  if (packet.size() < length_size + tag_size) return false;
  const MutableBytes body = packet.first(packet.size() - tag_size);
  if (!etm_) crypt(body);
  std::array<std::byte, tag_size> expected;
  const bool right = mac(sequence, body, expected) && same_secret(expected, packet.last<tag_size>());
  if (!right) {
    wipe(body);
    return false;
  }
  if (etm_) crypt(body.subspan(length_size));
  return true;
}

void AesCtr::keystream(MutableBytes blocks) {
  for (std::size_t at = 0; at < blocks.size(); at += block_size) {
    wire::store_uint64(blocks.data() + at, high_);
    wire::store_uint64(blocks.data() + at + 8, low_);
    if (++low_ == 0) ++high_;
  }
  must_succeed(wc_AesEcbEncrypt(&aes_, uchars(blocks), uchars(Bytes(blocks)), static_cast<word32>(blocks.size())));
}

void AesCtr::crypt(MutableBytes bytes) {
  alignas(64) std::array<std::byte, piece> stream;
  while (!bytes.empty()) {
    const std::size_t n = std::min(bytes.size(), piece);
    keystream(MutableBytes(stream).first((n + block_size - 1) / block_size * block_size));
    exclusive_or(bytes.first(n), stream);
    bytes = bytes.subspan(n);
  }
  wipe(stream);
}

bool AesCtr::mac(std::uint32_t sequence, Bytes packet, std::span<std::byte, tag_size> tag) {
  std::array<std::byte, 4> number;
  wire::store_uint32(number.data(), sequence);
  return wc_HmacUpdate(&hmac_, uchars(Bytes(number)), 4) == 0 &&
         wc_HmacUpdate(&hmac_, uchars(packet), static_cast<word32>(packet.size())) == 0 &&
         wc_HmacFinal(&hmac_, uchars(MutableBytes(tag))) == 0;
}

}  // namespace sshape::crypto

// One face for everything that protects a packet. A packet in memory is
//   uint32 packet_length | byte padding_length | payload | padding | tag
// and is sealed and opened where it lies (RFC 4253, 6).
#pragma once

#include <type_traits>
#include <variant>

#include "core/bytes.hpp"
#include "core/crypto/aes_ctr.hpp"
#include "core/crypto/aes_gcm.hpp"
#include "core/crypto/chacha_poly.hpp"
#include "core/crypto/offers.hpp"

namespace sshape::crypto {

enum class CipherAlgorithm : std::uint8_t { none, chacha20_poly1305, aes128_gcm, aes256_gcm, aes128_ctr, aes256_ctr };

// Whether a MAC has to be agreed on beside the cipher.
constexpr bool needs_mac(CipherAlgorithm algorithm) {
  return algorithm == CipherAlgorithm::aes128_ctr || algorithm == CipherAlgorithm::aes256_ctr;
}

// What the key schedule must produce for an algorithm (RFC 4253, 7.2), and how packets are padded.
struct CipherShape {
  std::size_t key;            // bytes
  std::size_t iv;             // bytes
  std::size_t block;          // padding makes a multiple of this, at least 8
  std::size_t tag;            // bytes after the padding
  bool length_outside;        // packet_length does not count towards the padded multiple (AEAD, -etm)
  std::uint64_t rekey_bytes;    // RFC 4344, 3.2: data after which the key must be replaced
  std::uint64_t rekey_packets;  // and packets
  std::size_t mac_key = 0;      // bytes
};
CipherShape shape_of(CipherAlgorithm algorithm, MacAlgorithm mac = MacAlgorithm::none);

class PacketCipher {
 public:
  PacketCipher() = default;  // none: packets in the clear
  PacketCipher(const PacketCipher&) = delete;
  PacketCipher& operator=(const PacketCipher&) = delete;

  // Takes a new key; the old one is wiped.
  void start(CipherAlgorithm algorithm, Bytes key, Bytes iv, MacAlgorithm mac = MacAlgorithm::none, Bytes mac_key = {});

  // `packet` is the whole packet with `tag` bytes of space at its end. A packet that cannot be sealed is
  // wiped: no byte of it leaves in the clear, and the peer refuses it.
  void seal(std::uint32_t sequence, MutableBytes packet);

  // packet_length, from the first four bytes as received. They are not changed: only open()
  // changes bytes.
  std::uint32_t length(std::uint32_t sequence, std::span<const std::byte, 4> first);

  // Checks the tag and decrypts. False: the packet is forged, and nothing of what it said is left in
  // it: as received with chacha20-poly1305, where the tag is checked first; zeros with the others.
  [[nodiscard]] bool open(std::uint32_t sequence, MutableBytes packet);

  CipherAlgorithm algorithm() const { return algorithm_; }
  const CipherShape& shape() const { return shape_; }

 private:
  struct Clear {
    bool seal(std::uint32_t, MutableBytes) { return true; }
    std::uint32_t length(std::uint32_t, std::span<const std::byte, 4> first);
    bool open(std::uint32_t, MutableBytes) { return true; }
  };
  // After a start that failed: nothing passes.
  struct Broken {
    bool start(Bytes, Bytes) { return false; }
    bool start(Bytes, Bytes, MacAlgorithm, Bytes) { return false; }
    bool seal(std::uint32_t, MutableBytes) { return false; }
    std::uint32_t length(std::uint32_t, std::span<const std::byte, 4>) { return 0; }
    bool open(std::uint32_t, MutableBytes) { return false; }
  };
  // A cipher that the profile does not list.
  template <class Cipher>
  struct NotBuilt : Broken {};
  template <class Cipher, bool offered>
  using If = std::conditional_t<offered, Cipher, NotBuilt<Cipher>>;

  using OfferedChaChaPoly = If<ChaChaPoly, offers_cipher("chacha20-poly1305@openssh.com")>;
  using OfferedAesGcm =
      If<AesGcm, offers_cipher("aes128-gcm@openssh.com") || offers_cipher("aes256-gcm@openssh.com")>;
  using OfferedAesCtr = If<AesCtr, offers_cipher("aes128-ctr") || offers_cipher("aes256-ctr")>;

  template <class Cipher, class... Keys>
  void start_as(Keys... keys);

  CipherAlgorithm algorithm_ = CipherAlgorithm::none;
  CipherShape shape_ = shape_of(CipherAlgorithm::none);
  std::variant<Clear, Broken, OfferedChaChaPoly, OfferedAesGcm, OfferedAesCtr> cipher_;
};

}  // namespace sshape::crypto

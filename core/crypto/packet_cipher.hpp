// One face for everything that protects a packet. A packet in memory is
//   uint32 packet_length | byte padding_length | payload | padding | tag
// and is sealed and opened where it lies (RFC 4253, 6).
#pragma once

#include <wolfssl/wolfcrypt/settings.h>
#include <wolfssl/wolfcrypt/aes.h>
#include <wolfssl/wolfcrypt/chacha.h>
#include <wolfssl/wolfcrypt/poly1305.h>

#include <array>

#include "core/bytes.hpp"

namespace sshape::crypto {

enum class CipherAlgorithm : std::uint8_t { none, chacha20_poly1305, aes128_gcm, aes256_gcm };

// What the key schedule must produce for an algorithm (RFC 4253, 7.2), and how packets are padded.
struct CipherShape {
  std::size_t key;            // bytes
  std::size_t iv;             // bytes
  std::size_t block;          // padding makes a multiple of this, at least 8
  std::size_t tag;            // bytes after the padding
  bool length_outside;        // packet_length does not count towards the padded multiple (AEAD, -etm)
  std::uint64_t rekey_bytes;    // RFC 4344, 3.2: data after which the key must be replaced
  std::uint64_t rekey_packets;  // and packets
};
CipherShape shape_of(CipherAlgorithm algorithm);

class PacketCipher {
 public:
  PacketCipher() = default;  // none: packets in the clear
  PacketCipher(const PacketCipher&) = delete;
  PacketCipher& operator=(const PacketCipher&) = delete;
  ~PacketCipher();  // wipes

  // Takes a new key; the old one is wiped.
  void start(CipherAlgorithm algorithm, Bytes key, Bytes iv);

  // `packet` is the whole packet with `tag` bytes of space at its end.
  void seal(std::uint32_t sequence, MutableBytes packet);

  // packet_length, from the first four bytes as received. They are not changed: only open()
  // changes bytes, and only after the tag is found right.
  std::uint32_t length(std::uint32_t sequence, std::span<const std::byte, 4> first);

  // Checks the tag and decrypts. False: the packet is forged; nothing but the tag was looked at.
  [[nodiscard]] bool open(std::uint32_t sequence, MutableBytes packet);

  CipherAlgorithm algorithm() const { return algorithm_; }
  const CipherShape& shape() const { return shape_; }

 private:
  struct ChaChaPoly {
    ChaCha payload;  // K_2 of PROTOCOL.chacha20poly1305
    ChaCha length;   // K_1
    Poly1305 mac;
  };
  struct Gcm {
    Aes aes;
    std::array<std::byte, 12> iv;  // fixed(4) | invocation counter(8), RFC 5647, 7.1
  };
  void clear();

  CipherAlgorithm algorithm_ = CipherAlgorithm::none;
  CipherShape shape_ = shape_of(CipherAlgorithm::none);
  union {
    std::byte none_{};
    ChaChaPoly chacha_;
    Gcm gcm_;
  };
};

}  // namespace sshape::crypto

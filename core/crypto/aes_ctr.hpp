// aes128-ctr and aes256-ctr (RFC 4344) with hmac-sha2-256 (RFC 6668), over the packet in the clear or,
// as hmac-sha2-256-etm@openssh.com, over what is sent.
#pragma once

#include <wolfssl/wolfcrypt/settings.h>
#include <wolfssl/wolfcrypt/aes.h>
#include <wolfssl/wolfcrypt/hmac.h>

#include "core/bytes.hpp"

namespace sshape::crypto {

enum class MacAlgorithm : std::uint8_t { none, hmac_sha2_256, hmac_sha2_256_etm };

class AesCtr {
 public:
  static constexpr std::size_t tag_size = 32;
  static constexpr std::size_t mac_key_size = 32;

  AesCtr() = default;
  AesCtr(const AesCtr&) = delete;
  AesCtr& operator=(const AesCtr&) = delete;
  ~AesCtr();  // wipes

  [[nodiscard]] bool start(Bytes key, Bytes iv, MacAlgorithm mac, Bytes mac_key);
  [[nodiscard]] bool seal(std::uint32_t sequence, MutableBytes packet);
  std::uint32_t length(std::uint32_t sequence, std::span<const std::byte, 4> first);
  [[nodiscard]] bool open(std::uint32_t sequence, MutableBytes packet);

 private:
  void keystream(MutableBytes blocks);       // whole blocks; the counter goes on
  void crypt(MutableBytes bytes);            // whole blocks, in place
  bool mac(std::uint32_t sequence, Bytes packet, std::span<std::byte, tag_size> tag);

  Aes aes_;
  Hmac hmac_;
  bool etm_ = false;
  std::uint64_t high_ = 0;  // the counter block, big-endian, in two halves
  std::uint64_t low_ = 0;
};

}  // namespace sshape::crypto

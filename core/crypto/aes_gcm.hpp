// aes128-gcm@openssh.com and aes256-gcm@openssh.com: RFC 5647's use of GCM, under names that agree on
// no MAC. The length is sent in the clear, as associated data.
#pragma once

#include <wolfssl/wolfcrypt/settings.h>
#include <wolfssl/wolfcrypt/aes.h>

#include <array>

#include "core/bytes.hpp"

namespace sshape::crypto {

// Everything here fails only when wolfCrypt refuses its arguments.
class AesGcm {
 public:
  ~AesGcm();  // wipes

  [[nodiscard]] bool start(Bytes key, Bytes iv);  // 16 or 32 bytes, 12 bytes
  [[nodiscard]] bool seal(std::uint32_t sequence, MutableBytes packet);
  std::uint32_t length(std::uint32_t sequence, std::span<const std::byte, 4> first);
  [[nodiscard]] bool open(std::uint32_t sequence, MutableBytes packet);

 private:
  void next_invocation();

  Aes aes_;
  std::array<std::byte, 12> iv_;  // fixed(4) | invocation counter(8), RFC 5647, 7.1
};

}  // namespace sshape::crypto

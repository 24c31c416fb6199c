// chacha20-poly1305@openssh.com (PROTOCOL.chacha20poly1305): not RFC 8439's construction. One key
// enciphers the length, another the rest; the tag covers both as they are on the wire.
#pragma once

#include <wolfssl/wolfcrypt/settings.h>
#include <wolfssl/wolfcrypt/chacha.h>
#include <wolfssl/wolfcrypt/poly1305.h>

#include "core/bytes.hpp"

namespace sshape::crypto {

// Everything here fails only when wolfCrypt refuses its arguments.
class ChaChaPoly {
 public:
  ~ChaChaPoly();  // wipes

  [[nodiscard]] bool start(Bytes key, Bytes iv);  // K_2 | K_1, 64 bytes; no IV
  [[nodiscard]] bool seal(std::uint32_t sequence, MutableBytes packet);
  std::uint32_t length(std::uint32_t sequence, std::span<const std::byte, 4> first);
  [[nodiscard]] bool open(std::uint32_t sequence, MutableBytes packet);

 private:
  bool tag(std::uint32_t sequence, Bytes sealed, std::span<std::byte, 16> into);

  ChaCha payload_;  // K_2
  ChaCha length_;   // K_1
  Poly1305 mac_;
};

}  // namespace sshape::crypto

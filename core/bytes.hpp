// Spans of bytes as the whole core passes them: borrowed, never owned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace sshape {

using Bytes = std::span<const std::byte>;
using MutableBytes = std::span<std::byte>;

inline Bytes bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

inline std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// wolfCrypt's unsigned char pointers. Never null: it takes null for an error, even of no bytes.
inline const unsigned char* uchars(Bytes bytes) {
  static constexpr unsigned char nothing = 0;
  return bytes.empty() ? &nothing : reinterpret_cast<const unsigned char*>(bytes.data());
}
inline unsigned char* uchars(MutableBytes bytes) {
  return reinterpret_cast<unsigned char*>(bytes.data());
}

// Not for secrets: crypto/secret.hpp compares those in constant time.
inline bool same_bytes(Bytes a, Bytes b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

inline void copy_bytes(MutableBytes to, Bytes from) {
  if (!from.empty()) std::memmove(to.data(), from.data(), from.size());
}

}  // namespace sshape

#include "core/crypto/base64.hpp"

namespace sshape::crypto {

namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

int digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

}  // namespace

void base64_encode(Bytes bytes, wire::Writer& out) {
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = bytes.size() - i;
    const auto at = [&](std::size_t k) { return k < left ? std::to_integer<unsigned>(bytes[i + k]) : 0; };
    const unsigned group = at(0) << 16 | at(1) << 8 | at(2);
    out.byte(static_cast<std::uint8_t>(alphabet[group >> 18]));
    out.byte(static_cast<std::uint8_t>(alphabet[group >> 12 & 63]));
    out.byte(static_cast<std::uint8_t>(left > 1 ? alphabet[group >> 6 & 63] : '='));
    out.byte(static_cast<std::uint8_t>(left > 2 ? alphabet[group & 63] : '='));
  }
}

Expected<std::size_t> base64_decode(std::string_view text, MutableBytes into) {
  if (text.size() % 4 != 0) return fault("base64: not a whole number of groups of four characters");
  wire::Writer out(into);
  for (std::size_t i = 0; i < text.size(); i += 4) {
    const bool last = i + 4 == text.size();
    const std::size_t padding = last ? (text[i + 3] == '=') + (text[i + 3] == '=' && text[i + 2] == '=') : 0;
    unsigned group = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const int value = k >= 4 - padding ? 0 : digit(text[i + k]);
      if (value < 0) return fault("base64: a character that does not belong");
      group = group << 6 | static_cast<unsigned>(value);
    }
    if ((padding == 1 && (group & 0xff) != 0) || (padding == 2 && (group & 0xffff) != 0))
      return fault("base64: bits after the end");
    out.byte(static_cast<std::uint8_t>(group >> 16));
    if (padding < 2) out.byte(static_cast<std::uint8_t>(group >> 8));
    if (padding < 1) out.byte(static_cast<std::uint8_t>(group));
  }
  if (!out.ok()) return fault("base64: longer than the space for it");
  return out.size();
}

}  // namespace sshape::crypto

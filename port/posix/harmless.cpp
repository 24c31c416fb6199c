#include "port/posix/harmless.hpp"

#include <cstring>

namespace sshape::posix {

namespace {

// Characters that order, join or hide others.
constexpr bool is_invisible(char32_t c) {
  return c < 0xa0 || c == 0xad || c == 0x61c || c == 0x180e || (c >= 0x200b && c <= 0x200f) ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff || (c >= 0xfff0 && c <= 0xffff) ||
         (c >= 0xe000 && c <= 0xf8ff) || c >= 0xe0000;
}

// Bytes of the printable non-ASCII character that `text` begins with; 0: it does not begin with one.
std::size_t printable_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t size = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : byte(0) >= 0xc0 ? 2 : 0;
  if (size == 0 || byte(0) > 0xf4 || text.size() < size) return 0;
  char32_t c = byte(0) & (0x7fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    c = c << 6 | (byte(i) & 0x3fu);
  }
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (c < least[size] || (c >= 0xd800 && c <= 0xdfff) || c > 0x10ffff || is_invisible(c)) return 0;
  return size;
}

}  // namespace

std::size_t make_harmless(std::string_view& rest, TerminalText terminal, char* into, std::size_t room) {
  constexpr char hex[] = "0123456789abcdef";
  std::size_t used = 0;
  const auto put = [&](std::string_view piece, std::size_t taken) {
    if (room - used < piece.size()) return false;
    std::memcpy(into + used, piece.data(), piece.size());
    used += piece.size();
    rest.remove_prefix(taken);
    return true;
  };
  while (!rest.empty()) {
    const auto c = static_cast<unsigned char>(rest[0]);
    bool fits;
    if (c == '\n') fits = put(terminal.line_end, 1);
    else if (rest.starts_with("\r\n")) fits = put(terminal.line_end, 2);
    else if (c == '\t' || (c >= 0x20 && c < 0x7f)) fits = put(rest.substr(0, 1), 1);
    else if (const std::size_t size = terminal.utf8 ? printable_character(rest) : 0; size != 0)
      fits = put(rest.substr(0, size), size);
    else {
      const char escaped[] = {'\\', 'x', hex[c >> 4], hex[c & 15]};
      fits = put({escaped, sizeof escaped}, 1);
    }
    if (!fits) break;
  }
  return used;
}

}  // namespace sshape::posix

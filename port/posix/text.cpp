#include "port/posix/text.hpp"

namespace sshape::posix {

namespace {

constexpr bool is_plain(char c) { return c >= 0x20 && c < 0x7f && c != '\\' && c != '\''; }

}  // namespace

std::size_t escape(std::string_view peers, char* into, std::size_t room) {
  constexpr char hex[] = "0123456789abcdef";
  std::size_t used = 0;
  for (const char c : peers) {
    if (is_plain(c)) {
      if (room - used < 1) break;
      into[used++] = c;
      continue;
    }
    if (room - used < 4) break;
    const auto byte = static_cast<unsigned char>(c);
    into[used++] = '\\';
    into[used++] = 'x';
    into[used++] = hex[byte >> 4];
    into[used++] = hex[byte & 15];
  }
  return used;
}

}  // namespace sshape::posix

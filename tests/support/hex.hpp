// Bytes from hexadecimal text, spaces allowed.
#pragma once

#include <string_view>
#include <vector>

#include "core/bytes.hpp"

namespace sshape::test {

inline std::vector<std::byte> hex(std::string_view text) {
  std::vector<std::byte> bytes;
  int high = -1;
  for (const char c : text) {
    if (c == ' ' || c == '\n') continue;
    const int digit = c <= '9' ? c - '0' : (c | 32) - 'a' + 10;
    if (high < 0) {
      high = digit;
    } else {
      bytes.push_back(static_cast<std::byte>(high << 4 | digit));
      high = -1;
    }
  }
  return bytes;
}

}  // namespace sshape::test

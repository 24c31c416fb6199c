// A peer's text, made harmless for a terminal. Pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace sshape::posix {

// How a terminal takes text.
struct TerminalText {
  std::string_view line_end = "\n";  // CR LF for a raw one
  bool utf8 = false;
};

// Turns the beginning of `rest` into what a terminal may be sent, as far as `into` has room, and cuts it
// off `rest`: line ends become the terminal's, tabs and printable ASCII stay, with UTF-8 so do printable
// characters in well-formed UTF-8; any other byte becomes \xNN. Returns the bytes used. `into` has room
// for at least 8.
std::size_t make_harmless(std::string_view& rest, TerminalText terminal, char* into, std::size_t room);

}  // namespace sshape::posix

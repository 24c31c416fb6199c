// What a program says to its user: lines on standard error, its name in front.
#pragma once

#include <cstdint>
#include <string_view>

#include "port/posix/text.hpp"

namespace sshape::posix {

// The name that lines begin with: argv[0]'s last part.
void name_console(const char* argv0);

using ConsoleLine = Text<1400>;

// Text that a peer, a file or a command line has a say in: shown escaped.
struct Foreign {
  std::string_view text;
};

inline void add_part(ConsoleLine& line, std::string_view part) { line.add(part); }
inline void add_part(ConsoleLine& line, Foreign part) { line.add_escaped(part.text); }
inline void add_part(ConsoleLine& line, std::uint64_t part) { line.add_number(part); }

void print_line(std::string_view line);  // with the name and a line end

// One line out of literals, numbers and Foreign text.
template <class... Parts>
void tell(const Parts&... parts) {
  ConsoleLine line;
  (add_part(line, parts), ...);
  print_line(line.view());
}

// All of it, as it is, to one of our standard descriptors.
void print(int fd, std::string_view text);

// Several lines of the peer's, harmless: a banner, an instruction.
void show_peers_text(std::string_view text);

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

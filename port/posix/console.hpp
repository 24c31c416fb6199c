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

}  // namespace sshape::posix

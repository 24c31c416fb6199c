#include "port/posix/escapes.hpp"

namespace sshape::posix {

namespace {

constexpr std::byte tilde{'~'};
constexpr std::byte control_z{'Z' - '@'};

bool is_line_end(std::byte c) { return c == std::byte{'\r'} || c == std::byte{'\n'}; }

// The wish that the byte after a tilde stands for; null: none.
bool* wish(Escapes::Wishes& wishes, std::byte c) {
  switch (std::to_integer<char>(c)) {
    case '.': return &wishes.disconnect;
    case std::to_integer<char>(control_z): return &wishes.suspend;
    case 'R': return &wishes.rekey;
    case 'B': return &wishes.send_break;
    case '?': return &wishes.help;
    default: return nullptr;
  }
}

}  // namespace

// At most one byte more is kept than was read, and only if the tilde came in an earlier piece: moving
// what was typed up by one leaves room to write behind it.
std::size_t Escapes::filter(MutableBytes space, std::size_t typed, Wishes& wishes) {
  if (typed == 0) return 0;
  std::memmove(&space[1], &space[0], typed);
  std::size_t kept = 0;
  for (std::size_t i = 1; i <= typed; ++i) {
    const std::byte c = space[i];
    if (state_ == State::tilde) {
      if (bool* const wished = wish(wishes, c)) {
        *wished = true;
        state_ = State::line_start;
        if (wishes.disconnect) return kept;
        continue;
      }
      space[kept++] = tilde;
      state_ = State::in_line;
      if (c == tilde) continue;  // ~~ is one ~
    } else if (state_ == State::line_start && c == tilde) {
      state_ = State::tilde;
      continue;
    }
    space[kept++] = c;
    state_ = is_line_end(c) ? State::line_start : State::in_line;
  }
  return kept;
}

std::string_view Escapes::help() {
  return "\r\n"
         "~.   end the connection\r\n"
         "~^Z  stop this program; the shell's fg goes on\r\n"
         "~R   new keys\r\n"
         "~B   send BREAK\r\n"
         "~~   one ~\r\n"
         "~?   this list\r\n"
         "after the beginning of a line\r\n";
}

}  // namespace sshape::posix

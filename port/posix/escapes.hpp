// What a user types into a session with a terminal: `~` at the beginning of a line is for us. Pure.
#pragma once

#include "core/bytes.hpp"

namespace sshape::posix {

class Escapes {
 public:
  // What the user asked for; several may come in one piece of typing.
  struct Wishes {
    bool disconnect = false;  // ~.
    bool suspend = false;     // ~^Z
    bool rekey = false;       // ~R
    bool send_break = false;  // ~B
    bool help = false;        // ~?
  };

  // Takes the wishes out of `typed` and leaves the rest for the peer: returns how much of it. A `~` that
  // turns out to be the peer's comes with the byte after it, so `space` begins with `typed` and has
  // room for one byte more.
  std::size_t filter(MutableBytes space, std::size_t typed, Wishes& wishes);

  static std::string_view help();

 private:
  enum class State : unsigned char { line_start, tilde, in_line };
  State state_ = State::line_start;
};

}  // namespace sshape::posix

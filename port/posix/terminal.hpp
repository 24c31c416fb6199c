// The user's terminal: its size, its settings, raw mode.
#pragma once

#include <termios.h>

#include <optional>

#include "core/events.hpp"
#include "port/posix/descriptor.hpp"

namespace sshape::posix {

std::optional<termios> terminal_settings(int fd);  // nothing: no terminal
WindowSize terminal_size(int fd);                  // all 0: unknown

// As cfmakeraw() does, but parity is left alone.
void make_raw(termios& settings);

// A terminal in raw mode until restore(), at the latest until the end of this object.
class RawTerminal {
 public:
  RawTerminal() = default;
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;
  ~RawTerminal() { restore(); }

  void enter(int fd);  // remembers how the terminal is now; keeps a descriptor of its own
  // Between them the terminal is the shell's: our process is stopped.
  void pause();
  void resume();
  void restore();
  bool entered() const { return bool{terminal_}; }

 private:
  void set(const termios& settings);

  Descriptor terminal_;
  termios before_{};
  termios raw_{};
};

}  // namespace sshape::posix

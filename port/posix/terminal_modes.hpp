// Encoded terminal modes (RFC 4254, 8; RFC 8160). Pure: from and to a termios in memory.
#pragma once

#include <termios.h>

#include "core/bytes.hpp"
#include "core/wire/writer.hpp"

namespace sshape::posix {

// Applies what is known of `modes`; what is not, and everything after the end or a malformed piece,
// is left alone.
void apply_terminal_modes(Bytes modes, termios& settings);

// The opposite, as a client sends it, with TTY_OP_END.
void encode_terminal_modes(const termios& settings, wire::Writer& out);

}  // namespace sshape::posix

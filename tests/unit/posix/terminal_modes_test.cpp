// Encoded terminal modes (RFC 4254, 8).
#include "port/posix/terminal_modes.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace sshape::posix {
namespace {

std::vector<std::byte> modes(std::initializer_list<std::pair<int, std::uint32_t>> ops, bool end = true) {
  std::vector<std::byte> bytes(ops.size() * 5 + 1);
  wire::Writer out(bytes);
  for (const auto& [op, value] : ops) out.byte(static_cast<std::uint8_t>(op)).uint32(value);
  if (end) out.byte(0);
  bytes.resize(out.size());
  return bytes;
}

TEST(TerminalModes, CharactersFlagsSizesAndSpeeds) {
  termios t{};
  t.c_lflag = ECHO | ICANON;
  t.c_cflag = CS8;
  apply_terminal_modes(modes({{1, 16}, {3, 8}, {6, 255}, {36, 1}, {51, 0}, {53, 1}, {72, 1}, {90, 1}, {129, 115200}}), t);
  EXPECT_EQ(t.c_cc[VINTR], 16);
  EXPECT_EQ(t.c_cc[VERASE], 8);
  EXPECT_EQ(t.c_cc[VEOL], 0);  // 255: no such character
  EXPECT_TRUE(t.c_iflag & ICRNL);
  EXPECT_FALSE(t.c_lflag & ICANON);
  EXPECT_TRUE(t.c_lflag & ECHO);
  EXPECT_TRUE(t.c_oflag & ONLCR);
  EXPECT_EQ(t.c_cflag & CSIZE, static_cast<tcflag_t>(CS7));
  EXPECT_EQ(cfgetospeed(&t), static_cast<speed_t>(B115200));
}

TEST(TerminalModes, UnknownOnesAreSteppedOverAndParsingStopsWhereTheRfcSays) {
  termios t{};
  apply_terminal_modes(modes({{99, 7}, {1, 5}}), t);
  EXPECT_EQ(t.c_cc[VINTR], 5);
  apply_terminal_modes(modes({{0, 0}, {1, 6}}), t);    // TTY_OP_END
  EXPECT_EQ(t.c_cc[VINTR], 5);
  apply_terminal_modes(modes({{160, 0}, {1, 6}}), t);  // not yet defined
  EXPECT_EQ(t.c_cc[VINTR], 5);
}

TEST(TerminalModes, CutShortAnywhereIsHarmless) {
  const auto whole = modes({{1, 16}, {36, 1}, {53, 1}});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    termios t{};
    apply_terminal_modes(Bytes(whole).first(size), t);
    EXPECT_EQ(t.c_cc[VINTR], size >= 5 ? 16 : 0) << size;
  }
}

TEST(TerminalModes, WhatIsEncodedComesBack) {
  termios t{};
  t.c_iflag = ICRNL | IXON;
  t.c_oflag = OPOST | ONLCR;
  t.c_lflag = ISIG | ECHOE;
  t.c_cflag = CS8;
  t.c_cc[VINTR] = 3;
  t.c_cc[VEOF] = 4;
  cfsetispeed(&t, B38400);
  cfsetospeed(&t, B38400);
  std::array<std::byte, 512> space;
  wire::Writer out(space);
  encode_terminal_modes(t, out);
  ASSERT_TRUE(out.ok());
  termios back{};
  apply_terminal_modes(out.written(), back);
  EXPECT_EQ(back.c_iflag, t.c_iflag);
  EXPECT_EQ(back.c_oflag, t.c_oflag);
  EXPECT_EQ(back.c_lflag, t.c_lflag);
  EXPECT_EQ(back.c_cc[VINTR], 3);
  EXPECT_EQ(back.c_cc[VEOF], 4);
}

}  // namespace
}  // namespace sshape::posix

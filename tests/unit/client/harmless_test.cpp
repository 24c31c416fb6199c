// What of a peer's text reaches the user's terminal.
#include "port/posix/harmless.hpp"

#include <gtest/gtest.h>

#include <string>

namespace sshape::posix {
namespace {

std::string shown(std::string_view text, TerminalText terminal = {}, std::size_t room = 64) {
  std::string all;
  while (!text.empty()) {
    char piece[64];
    const std::size_t size = make_harmless(text, terminal, piece, room);
    EXPECT_NE(size, 0u);
    if (size == 0) break;
    all.append(piece, size);
  }
  return all;
}

TEST(Harmless, LinesStayLines) {
  EXPECT_EQ(shown("one\ntwo\r\n\tthree"), "one\ntwo\n\tthree");
  EXPECT_EQ(shown("one\ntwo\r\n", {.line_end = "\r\n"}), "one\r\ntwo\r\n");
}

TEST(Harmless, ControlCharactersAreEscaped) {
  EXPECT_EQ(shown("\x1b[2J\x07\x7f"), "\\x1b[2J\\x07\\x7f");
  EXPECT_EQ(shown("over\rwritten"), "over\\x0dwritten");
  EXPECT_EQ(shown(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(shown("\x9b" "31m"), "\\x9b31m") << "a CSI of one byte";
}

TEST(Harmless, UnicodeIsShownWhereTheTerminalHasIt) {
  const TerminalText utf8{.utf8 = true};
  EXPECT_EQ(shown("gr\xc3\xbc\xc3\x9f"
                  "e \xe2\x82\xac \xf0\x9f\x90\x9f",
                  utf8),
            "gr\xc3\xbc\xc3\x9f"
            "e \xe2\x82\xac \xf0\x9f\x90\x9f");
  EXPECT_EQ(shown("\xc3\xbc"), "\\xc3\\xbc");
}

TEST(Harmless, UnicodeThatHidesOrReordersIsEscaped) {
  const TerminalText utf8{.utf8 = true};
  EXPECT_EQ(shown("\xc2\x9b", utf8), "\\xc2\\x9b") << "U+009B, a control character";
  EXPECT_EQ(shown("\xe2\x80\xae", utf8), "\\xe2\\x80\\xae") << "U+202E, right-to-left override";
  EXPECT_EQ(shown("\xe2\x80\x8b", utf8), "\\xe2\\x80\\x8b") << "U+200B, zero width";
  EXPECT_EQ(shown("\xef\xbb\xbf", utf8), "\\xef\\xbb\\xbf") << "U+FEFF";
}

TEST(Harmless, MalformedUtf8IsEscapedByteForByte) {
  const TerminalText utf8{.utf8 = true};
  EXPECT_EQ(shown("\xc0\x8a", utf8), "\\xc0\\x8a") << "overlong";
  EXPECT_EQ(shown("\xed\xa0\x80", utf8), "\\xed\\xa0\\x80") << "surrogate";
  EXPECT_EQ(shown("\xf5\x80\x80\x80", utf8), "\\xf5\\x80\\x80\\x80");
  EXPECT_EQ(shown("\xe2\x82", utf8), "\\xe2\\x82") << "cut off";
  EXPECT_EQ(shown("\xc3(", utf8), "\\xc3(");
}

TEST(Harmless, LittleRoomNeverCutsAnEscape) {
  EXPECT_EQ(shown("\x1b\x1b\x1b" "abc\n\x1b", {.line_end = "\r\n"}, 8), "\\x1b\\x1b\\x1b" "abc\r\n\\x1b");
}

}  // namespace
}  // namespace sshape::posix

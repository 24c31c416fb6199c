// Log lines as fail2ban and crowdsec read them (COMPAT: log lines), and escaping.
#include "port/posix/log.hpp"

#include <gtest/gtest.h>

#include <string>

namespace sshape::posix {
namespace {

TEST(Log, StandardErrorLineIsDropbears) {
  tm when{};
  when.tm_mon = 11;
  when.tm_mday = 3;
  when.tm_hour = 4;
  when.tm_min = 5;
  when.tm_sec = 59;
  EXPECT_EQ(standard_error_line(123, when, "Child connection from 1.2.3.4:5").view(),
            "[123] Dec 03 04:05:59 Child connection from 1.2.3.4:5\n");
}

TEST(Log, LineOfAnyLengthIsOneLine) {
  tm when{};
  const std::string text(5000, 'x');
  const auto line = standard_error_line(1, when, text);
  EXPECT_TRUE(line.view().ends_with("x\n"));
  EXPECT_EQ(line.view().find('\n'), line.size() - 1);
}

TEST(Escape, EveryByteThatCouldHarmIsHex) {
  std::string all;
  for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
  const LogLine line = LogLine().add_escaped(all.substr(0, 200));
  for (const char c : line.view()) EXPECT_TRUE(c >= 0x20 && c < 0x7f && c != '\'');
  EXPECT_EQ(Text<99>().add_escaped("a\n[1] Jan\r\x1b[2J'\\\x7f\xc3\xa4").view(),
            "a\\x0a[1] Jan\\x0d\\x1b[2J\\x27\\x5c\\x7f\\xc3\\xa4");
}

TEST(Escape, NoEscapeIsCutInTwo) {
  EXPECT_EQ(Text<6>().add_escaped("ab\n\n").view(), "ab\\x0a");
  EXPECT_EQ(Text<5>().add_escaped("ab\n").view(), "ab");
  EXPECT_EQ(Text<0>().add_escaped("x").view(), "");
}

TEST(Text, CutsAndSaysSo) {
  Text<4> text;
  EXPECT_FALSE(text.add("abcd").cut());
  EXPECT_TRUE(text.add("e").cut());
  EXPECT_STREQ(text.c_str(), "abcd");
  EXPECT_EQ(Text<30>().add_number(0).add(' ').add_number(~0ull).view(), "0 18446744073709551615");
}

}  // namespace
}  // namespace sshape::posix

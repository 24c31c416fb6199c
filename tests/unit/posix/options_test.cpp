// Command lines as dropbear reads them.
#include "port/posix/options.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sshape::posix {
namespace {

// One character a find, with its value: "F p=22 w=word".
std::string read(std::vector<std::string> words, const char* spelling) {
  std::vector<char*> argv;
  words.insert(words.begin(), "program");
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  Options options(static_cast<int>(words.size()), argv.data(), spelling);
  std::string seen;
  while (true) {
    const int found = options.next();
    if (found == Options::end) return seen;
    if (!seen.empty()) seen += ' ';
    if (found == Options::word) seen += std::string("w=") + options.value();
    else if (found == Options::unknown) seen += std::string("?") + options.letter();
    else if (found == Options::missing) return seen + "!" + options.letter();
    else seen += static_cast<char>(found) + (options.value() ? std::string("=") + options.value() : "");
  }
}

TEST(Options, LettersClusteredOrNotValuesInTheSameWordOrTheNext) {
  EXPECT_EQ(read({"-F", "-E", "-p", "22"}, "FEp:"), "F E p=22");
  EXPECT_EQ(read({"-FEp22"}, "FEp:"), "F E p=22");
  EXPECT_EQ(read({"-FEp", "22"}, "FEp:"), "F E p=22");
  EXPECT_EQ(read({"-p", "-F"}, "Fp:"), "p=-F");  // a value may begin with a dash
}

TEST(Options, WordsBetweenOptions) {
  EXPECT_EQ(read({"a", "-F", "b", "-", "--", "-F"}, "F"), "w=a F w=b w=- w=-F");
}

TEST(Options, UnknownAndMissing) {
  EXPECT_EQ(read({"-xF"}, "F"), "?x F");
  EXPECT_EQ(read({"-:"}, "F:"), "?:");
  EXPECT_EQ(read({"-F", "-p"}, "Fp:"), "F !p");
}

TEST(Options, NumbersAreDecimalAndBounded) {
  unsigned long long n = 7;
  EXPECT_TRUE(parse_number("0", 10, n) && n == 0);
  EXPECT_TRUE(parse_number("10", 10, n) && n == 10);
  EXPECT_TRUE(parse_number("18446744073709551615", ~0ull, n) && n == ~0ull);
  for (const char* bad : {"", "11", "-1", "+1", " 1", "1 ", "0x1", "1e1"}) EXPECT_FALSE(parse_number(bad, 10, n)) << bad;
  EXPECT_FALSE(parse_number("18446744073709551616", ~0ull, n));
  EXPECT_FALSE(parse_number("5", 3, n));
}

}  // namespace
}  // namespace sshape::posix

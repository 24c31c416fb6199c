// Command lines as dropbear reads them: single letters, clustered or not, a value in the same word
// or in the next.
#pragma once

#include <string_view>

namespace sshape::posix {

class Options {
 public:
  enum Special : int {
    end = 0,      // nothing is left
    word = 1,     // value(): a word that is no option
    unknown = 2,  // letter(): the spelling does not have it
    missing = 3,  // letter(): the command line ends where its value should be
  };

  // `spelling` as for getopt: "Fp:" has -F, and -p with a value.
  Options(int argc, char** argv, std::string_view spelling) : argc_(argc), argv_(argv), spelling_(spelling) {}

  // A letter, or one of Special. After "--" every word is a word.
  int next();

  char letter() const { return letter_; }
  char* value() const { return value_; }
  // The rest of the command line: what next() has not touched yet.
  int index() const { return index_; }

 private:
  int argc_;
  char** argv_;
  std::string_view spelling_;
  int index_ = 1;
  char* cluster_ = nullptr;  // what is left of a word of letters
  char letter_ = 0;
  char* value_ = nullptr;
  bool words_only_ = false;
};

// A decimal number within bounds. False: anything else.
bool parse_number(std::string_view text, unsigned long long most, unsigned long long& into);

}  // namespace sshape::posix

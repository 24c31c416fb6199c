#include "port/posix/options.hpp"

namespace sshape::posix {

int Options::next() {
  if (cluster_ == nullptr || *cluster_ == '\0') {
    cluster_ = nullptr;
    if (index_ >= argc_) return end;
    char* text = argv_[index_++];
    if (!words_only_ && std::string_view(text) == "--") {
      words_only_ = true;
      return next();
    }
    if (words_only_ || text[0] != '-' || text[1] == '\0') {
      value_ = text;
      return word;
    }
    cluster_ = text + 1;
  }
  letter_ = *cluster_++;
  value_ = nullptr;
  const std::size_t at = letter_ == ':' ? std::string_view::npos : spelling_.find(letter_);
  if (at == std::string_view::npos) return unknown;
  if (at + 1 < spelling_.size() && spelling_[at + 1] == ':') {
    if (*cluster_ != '\0') {
      value_ = cluster_;
    } else if (index_ < argc_) {
      value_ = argv_[index_++];
    } else {
      cluster_ = nullptr;
      return missing;
    }
    cluster_ = nullptr;
  }
  return static_cast<unsigned char>(letter_);
}

bool parse_number(std::string_view text, unsigned long long most, unsigned long long& into) {
  if (text.empty()) return false;
  unsigned long long value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return false;
    const auto digit = static_cast<unsigned long long>(c - '0');
    if (value > (most - digit) / 10 || digit > most) return false;
    value = value * 10 + digit;
  }
  into = value;
  return true;
}

}  // namespace sshape::posix

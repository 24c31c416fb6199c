// Text of bounded length in place: for log lines, paths and environments. What does not fit is cut,
// and cut() says so.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace sshape::posix {

// Writes `peers` with every byte escaped that could start a line, move a terminal's cursor, or end a
// quotation: as \xNN. Returns what was used of `into`; a character's escape is never cut in two.
std::size_t escape(std::string_view peers, char* into, std::size_t room);

template <std::size_t N>
class Text {
 public:
  Text() = default;
  explicit Text(std::string_view text) { add(text); }

  Text& add(std::string_view text) {
    const std::size_t n = text.size() <= N - size_ ? text.size() : N - size_;
    if (n != 0) std::memcpy(&chars_[size_], text.data(), n);
    cut_ |= n != text.size();
    size_ += n;
    chars_[size_] = '\0';
    return *this;
  }
  Text& add(char c) { return add(std::string_view(&c, 1)); }
  Text& add_escaped(std::string_view peers) {
    size_ += escape(peers, &chars_[size_], N - size_);
    chars_[size_] = '\0';
    return *this;
  }
  Text& add_number(std::uint64_t number) {
    char digits[20];
    std::size_t at = sizeof digits;
    do digits[--at] = static_cast<char>('0' + number % 10);
    while ((number /= 10) != 0);
    return add(std::string_view(digits + at, sizeof digits - at));
  }
  // Keeps the bytes before `size`.
  void shorten(std::size_t size) {
    if (size < size_) size_ = size;
    chars_[size_] = '\0';
  }
  void clear() {
    size_ = 0;
    cut_ = false;
    chars_[0] = '\0';
  }

  std::string_view view() const { return {chars_.data(), size_}; }
  const char* c_str() const { return chars_.data(); }
  char* data() { return chars_.data(); }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::size_t room() const { return N - size_; }
  bool cut() const { return cut_; }

 private:
  std::array<char, N + 1> chars_{};
  std::size_t size_ = 0;
  bool cut_ = false;
};

}  // namespace sshape::posix

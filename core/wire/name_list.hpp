// Name-lists (RFC 4251, sections 5 and 6): comma-separated US-ASCII names.
#pragma once

#include <optional>
#include <string_view>

namespace sshape::wire {

// A walk over the names of a list, without copying: `for (std::string_view name : NameList(text))`.
class NameList {
 public:
  explicit constexpr NameList(std::string_view text) : text_(text) {}

  class Iterator {
   public:
    constexpr Iterator(std::string_view rest, bool done) : rest_(rest), done_(done) {}
    constexpr std::string_view operator*() const { return rest_.substr(0, rest_.find(',')); }
    constexpr Iterator& operator++() {
      const auto comma = rest_.find(',');
      if (comma == std::string_view::npos) {
        done_ = true;
        rest_ = {};
      } else {
        rest_.remove_prefix(comma + 1);
      }
      return *this;
    }
    constexpr bool operator==(const Iterator& other) const {
      return done_ == other.done_ && (done_ || rest_.data() == other.rest_.data());
    }

   private:
    std::string_view rest_;
    bool done_;
  };

  constexpr Iterator begin() const { return {text_, text_.empty()}; }
  constexpr Iterator end() const { return {{}, true}; }
  constexpr std::string_view text() const { return text_; }

  constexpr bool contains(std::string_view wanted) const {
    for (const std::string_view name : *this)
      if (name == wanted) return true;
    return false;
  }
  constexpr std::string_view first() const { return text_.substr(0, text_.find(',')); }

 private:
  std::string_view text_;
};

// RFC 4251, 6: names are not empty, at most 64 characters, printable US-ASCII without comma.
// The list itself may be empty.
bool well_formed(NameList list);

// RFC 4253, 7.1: the first name of the client's list that is also on the server's.
constexpr std::optional<std::string_view> first_common(NameList client, NameList server) {
  for (const std::string_view name : client)
    if (server.contains(name)) return name;
  return std::nullopt;
}

}  // namespace sshape::wire

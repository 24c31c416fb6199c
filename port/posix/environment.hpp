// The environment that a child gets, built in bounded space.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "profiles/active.hpp"

namespace sshape::posix {

class Environment {
 public:
  static constexpr std::size_t most = 192;  // variables
  static constexpr std::size_t bytes = active::profile.command + 16 * 1024;

  // Replaces an earlier value. What does not fit is left out, and false returned.
  bool set(std::string_view name, std::string_view value);
  // Every variable of our own environment that a user's program may see: nothing of ours, no password.
  void take_own();
  void clear();

  char* const* get() const { return pointers_.data(); }
  std::string_view value(std::string_view name) const;

 private:
  char** find(std::string_view name);

  std::array<char, bytes> space_;
  std::size_t used_ = 0;
  std::array<char*, most + 1> pointers_{};  // null-terminated
  std::size_t count_ = 0;
};

// What a peer's `env` request may set (COMPAT: environment): LANG, LC_*, COLORTERM, GIT_PROTOCOL.
bool peer_may_set(std::string_view name);

}  // namespace sshape::posix

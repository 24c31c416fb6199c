#include "port/posix/environment.hpp"

#include <unistd.h>

#include <cstring>

namespace sshape::posix {

bool Environment::set(std::string_view name, std::string_view value) {
  if (name.find('=') != std::string_view::npos || name.find('\0') != std::string_view::npos ||
      value.find('\0') != std::string_view::npos)
    return false;
  const std::size_t size = name.size() + 1 + value.size() + 1;
  if (size > space_.size() - used_) return false;
  char** slot = find(name);
  if (slot == nullptr) {
    if (count_ == most) return false;
    slot = &pointers_[count_++];
  }
  char* at = &space_[used_];
  *slot = at;
  std::memcpy(at, name.data(), name.size());
  at[name.size()] = '=';
  if (!value.empty()) std::memcpy(at + name.size() + 1, value.data(), value.size());
  at[size - 1] = '\0';
  used_ += size;
  return true;
}

void Environment::take_own() {
  for (char** entry = ::environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || text.starts_with("DROPBEAR_")) continue;
    set(text.substr(0, equals), text.substr(equals + 1));
  }
}

void Environment::clear() {
  used_ = count_ = 0;
  pointers_ = {};
}

std::string_view Environment::value(std::string_view name) const {
  char** const slot = const_cast<Environment*>(this)->find(name);
  return slot == nullptr ? std::string_view{} : std::string_view(*slot).substr(name.size() + 1);
}

char** Environment::find(std::string_view name) {
  for (std::size_t i = 0; i < count_; ++i) {
    const std::string_view text = pointers_[i];
    if (text.size() > name.size() && text[name.size()] == '=' && text.starts_with(name)) return &pointers_[i];
  }
  return nullptr;
}

bool peer_may_set(std::string_view name) {
  return name == "LANG" || name.starts_with("LC_") || name == "COLORTERM" || name == "GIT_PROTOCOL";
}

}  // namespace sshape::posix

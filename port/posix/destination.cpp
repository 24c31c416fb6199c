#include "port/posix/destination.hpp"

#include <algorithm>

namespace sshape::posix {

namespace {

bool has_control_characters(std::string_view name) {
  return std::ranges::any_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

bool has_any_of(std::string_view name, std::string_view characters) {
  return name.find_first_of(characters) != std::string_view::npos;
}

}  // namespace

Destination split_destination(std::string_view word) {
  Destination to;
  if (const auto at = word.rfind('@'); at != std::string_view::npos) {
    to.user = word.substr(0, at);
    word.remove_prefix(at + 1);
  }
  auto sign = word.find('^');
  if (sign == std::string_view::npos) sign = word.find('/');
  if (sign != std::string_view::npos) {
    to.port = word.substr(sign + 1);
    word = word.substr(0, sign);
  }
  if (word.size() > 2 && word.starts_with('[') && word.ends_with(']')) word = word.substr(1, word.size() - 2);
  to.host = word;
  return to;
}

bool is_host_name(std::string_view name) {
  return !name.empty() && name.size() <= 255 && !name.starts_with('-') && !has_control_characters(name) &&
         !has_any_of(name, " '`\"$\\;&<>|(){},");
}

bool is_user_name(std::string_view name) {
  return !name.empty() && !name.starts_with('-') && !name.ends_with('\\') && !has_control_characters(name) &&
         !has_any_of(name, "'`\";&<>|(){}");
}

}  // namespace sshape::posix

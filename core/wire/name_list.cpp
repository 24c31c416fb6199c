#include "core/wire/name_list.hpp"

namespace sshape::wire {

bool well_formed(NameList list) {
  constexpr std::size_t name_limit = 64;
  const std::string_view text = list.text();
  if (text.empty()) return true;
  if (text.ends_with(',')) return false;
  for (const std::string_view name : list) {
    if (name.empty() || name.size() > name_limit) return false;
    for (const char c : name)
      if (c <= ' ' || c > '~') return false;
  }
  return true;
}

}  // namespace sshape::wire

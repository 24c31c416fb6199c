// What the profile lists. What it does not list is never called, and its code leaves the image.
#pragma once

#include "core/wire/name_list.hpp"
#include "profiles/active.hpp"

namespace sshape::crypto {

constexpr bool offers_kex(std::string_view name) {
  return wire::NameList(active::profile.algorithms.kex).contains(name);
}
constexpr bool offers_cipher(std::string_view name) {
  return wire::NameList(active::profile.algorithms.ciphers).contains(name);
}
constexpr bool offers_mac(std::string_view name) {
  return wire::NameList(active::profile.algorithms.macs).contains(name);
}

}  // namespace sshape::crypto

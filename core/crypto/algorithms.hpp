// From the names of a negotiation to the algorithms behind them. What the profile does not list
// is not found here, and its code leaves the image.
#pragma once

#include <optional>

#include "core/crypto/key_agreement.hpp"
#include "core/crypto/packet_cipher.hpp"
#include "core/wire/name_list.hpp"
#include "profiles/active.hpp"

namespace sshape::crypto {

constexpr bool offers_kex(std::string_view name) {
  return wire::NameList(active::profile.algorithms.kex).contains(name);
}
constexpr bool offers_cipher(std::string_view name) {
  return wire::NameList(active::profile.algorithms.ciphers).contains(name);
}

std::optional<KexAlgorithm> kex_algorithm(std::string_view name);
std::optional<CipherAlgorithm> cipher_algorithm(std::string_view name);

}  // namespace sshape::crypto

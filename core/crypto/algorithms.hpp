// From the names of a negotiation to the algorithms behind them.
#pragma once

#include <optional>

#include "core/crypto/key_agreement.hpp"
#include "core/crypto/offers.hpp"
#include "core/crypto/packet_cipher.hpp"

namespace sshape::crypto {

// Nothing for a name that the profile does not list.
std::optional<KexAlgorithm> kex_algorithm(std::string_view name);
std::optional<CipherAlgorithm> cipher_algorithm(std::string_view name);
std::optional<MacAlgorithm> mac_algorithm(std::string_view name);

}  // namespace sshape::crypto

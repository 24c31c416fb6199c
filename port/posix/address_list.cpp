#include "port/posix/address_list.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

#include "core/wire/name_list.hpp"
#include "port/posix/options.hpp"
#include "port/posix/text.hpp"

namespace sshape::posix {

namespace {

struct NumericAddress {
  std::array<unsigned char, 16> bytes{};
  unsigned bits = 0;  // 32 or 128
};

std::optional<NumericAddress> parse_address(std::string_view text) {
  const Text<64> terminated(text);
  NumericAddress address;
  if (terminated.cut()) return std::nullopt;
  if (::inet_pton(AF_INET, terminated.c_str(), address.bytes.data()) == 1) address.bits = 32;
  else if (::inet_pton(AF_INET6, terminated.c_str(), address.bytes.data()) == 1) address.bits = 128;
  else return std::nullopt;
  return address;
}

bool in_network(const NumericAddress& address, const NumericAddress& network, unsigned prefix) {
  if (address.bits != network.bits) return false;
  const unsigned whole = prefix / 8;
  if (!std::equal(address.bytes.begin(), address.bytes.begin() + whole, network.bytes.begin())) return false;
  const unsigned rest = prefix % 8;
  return rest == 0 || (address.bytes[whole] ^ network.bytes[whole]) >> (8 - rest) == 0;
}

}  // namespace

std::optional<bool> address_list_admits(std::string_view list, std::string_view host) {
  const auto address = parse_address(host);
  bool admitted = false;
  bool refused = false;
  for (std::string_view entry : wire::NameList(list)) {
    const bool negated = entry.starts_with('!');
    if (negated) entry.remove_prefix(1);
    const std::size_t slash = entry.find('/');
    const auto network = parse_address(entry.substr(0, slash));
    if (!network) return std::nullopt;
    unsigned long long prefix = network->bits;
    if (slash != std::string_view::npos && !parse_number(entry.substr(slash + 1), network->bits, prefix))
      return std::nullopt;
    if (!address || !in_network(*address, *network, static_cast<unsigned>(prefix))) continue;
    (negated ? refused : admitted) = true;
  }
  if (list.empty()) return std::nullopt;
  return admitted && !refused;
}

}  // namespace sshape::posix

// Algorithm negotiation (RFC 4253, 7.1): what we offer, what the peer offers, what follows.
#pragma once

#include <array>
#include <span>

#include "core/crypto/algorithms.hpp"
#include "core/error.hpp"
#include "core/events.hpp"
#include "core/wire/reader.hpp"
#include "core/wire/writer.hpp"

namespace sshape::transport {

// The lists of one SSH_MSG_KEXINIT, borrowed.
struct Offer {
  wire::NameList kex{""};
  wire::NameList host_keys{""};
  wire::NameList ciphers_out{""};  // client to server
  wire::NameList ciphers_in{""};   // server to client
  wire::NameList macs_out{""};
  wire::NameList macs_in{""};
  wire::NameList compression_out{""};
  wire::NameList compression_in{""};
  bool first_kex_packet_follows = false;
};

// `message` stands after the message number. Every list is checked.
Expected<Offer> parse_kexinit(wire::Reader& message);

// What this end offers; kept so that the same message can be composed again for the exchange hash.
struct OurOffer {
  std::array<std::byte, 16> cookie{};
  std::string_view kex;                 // the profile's or a part of it
  std::string_view ciphers;
  std::string_view host_keys;
  std::string_view host_keys_first;      // client: those of host_keys that come first
  std::span<const Bytes> loaded_keys;    // server: only algorithms of these keys are offered
  bool first_exchange = true;  // ext-info and strict-kex are said only then
};
void write_kexinit(Role role, const OurOffer& ours, wire::Writer& out);

// The pseudo-algorithms inside kex lists.
inline constexpr std::string_view ext_info_client = "ext-info-c";  // RFC 8308, 2.1
inline constexpr std::string_view ext_info_server = "ext-info-s";
inline constexpr std::string_view strict_client = "kex-strict-c-v00@openssh.com";
inline constexpr std::string_view strict_server = "kex-strict-s-v00@openssh.com";

// Names point into the profile's lists, so they live for ever.
struct Agreed {
  std::string_view kex;
  std::string_view host_key;
  std::string_view cipher_out;  // client to server
  std::string_view cipher_in;   // server to client
  crypto::KexAlgorithm kex_algorithm{};
  crypto::CipherAlgorithm cipher_out_algorithm{};
  crypto::CipherAlgorithm cipher_in_algorithm{};
  crypto::MacAlgorithm mac_out_algorithm = crypto::MacAlgorithm::none;  // none: the cipher needs none
  crypto::MacAlgorithm mac_in_algorithm = crypto::MacAlgorithm::none;
  bool guess_right = false;  // the peer's guessed packet, if any, is to be used (RFC 4253, 7)
  bool peer_takes_ext_info = false;
  bool peer_strict = false;
};

// A fault names the list without a common algorithm.
Expected<Agreed> negotiate(Role role, const OurOffer& ours, const Offer& theirs);

}  // namespace sshape::transport

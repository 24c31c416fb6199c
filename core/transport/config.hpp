// What a port decides about a transport. Everything a string_view or span points at outlives the
// session.
#pragma once

#include <span>
#include <string_view>

#include "core/bytes.hpp"
#include "core/instant.hpp"
#include "profiles/active.hpp"

namespace sshape::transport {

struct TransportConfig {
  std::string_view software = "sshape";  // softwareversion of the identification string

  // Server: the public blobs of its host keys, at most one of each type.
  std::span<const Bytes> host_keys;

  // Client: host key algorithms to offer first, because the port knows a key of that type for this
  // host. Names that the profile lacks are ignored.
  std::string_view known_host_key_algorithms;

  // Name-lists to offer instead of the profile's; empty: the profile's. Only names of the profile.
  std::string_view kex;
  std::string_view ciphers;

  // Rekey limits, in either direction; a cipher's own limits come on top (RFC 4344, 3.2).
  std::uint64_t rekey_bytes = active::profile.rekey_bytes;
  std::uint64_t rekey_packets = std::uint64_t{1} << 31;
  Microseconds rekey_after = active::profile.rekey_seconds * second;
};

}  // namespace sshape::transport

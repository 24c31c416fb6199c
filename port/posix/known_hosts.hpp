// Lines of known_hosts files (sshd(8)): plain names and patterns, or hashed ones. Pure.
#pragma once

#include <cstddef>
#include <string_view>

#include "core/bytes.hpp"

namespace sshape::posix {

// What a line says of a host and its key, the weaker statement first.
enum class KnownHost : unsigned char {
  other,       // nothing: about other hosts, a comment, or of no use here
  other_type,  // this host has a key of another type
  mismatch,    // this host has another key of this type
  match,       // this host has this key
  revoked,     // this key is not to be trusted
};

// `name` is "host" or "[host]:port", in lower case. @cert-authority lines say nothing here.
KnownHost judge_known_host(std::string_view line, std::string_view name, std::string_view key_type, Bytes key_blob);

// The type of the key that a line gives this host; empty: none.
std::string_view known_key_type(std::string_view line, std::string_view name);

// The strongest statement that was found for a name, and where.
struct KnownHostFinding {
  KnownHost verdict = KnownHost::other;
  const char* file = nullptr;
  std::size_t line = 0;  // from 1
};

// For a port other than 22 there are two names: "[host]:port", and the bare host as dropbear writes it.
// A match of either is trusted; a mismatch of the bare one counts only where `bare_binds` (COMPAT:
// known_hosts).
KnownHostFinding weigh(const KnownHostFinding& with_port, const KnownHostFinding& bare, bool bare_binds);

}  // namespace sshape::posix

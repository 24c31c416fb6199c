// HMAC-SHA1 (RFC 2104), for the hashed host names of known_hosts files and for nothing else.
#pragma once

#include <array>

#include "core/bytes.hpp"

namespace sshape::crypto {

using Sha1Digest = std::array<std::byte, 20>;

Sha1Digest hmac_sha1(Bytes key, Bytes message);

}  // namespace sshape::crypto

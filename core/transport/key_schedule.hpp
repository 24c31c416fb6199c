// Keys from a shared secret (RFC 4253, 7.2).
#pragma once

#include "core/crypto/key_agreement.hpp"

namespace sshape::transport {

// Fills `key` with HASH(K || H || letter || session_id), extended as far as needed. Letters: 'A' and
// 'B' are the initial IVs, 'C' and 'D' the encryption keys, 'E' and 'F' the integrity keys; the
// first of each pair is from client to server.
void derive_key(crypto::HashAlgorithm algorithm, const crypto::SharedSecret& secret,
                Bytes exchange_hash, char letter, Bytes session_id, MutableBytes key);

}  // namespace sshape::transport

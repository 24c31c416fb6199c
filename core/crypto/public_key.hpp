// Public keys and signatures as they go over the wire (RFC 4253, 6.6; RFC 8709).
#pragma once

#include <array>

#include "core/bytes.hpp"
#include "core/error.hpp"

namespace sshape::crypto {

// The key's type: the first string inside a public key blob. Empty if the blob is malformed.
std::string_view key_type(Bytes key_blob);

// The key type that a signature algorithm signs with: "rsa-sha2-256" signs with "ssh-rsa" keys.
// Empty for an algorithm that this build does not have.
std::string_view key_type_of_algorithm(std::string_view signature_algorithm);

// Checks the blob's type, the signature's name against `signature_algorithm`, then the signature
// itself. The fault says which of the three was wrong.
Status verify(std::string_view signature_algorithm, Bytes key_blob, Bytes message,
              Bytes signature_blob);

// "SHA256:" and 43 characters of unpadded base64, NUL-terminated.
struct Fingerprint {
  std::array<char, 52> characters{};
  std::string_view text() const { return {characters.data()}; }
};
Fingerprint fingerprint(Bytes key_blob);

}  // namespace sshape::crypto

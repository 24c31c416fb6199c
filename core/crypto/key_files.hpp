// Key files: OpenSSH's private format (PROTOCOL.key) and public one-line format, dropbear's private
// format. Codec only: the port reads and writes the files.
#pragma once

#include "core/crypto/base64.hpp"
#include "core/crypto/private_key.hpp"

namespace sshape::crypto {

// Either format; the first bytes tell. Every inner length is bounded by the one around it (field
// report 22). `scratch` holds the decoded base64, at least 3/4 of the text, and is wiped before return.
// `comment_into` may be empty; the comment is cut to fit it. Returns what was put there (dropbear's format
// has no comment).
Expected<std::size_t> read_private_key(std::string_view text, MutableBytes scratch, PrivateKey& into,
                                       std::span<char> comment_into = {});

// Unencrypted "-----BEGIN OPENSSH PRIVATE KEY-----" text appended to `out`.
Status write_private_key(const PrivateKey& key, std::string_view comment, Random& random,
                         wire::Writer& out);

// Dropbear's binary format: string key type, string private and public half, as its programs read it.
Status write_dropbear_key(const PrivateKey& key, wire::Writer& out);

// "TYPE BASE64 COMMENT" without a newline.
Status write_public_line(Bytes key_blob, std::string_view comment, wire::Writer& out);

}  // namespace sshape::crypto

// Standard base64 with padding (RFC 4648, 4).
#pragma once

#include "core/bytes.hpp"
#include "core/error.hpp"
#include "core/wire/writer.hpp"

namespace sshape::crypto {

constexpr std::size_t base64_size(std::size_t bytes) { return (bytes + 2) / 3 * 4; }  // characters

void base64_encode(Bytes bytes, wire::Writer& out);

// The number of bytes. Refuses anything but full groups in canonical form, white space too.
Expected<std::size_t> base64_decode(std::string_view text, MutableBytes into);

}  // namespace sshape::crypto

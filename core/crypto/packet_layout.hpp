// What the packet ciphers know of a packet: uint32 packet_length | what it counts | tag.
#pragma once

#include "core/bytes.hpp"

namespace sshape::crypto {

inline constexpr std::size_t length_size = 4;
inline constexpr std::size_t aead_tag_size = 16;  // of all AEAD ciphers here

// Enough bytes to hold both; the packet codec never hands over fewer.
inline bool holds_aead_packet(Bytes packet) { return packet.size() >= length_size + aead_tag_size; }

}  // namespace sshape::crypto

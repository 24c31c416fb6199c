// What follows from a profile, and the rules that make a bad one a compile error.
#pragma once

#include <algorithm>

#include "profiles/profile.hpp"

namespace sshape {

// byte number | uint32 recipient channel | uint32 data_type_code | uint32 length (RFC 4254, 5.2).
inline constexpr std::uint32_t data_header = 9;
inline constexpr std::uint32_t extended_data_header = 13;

// Before login no packet is larger than RFC 4253, 6.1 asks for, whatever the profile.
inline constexpr std::uint32_t packet_limit_before_login = 35'000;

// The whole packet on the wire: length, padding length, payload, padding, MAC.
constexpr std::uint32_t packet_limit(const Profile& p) {
  const std::uint32_t derived = 4 + 1 + p.payload_limit + 255 + 64;
  return p.below_rfc_minimum ? derived : std::max(packet_limit_before_login, derived);
}

// The maximum packet size of SSH_MSG_CHANNEL_OPEN for a window: derived, never written by hand, so
// that no profile can advertise what it would refuse, nor a packet that its window cannot hold.
constexpr std::uint32_t advertised_packet(const Profile& p, std::uint32_t window) {
  const std::uint32_t accepted = p.payload_limit - extended_data_header;
  const std::uint32_t share = std::max<std::uint32_t>(window / p.packets_in_window, 1);
  return std::min({accepted, share, p.packet_preferred, window});
}

// Each block of a backlog begins with its place in the chain.
inline constexpr std::size_t backlog_block_header = 16;

// Blocks that a connection needs at the very worst: every channel's credit buffered, one partly
// filled block at each end of each of its two streams.
constexpr std::size_t backlog_blocks(const Profile& p) {
  const std::size_t payload = p.backlog_block - backlog_block_header;
  return (p.pool + payload - 1) / payload + std::size_t{p.channels} * (1 + 2 * 2);
}

// One packet as received, and what comes behind it in the same system call.
constexpr std::size_t receive_region(const Profile& p) {
  return packet_limit(p) + p.receive_ahead;
}

constexpr std::size_t transmit_region(const Profile& p) {
  return p.transmit_ahead + p.control_transmit;
}

// Transmit space that one whole key exchange of ours may need: KEXINIT, the largest message of the
// exchange, NEWKEYS, each in its packet. Nothing else is sealed into it, so that an exchange never
// waits for room.
constexpr std::size_t exchange_room(const Profile& p) {
  constexpr std::size_t packet = 4 + 1 + 32 + 64;  // lengths, padding, MAC
  constexpr std::size_t markers = 64;              // ext-info-c, kex-strict-c-v00@openssh.com
  const AlgorithmLists& lists = p.algorithms;
  const std::size_t kexinit = 1 + 16 + 10 * 4 + 1 + 4 + lists.kex.size() + markers + lists.host_keys.size() +
                              2 * (lists.ciphers.size() + lists.macs.size() + lists.compression.size());
  // Either the client's hybrid share, or the server's with its host key and signature.
  constexpr std::size_t share = 1 + 4 + (4 + 11 + 4 + 32) + 4 + 1'184 + 32 + 4 + (4 + 11 + 4 + 64);
  return kexinit + share + 1 + 3 * packet;
}

// The largest reply that any handler composes without asking first: a peer's message is parsed only
// while the queue of control messages has this much room, so that no reply is ever lost.
inline constexpr std::size_t reply_room = 512;

template <const Profile& P>
struct ProfileRules {
  static_assert(P.payload_limit >= 32'768 || P.below_rfc_minimum,
                "payload_limit: RFC 4253, 6.1 asks for 32,768 bytes; set below_rfc_minimum to give that up");
  static_assert(P.window >= 1 && P.window_floor >= 1, "window and window_floor: at least one byte");
  static_assert(P.window <= P.window_ceiling, "window: not above window_ceiling");
  static_assert(P.packets_in_window >= 1, "packets_in_window: at least 1");
  static_assert(std::uint64_t{P.channels} * P.window_floor <= P.pool,
                "pool: every slot of the channel table needs its floor window; pool >= channels x window_floor");
  static_assert(P.window <= P.pool, "window: one channel may not open with more than the pool");
  static_assert(P.send_data + extended_data_header + 4 + 1 + 255 + 64 <= P.transmit_ahead,
                "transmit_ahead: must hold one whole packet of send_data");
  static_assert(P.control_queue <= P.control_transmit,
                "control_transmit: must take everything that control_queue holds");
  static_assert(exchange_room(P) <= P.control_transmit,
                "control_transmit: a whole key exchange must fit, with the KEXINIT of the profile's lists");
  static_assert(P.control_queue >= 2 * reply_room, "control_queue: at least two replies of 512 bytes");
  static_assert(P.control_queue <= 0xffff, "control_queue: at most 65,535 bytes, a message's length takes two");
  static_assert(P.backlog_block >= 64 && P.backlog_block % 8 == 0,
                "backlog_block: at least 64 bytes, and a multiple of 8, for blocks lie side by side");
  static_assert(P.kexinit >= 2'048, "kexinit: today's peers send up to 2 kB");
  static_assert(P.kexinit <= P.payload_limit, "kexinit: not above payload_limit");
  static_assert(P.channels >= 1 && P.pending_requests >= 1 && P.pending_global_requests >= 1,
                "tables: at least one entry each");
  static_assert(P.password <= 100, "password: longer ones are refused before crypt()");
  static constexpr bool hold = true;
};

}  // namespace sshape

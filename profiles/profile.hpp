// A profile decides the memory of a build. Every limit has a name here; sizes are bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sshape {

// Algorithm lists, in order of preference, as SSH name-lists (RFC 4251, 5).
struct AlgorithmLists {
  std::string_view kex;
  std::string_view host_keys;   // signature algorithms of servers
  std::string_view ciphers;
  std::string_view macs;        // for ciphers that are not AEAD; may be empty
  std::string_view compression;
  std::string_view user_signatures;  // what server-sig-algs says (RFC 8308, 3.1)
};

struct Profile {
  std::string_view name;

  // Receive windows and the pool they draw on (RFC 4254, 5.2).
  std::uint32_t window;          // credit a channel opens with
  std::uint32_t window_ceiling;  // the most that growth or -W may give one channel
  std::uint32_t window_floor;    // credit that every slot of the channel table has for itself
  std::uint32_t pool;            // credit granted plus bytes buffered, all channels together
  std::uint32_t packets_in_window;  // the advertised packet is at most window / this
  std::uint32_t packet_preferred;   // and at most this: measured, beyond it nothing gets faster
  std::uint32_t backlog_block;      // size of the blocks that hold what a slow sink did not take

  // Packets.
  std::uint32_t payload_limit;        // largest payload accepted after login
  bool below_rfc_minimum = false;     // gives up RFC 4253, 6.1's 32,768 and 35,000, by name
  std::uint32_t receive_ahead;        // received beyond one whole packet: packets a system call
  std::uint32_t send_data;            // largest channel data that we put in one packet
  std::uint32_t transmit_ahead;       // sealed and unsent channel data, at most
  std::uint32_t control_queue;        // unsealed control messages that wait for a key exchange
  std::uint32_t control_transmit;     // transmit space that channel data may not use

  // Tables.
  std::uint16_t channels;
  std::uint16_t pending_requests;         // requests of one channel whose reply is owed
  std::uint16_t pending_global_requests;  // likewise of the connection

  // Strings of the peer's.
  std::uint16_t kexinit;          // a whole SSH_MSG_KEXINIT of the peer's
  std::uint16_t identification_lines;  // lines before a server's identification, for a client
  std::uint16_t user_name;
  std::uint16_t password;
  std::uint16_t key_blob;         // a public key that someone logs in with
  std::uint16_t term;             // TERM of a pty-req
  std::uint16_t terminal_modes;
  std::uint16_t environment_name;
  std::uint16_t environment_value;
  std::uint32_t command;          // exec command, subsystem name
  std::uint16_t banner;
  std::uint16_t authorized_keys_lines;
  std::uint16_t authorized_keys_line;  // longer ones are skipped

  // Before login.
  std::uint32_t login_bytes;      // received before login, all messages together
  std::uint16_t login_packets;
  std::uint16_t login_seconds;

  // Rekey (RFC 4253, 9): besides the cipher's own limits.
  std::uint64_t rekey_bytes;
  std::uint32_t rekey_seconds;

  std::uint16_t stall_seconds;    // a peer that takes nothing while we owe it replies

  AlgorithmLists algorithms;
};

}  // namespace sshape

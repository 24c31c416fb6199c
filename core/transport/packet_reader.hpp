// Packets on their way in: found, checked and opened where the socket left them.
#pragma once

#include <optional>

#include "core/crypto/packet_cipher.hpp"
#include "core/error.hpp"
#include "profiles/active.hpp"

namespace sshape::transport {

class PacketReader {
 public:
  void lend(MutableBytes region) { region_ = region; }

  // Where to receive; empty while a whole region of unread bytes waits. May move unread bytes: no
  // payload of next() may be in use.
  MutableBytes space();
  void received(std::size_t bytes) { tail_ += bytes; }

  // A line up to LF without CR LF or LF, for the identification; nullopt: more is needed. A line
  // longer than `limit` bytes, all counted, is a fault.
  Expected<std::optional<std::string_view>> line(std::size_t limit);

  // The next packet's payload, valid until next() or space(); nullopt: more is needed.
  Expected<std::optional<Bytes>> next();

  // New keys: used from the next packet on.
  void start(crypto::CipherAlgorithm algorithm, Bytes key, Bytes iv, crypto::MacAlgorithm mac, Bytes mac_key);
  void reset_sequence() { sequence_ = 0; }
  // After login packets may be as large as the profile says.
  void allow_large_packets() { limit_ = packet_limit(active::profile); }

  std::uint32_t last_sequence() const { return sequence_ - 1; }  // of the last packet returned
  std::uint64_t bytes_under_key() const { return bytes_; }
  std::uint64_t packets_under_key() const { return packets_; }
  std::uint64_t packets() const { return all_packets_; }
  const crypto::CipherShape& shape() const { return cipher_.shape(); }

 private:
  Status read_length();

  MutableBytes region_;
  std::size_t head_ = 0;      // first unread byte
  std::size_t tail_ = 0;      // end of what was received
  std::size_t whole_ = 0;     // bytes of the packet at head_, tag included; 0: length not read yet
  std::uint32_t limit_ = packet_limit_before_login;
  std::uint32_t sequence_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t packets_ = 0;
  std::uint64_t all_packets_ = 0;
  crypto::PacketCipher cipher_;
};

}  // namespace sshape::transport

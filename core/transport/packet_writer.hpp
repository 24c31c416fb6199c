// Packets on their way out: built, padded and sealed where the socket takes them from.
#pragma once

#include <array>

#include "core/bytes.hpp"
#include "core/crypto/packet_cipher.hpp"
#include "core/crypto/random.hpp"
#include "profiles/active.hpp"

namespace sshape::transport {

// Channel data may use the region up to `transmit_ahead`; control messages all of it, so that
// a slow socket never keeps a reply or a key exchange from being sealed.
enum class Lane : std::uint8_t { data, control };

class PacketWriter {
 public:
  void lend(MutableBytes region) { region_ = region; }

  // Space for one payload of at most `most` bytes, inside the packet under construction. Empty: no
  // room on that lane now. A packet that is opened again without seal() is forgotten.
  MutableBytes open(std::size_t most, Lane lane);
  // Closes the packet: its payload is the first `size` bytes of the space.
  void seal(std::size_t size);
  bool room(std::size_t most, Lane lane) const;
  // The largest payload that open() would grant on that lane now.
  std::size_t largest(Lane lane) const;

  // Bytes that are no packet: the identification string.
  bool raw(Bytes bytes);

  Bytes ready() const;         // sealed and unsent
  void sent(std::size_t count);
  std::size_t unsent() const { return tail_ - head_; }

  // New keys: used from the next packet on.
  void start(crypto::CipherAlgorithm algorithm, Bytes key, Bytes iv, crypto::MacAlgorithm mac, Bytes mac_key, crypto::Random& padding);
  void reset_sequence() { sequence_ = 0; }

  std::uint32_t sequence() const { return sequence_; }   // of the next packet
  std::uint64_t bytes_under_key() const { return bytes_; }
  std::uint64_t packets_under_key() const { return packets_; }
  const crypto::CipherShape& shape() const { return cipher_.shape(); }

 private:
  std::size_t framed(std::size_t payload) const;  // whole packet for a payload
  std::size_t limit(Lane lane) const;

  MutableBytes region_;
  std::size_t head_ = 0;  // first unsent byte
  std::size_t tail_ = 0;  // end of the last sealed packet
  std::uint32_t sequence_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t packets_ = 0;
  crypto::PacketCipher cipher_;
  std::array<std::byte, 64> padding_{};  // random; new with each key
};

}  // namespace sshape::transport

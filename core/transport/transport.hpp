// The transport protocol (RFC 4253): identification, packets, key exchange, rekey, extensions.
#pragma once

#include "core/crypto/random.hpp"
#include "core/error.hpp"
#include "core/events.hpp"
#include "core/instant.hpp"
#include "core/transport/config.hpp"
#include "core/transport/identification.hpp"
#include "core/transport/key_exchange.hpp"
#include "core/transport/outbox.hpp"
#include "core/transport/packet_reader.hpp"
#include "core/transport/packet_writer.hpp"

namespace sshape::transport {

class Transport {
 public:
  Transport(Role role, const TransportConfig& config, crypto::Random& random);
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  // Regions of receive_region() and transmit_region() bytes, for life. Our identification and
  // KEXINIT are ready to send when this returns.
  void begin(MutableBytes receive, MutableBytes transmit, Instant now);

  // The next message of the peer's, with its number; nullopt: more bytes are needed, or replies
  // must leave first. A packet with a wrong guess is dropped here.
  Expected<std::optional<Bytes>> next_message();
  // Replies cannot be kept: nothing is parsed until some have been sent.
  bool choked() const;

  // Seals control messages that may go now; starts a rekey that is due.
  void flush(Instant now);
  // Channel data may be sealed now.
  bool may_send_data() const { return exchange_.completed_once() && !exchange_.we_are_exchanging() && outbox_.empty(); }

  // DISCONNECT with a text, ahead of everything that is not sealed yet.
  void disconnect(Disconnect reason, std::string_view text);

  // A rekey at the next flush(); the port's wish.
  void rekey() { rekey_wanted_ = true; }
  // Rekeys may happen from now on, packets may be large (after login).
  void logged_in();

  // Messages 3, 7, 20, 21, 30, 31 of the peer's.
  Expected<Event> on_ext_info(wire::Reader& message);
  Expected<Event> on_kexinit(wire::Reader& message, Bytes whole) { return exchange_.on_kexinit(message, whole); }
  Expected<Event> on_newkeys(wire::Reader& message, Instant now);
  // Answers the message that was read last (RFC 4253, 11.4), at a bounded rate.
  void unimplemented(Instant now);

  KeyExchange& exchange() { return exchange_; }
  const KeyExchange& exchange() const { return exchange_; }
  PacketReader& reader() { return reader_; }
  PacketWriter& writer() { return writer_; }
  const PacketWriter& writer() const { return writer_; }
  Outbox& outbox() { return outbox_; }
  const Identification& identification() const { return identification_; }
  bool identified() const { return identified_; }
  Instant rekey_at() const;  // when time alone asks for the next rekey

  // server-sig-algs of the server (RFC 8308, 3.1); what did not fit is cut at a comma.
  std::string_view server_signature_algorithms() const { return {signature_algorithms_.data(), signature_algorithms_size_}; }

 private:
  bool rekey_due(Instant now) const;
  void send_ext_info();

  Role role_;
  TransportConfig config_;
  PacketReader reader_;
  PacketWriter writer_;
  Outbox outbox_;
  Identification identification_;
  KeyExchange exchange_;
  bool identified_ = false;
  bool rekeys_allowed_ = false;
  bool rekey_wanted_ = false;
  Instant keys_since_ = 0;
  Instant unimplemented_since_ = 0;
  std::uint32_t unimplemented_count_ = 0;
  std::array<char, 256> signature_algorithms_{};
  std::size_t signature_algorithms_size_ = 0;
};

}  // namespace sshape::transport

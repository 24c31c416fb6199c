// One key exchange after another, in either role (RFC 4253, 7 and 8; RFC 5656, 4; RFC 8731).
#pragma once

#include <array>
#include <optional>

#include "core/crypto/key_agreement.hpp"
#include "core/crypto/random.hpp"
#include "core/error.hpp"
#include "core/events.hpp"
#include "core/transport/config.hpp"
#include "core/transport/negotiation.hpp"
#include "core/transport/packet_reader.hpp"
#include "core/transport/packet_writer.hpp"

namespace sshape::transport {

class KeyExchange {
 public:
  KeyExchange(Role role, const TransportConfig& config, crypto::Random& random,
              PacketReader& reader, PacketWriter& writer);

  // The identification strings, without CR LF, as the exchange hash needs them. They outlive this.
  void identify(std::string_view client, std::string_view server);

  // Sends our KEXINIT. Needs room for exchange_room(profile).
  void start();

  // The peer's messages. `whole` is the message with its number.
  Expected<Event> on_kexinit(wire::Reader& message, Bytes whole);
  Expected<Event> on_ecdh_init(wire::Reader& message, QuestionId next_question);
  Expected<Event> on_ecdh_reply(wire::Reader& message, QuestionId next_question);
  Expected<Event> on_newkeys(wire::Reader& message);

  Status answer_signature(QuestionId question, Bytes signature_blob);
  Status answer_host_key(QuestionId question, HostKeyVerdict verdict);

  // True once: a packet with a wrong guess has to be dropped (RFC 4253, 7).
  bool drop_wrong_guess();

  bool pending() const { return question_ != QuestionId::none; }
  bool we_are_exchanging() const { return sent_kexinit_ && !sent_newkeys_; }  // may send nothing else
  bool peer_is_exchanging() const { return got_kexinit_; }
  bool idle() const { return !sent_kexinit_ && !got_kexinit_; }
  bool completed_once() const { return completed_; }
  bool strict() const { return strict_; }
  const Agreed& agreed() const { return agreed_; }
  Bytes session_id() const { return session_id_.bytes(); }

 private:
  void hash_beginning(Bytes peer_kexinit);
  Status send_client_share();
  Status send_newkeys();
  Bytes host_key_blob() const;

  Role role_;
  const TransportConfig& config_;
  crypto::Random& random_;
  PacketReader& reader_;
  PacketWriter& writer_;
  std::string_view client_identification_;
  std::string_view server_identification_;

  OurOffer ours_;
  Agreed agreed_;
  bool sent_kexinit_ = false;
  bool got_kexinit_ = false;
  bool sent_newkeys_ = false;
  bool got_share_ = false;    // the one message of the exchange itself has come
  bool drop_guess_ = false;
  bool strict_ = false;
  bool completed_ = false;    // at least one exchange is whole
  QuestionId question_ = QuestionId::none;

  crypto::KeyAgreement agreement_;
  crypto::SharedSecret secret_;
  // Our public share, which the exchange hash or the reply needs once more.
  std::array<std::byte, crypto::KeyAgreement::client_share_limit> share_;
  std::size_t share_size_ = 0;
  crypto::Digest exchange_hash_;
  crypto::Digest session_id_;
  crypto::Digest host_key_;  // SHA-256 of the server's blob in the first exchange
  // The exchange hash over everything up to the identification strings and KEXINITs.
  std::optional<crypto::Hash> hash_;
  // The peer's next keys, from our NEWKEYS to theirs.
  crypto::Secret<64> next_key_;
  crypto::Secret<16> next_iv_;
  crypto::Secret<32> next_mac_key_;
};

}  // namespace sshape::transport

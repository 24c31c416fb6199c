#include "core/transport/key_exchange.hpp"

#include "core/crypto/public_key.hpp"
#include "core/transport/key_schedule.hpp"
#include "core/wire/message_numbers.hpp"

namespace sshape::transport {

using wire::Message;

namespace {

constexpr auto failed = Disconnect::key_exchange_failed;
constexpr std::size_t kexinit_limit = 1'024;  // ours

// Sends one message on the control lane. The room was made sure of before.
template <class Compose>
Status send(PacketWriter& writer, std::size_t most, Compose compose) {
  wire::Writer message(writer.open(most, Lane::control));
  compose(message);
  if (!message.ok()) return fault("internal: a key exchange message does not fit", failed);
  writer.seal(message.size());
  return {};
}

}  // namespace

KeyExchange::KeyExchange(Role role, const TransportConfig& config, crypto::Random& random,
                         PacketReader& reader, PacketWriter& writer)
    : role_(role), config_(config), random_(random), reader_(reader), writer_(writer) {
  const AlgorithmLists& lists = active::profile.algorithms;
  ours_.kex = config.kex.empty() ? lists.kex : config.kex;
  ours_.ciphers = config.ciphers.empty() ? lists.ciphers : config.ciphers;
  ours_.host_keys = lists.host_keys;
  ours_.host_keys_first = config.known_host_key_algorithms;
  ours_.loaded_keys = config.host_keys;
}

void KeyExchange::identify(std::string_view client, std::string_view server) {
  client_identification_ = client;
  server_identification_ = server;
}

void KeyExchange::start() {
  random_.fill(ours_.cookie);
  ours_.first_exchange = !completed_;
  (void)send(writer_, kexinit_limit,
             [&](wire::Writer& out) { write_kexinit(role_, ours_, out); });
  sent_kexinit_ = true;
}

Expected<Event> KeyExchange::on_kexinit(wire::Reader& message, Bytes whole) {
  if (got_kexinit_) return fault("KEXINIT in the middle of a key exchange");
  if (whole.size() > active::profile.kexinit)
    return fault("KEXINIT larger than this end accepts", failed);
  if (!sent_kexinit_) start();

  const Expected<Offer> theirs = parse_kexinit(message);
  if (!theirs) return std::unexpected(theirs.error());
  const Expected<Agreed> agreed = negotiate(role_, ours_, *theirs);
  if (!agreed) return std::unexpected(agreed.error());
  // The pseudo-algorithms count in the first exchange only.
  const bool takes_ext_info = completed_ ? agreed_.peer_takes_ext_info : agreed->peer_takes_ext_info;
  agreed_ = *agreed;
  agreed_.peer_takes_ext_info = takes_ext_info;
  if (!completed_ && agreed->peer_strict) {
    strict_ = true;
    if (reader_.packets() != 1)
      return fault("strict key exchange: KEXINIT must be the very first packet");
  }
  got_kexinit_ = true;
  drop_guess_ = theirs->first_kex_packet_follows && !agreed->guess_right;
  hash_beginning(whole);
  if (role_ == Role::client)
    if (Status status = send_client_share(); !status) return std::unexpected(status.error());
  return Event{};
}

// V_C, V_S, I_C, I_S. Ours is composed again from its cookie rather than kept.
void KeyExchange::hash_beginning(Bytes peer_kexinit) {
  std::array<std::byte, kexinit_limit> space;
  wire::Writer our_kexinit(space);
  write_kexinit(role_, ours_, our_kexinit);
  hash_.emplace(crypto::hash_of(agreed_.kex_algorithm));
  hash_->string(bytes_of(client_identification_)).string(bytes_of(server_identification_));
  if (role_ == Role::client) {
    hash_->string(our_kexinit.written()).string(peer_kexinit);
  } else {
    hash_->string(peer_kexinit).string(our_kexinit.written());
  }
}

Status KeyExchange::send_client_share() {
  wire::Writer share(share_);
  if (Status status = agreement_.start_client(agreed_.kex_algorithm, random_, share); !status)
    return status;
  share_size_ = share.size();
  return send(writer_, 1 + 4 + share_size_, [&](wire::Writer& out) {
    out.byte(number(Message::kex_ecdh_init)).string(share.written());
  });
}

// Server: the client's share. The reply waits for the signature of whoever holds the host key.
Expected<Event> KeyExchange::on_ecdh_init(wire::Reader& message, QuestionId next_question) {
  if (!got_kexinit_ || got_share_) return fault("key exchange message out of order");
  const Bytes client_share = message.string();
  if (!message.at_end()) return fault("KEX_ECDH_INIT: exactly one string is expected");
  got_share_ = true;

  wire::Writer share(share_);
  if (Status status = crypto::KeyAgreement::respond(agreed_.kex_algorithm, client_share, random_,
                                                    share, secret_);
      !status)
    return std::unexpected(status.error());
  share_size_ = share.size();

  hash_->string(host_key_blob()).string(client_share).string(share.written());
  secret_.add_to(*hash_);
  exchange_hash_ = hash_->finish();
  hash_.reset();
  if (!completed_) session_id_ = exchange_hash_;
  question_ = next_question;
  return event::SignExchangeHash{question_, agreed_.host_key, host_key_blob(),
                                 exchange_hash_.bytes(), session_id_.bytes()};
}

Status KeyExchange::answer_signature(QuestionId question, Bytes signature_blob) {
  if (question != question_ || role_ != Role::server) return {};
  question_ = QuestionId::none;
  if (signature_blob.empty()) return fault("the host key cannot sign now", failed);
  const Bytes blob = host_key_blob();
  const Bytes share = Bytes(share_).first(share_size_);
  if (Status status = send(writer_, 1 + 12 + blob.size() + share.size() + signature_blob.size(),
                           [&](wire::Writer& out) {
                             out.byte(number(Message::kex_ecdh_reply));
                             out.string(blob).string(share).string(signature_blob);
                           });
      !status)
    return status;
  return send_newkeys();
}

// Client: the checks come in this order: the blob's type, the signature's name, the signature, and
// only then the question whether this host may have this key.
Expected<Event> KeyExchange::on_ecdh_reply(wire::Reader& message, QuestionId next_question) {
  if (!got_kexinit_ || got_share_) return fault("key exchange message out of order");
  const Bytes blob = message.string();
  const Bytes server_share = message.string();
  const Bytes signature = message.string();
  if (!message.at_end()) return fault("KEX_ECDH_REPLY: exactly three strings are expected");
  got_share_ = true;

  if (Status status = agreement_.finish_client(server_share, secret_); !status)
    return std::unexpected(status.error());
  hash_->string(blob).string(Bytes(share_).first(share_size_)).string(server_share);
  secret_.add_to(*hash_);
  exchange_hash_ = hash_->finish();
  hash_.reset();

  if (Status status = crypto::verify(agreed_.host_key, blob, exchange_hash_.bytes(), signature);
      !status)
    return std::unexpected(Fault{Disconnect::host_key_not_verifiable, status.error().text});

  const crypto::Digest digest = crypto::hash(crypto::HashAlgorithm::sha256, blob);
  if (completed_) {
    if (!same_bytes(digest.bytes(), host_key_.bytes()))
      return fault("the host key changed at a rekey", Disconnect::host_key_not_verifiable);
    if (Status status = send_newkeys(); !status) return std::unexpected(status.error());
    return Event{};
  }
  host_key_ = digest;
  session_id_ = exchange_hash_;
  question_ = next_question;
  return event::VerifyHostKey{question_, agreed_.host_key, blob};
}

Status KeyExchange::answer_host_key(QuestionId question, HostKeyVerdict verdict) {
  if (question != question_ || role_ != Role::client) return {};
  question_ = QuestionId::none;
  if (verdict != HostKeyVerdict::accept)
    return fault("host key refused", Disconnect::host_key_not_verifiable);
  return send_newkeys();
}

// Our direction changes at once; the peer's keys wait for its NEWKEYS.
Status KeyExchange::send_newkeys() {
  if (Status status = send(writer_, 1, [](wire::Writer& out) { out.byte(number(Message::newkeys)); });
      !status)
    return status;
  sent_newkeys_ = true;

  const bool client = role_ == Role::client;
  const auto algorithm = crypto::hash_of(agreed_.kex_algorithm);
  const auto derive = [&](char letter, auto& into, std::size_t size) {
    into.resize(size);
    derive_key(algorithm, secret_, exchange_hash_.bytes(), letter, session_id_.bytes(),
               into.space().first(size));
  };
  const auto out_algorithm = client ? agreed_.cipher_out_algorithm : agreed_.cipher_in_algorithm;
  const auto in_algorithm = client ? agreed_.cipher_in_algorithm : agreed_.cipher_out_algorithm;
  {
    crypto::Secret<64> key;
    crypto::Secret<16> iv;
    crypto::Secret<32> mac_key;
    const auto mac = client ? agreed_.mac_out_algorithm : agreed_.mac_in_algorithm;
    const crypto::CipherShape shape = crypto::shape_of(out_algorithm, mac);
    derive(client ? 'A' : 'B', iv, shape.iv);
    derive(client ? 'C' : 'D', key, shape.key);
    derive(client ? 'E' : 'F', mac_key, shape.mac_key);
    writer_.start(out_algorithm, key.bytes(), iv.bytes(), mac, mac_key.bytes(), random_);
    if (strict_) writer_.reset_sequence();
  }
  const crypto::CipherShape shape =
      crypto::shape_of(in_algorithm, client ? agreed_.mac_in_algorithm : agreed_.mac_out_algorithm);
  derive(client ? 'B' : 'A', next_iv_, shape.iv);
  derive(client ? 'D' : 'C', next_key_, shape.key);
  derive(client ? 'F' : 'E', next_mac_key_, shape.mac_key);
  secret_.value.clear();
  agreement_.clear();
  return {};
}

Expected<Event> KeyExchange::on_newkeys(wire::Reader& message) {
  if (!message.at_end()) return fault("NEWKEYS carries nothing");
  if (!sent_newkeys_) return fault("NEWKEYS before the key exchange is finished");
  const auto in_algorithm =
      role_ == Role::client ? agreed_.cipher_in_algorithm : agreed_.cipher_out_algorithm;
  const auto mac = role_ == Role::client ? agreed_.mac_in_algorithm : agreed_.mac_out_algorithm;
  reader_.start(in_algorithm, next_key_.bytes(), next_iv_.bytes(), mac, next_mac_key_.bytes());
  if (strict_) reader_.reset_sequence();
  next_key_.clear();
  next_iv_.clear();
  next_mac_key_.clear();

  const bool first = !completed_;
  completed_ = true;
  sent_kexinit_ = got_kexinit_ = sent_newkeys_ = got_share_ = false;
  const bool client = role_ == Role::client;
  return event::KeysChanged{first, agreed_.kex, agreed_.host_key,
                            client ? agreed_.cipher_in : agreed_.cipher_out,
                            client ? agreed_.cipher_out : agreed_.cipher_in};
}

bool KeyExchange::drop_wrong_guess() {
  const bool drop = drop_guess_;
  drop_guess_ = false;
  return drop;
}

Bytes KeyExchange::host_key_blob() const {
  const std::string_view type = crypto::key_type_of_algorithm(agreed_.host_key);
  for (const Bytes blob : config_.host_keys)
    if (crypto::key_type(blob) == type) return blob;
  return {};
}

}  // namespace sshape::transport

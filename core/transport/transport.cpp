#include "core/transport/transport.hpp"

#include <algorithm>

#include "core/wire/message_numbers.hpp"

namespace sshape::transport {

namespace {
constexpr std::size_t room_for_exchange = exchange_room(active::profile);
}  // namespace

using wire::Message;

Transport::Transport(Role role, const TransportConfig& config, crypto::Random& random)
    : role_(role),
      config_(config),
      identification_(role == Role::client, config.software),
      exchange_(role, config_, random, reader_, writer_) {}

void Transport::begin(MutableBytes receive, MutableBytes transmit, Instant now) {
  reader_.lend(receive);
  writer_.lend(transmit);
  keys_since_ = now;
  writer_.raw(identification_.ours_with_crlf());
  exchange_.start();
}

Expected<std::optional<Bytes>> Transport::next_message() {
  if (!identified_) {
    const Expected<bool> there = identification_.read(reader_);
    if (!there) return std::unexpected(there.error());
    if (!*there) return std::nullopt;
    identified_ = true;
    const bool client = role_ == Role::client;
    exchange_.identify(client ? identification_.ours() : identification_.theirs(),
                       client ? identification_.theirs() : identification_.ours());
  }
  while (!choked()) {
    auto payload = reader_.next();
    if (!payload || !*payload) return payload;
    if (exchange_.drop_wrong_guess()) continue;
    return payload;
  }
  return std::nullopt;
}

bool Transport::choked() const {
  // During a key exchange replies cannot leave, and reading on is the way to its end: what is owed then
  // waits in fixed tables, one past which is a fault.
  return (!outbox_.room(reply_room) && !exchange_.we_are_exchanging()) ||
         (exchange_.idle() && !writer_.room(room_for_exchange, Lane::control));
}

void Transport::flush(Instant now) {
  if (exchange_.we_are_exchanging() || !exchange_.completed_once()) return;
  while (!outbox_.empty()) {
    const Bytes message = outbox_.front();
    if (!writer_.room(message.size() + room_for_exchange, Lane::control)) return;
    const MutableBytes space = writer_.open(message.size(), Lane::control);
    copy_bytes(space, message);
    writer_.seal(message.size());
    outbox_.pop();
  }
  if (rekey_due(now) && exchange_.idle() && writer_.room(room_for_exchange, Lane::control)) {
    rekey_wanted_ = false;
    exchange_.start();
  }
}

void Transport::disconnect(Disconnect reason, std::string_view text) {
  text = text.substr(0, 256);
  wire::Writer message(writer_.open(1 + 4 + 4 + text.size() + 4, Lane::control));
  message.byte(number(Message::disconnect))
      .uint32(static_cast<std::uint32_t>(reason))
      .string(text)
      .string(std::string_view{});
  if (message.ok()) writer_.seal(message.size());
}

void Transport::logged_in() {
  rekeys_allowed_ = true;
  reader_.allow_large_packets();
}

Expected<Event> Transport::on_ext_info(wire::Reader& message) {
  constexpr std::uint32_t extensions_limit = 1'024;
  const std::uint32_t count = message.uint32();
  if (count > extensions_limit) return fault("EXT_INFO: more than 1,024 extensions");
  for (std::uint32_t i = 0; i < count && message.ok(); ++i) {
    const std::string_view name = message.text();
    const std::string_view value = message.text();
    if (name != "server-sig-algs" || role_ != Role::client) continue;
    std::string_view kept = value;
    if (kept.size() > signature_algorithms_.size()) {
      kept = kept.substr(0, signature_algorithms_.size());
      kept = kept.substr(0, kept.rfind(',') == std::string_view::npos ? 0 : kept.rfind(','));
    }
    std::copy(kept.begin(), kept.end(), signature_algorithms_.begin());
    signature_algorithms_size_ = kept.size();
  }
  if (!message.at_end()) return fault("EXT_INFO: not a count and as many pairs of strings");
  return Event{};
}

Expected<Event> Transport::on_newkeys(wire::Reader& message, Instant now) {
  const bool first = !exchange_.completed_once();
  Expected<Event> event = exchange_.on_newkeys(message);
  if (!event) return event;
  keys_since_ = now;
  if (first) send_ext_info();
  return event;
}

// RFC 8308, 2.4: the first message after our first NEWKEYS.
void Transport::send_ext_info() {
  if (role_ != Role::server || !exchange_.agreed().peer_takes_ext_info) return;
  wire::Writer message = outbox_.compose(reply_room);
  message.byte(number(Message::ext_info))
      .uint32(1)
      .string(std::string_view("server-sig-algs"))
      .string(active::profile.algorithms.user_signatures);
  if (message.ok()) outbox_.commit(message);
}

void Transport::unimplemented(Instant now) {
  constexpr std::uint32_t a_second = 16;
  if (now - unimplemented_since_ >= second) {
    unimplemented_since_ = now;
    unimplemented_count_ = 0;
  }
  if (++unimplemented_count_ > a_second) return;
  wire::Writer message = outbox_.compose(5);
  message.byte(number(Message::unimplemented)).uint32(reader_.last_sequence());
  if (message.ok()) outbox_.commit(message);
}

Instant Transport::rekey_at() const {
  return rekeys_allowed_ ? keys_since_ + config_.rekey_after : never;
}

bool Transport::rekey_due(Instant now) const {
  if (!rekeys_allowed_) return false;
  if (rekey_wanted_ || now >= rekey_at()) return true;
  const auto past = [&](const auto& direction) {
    return direction.bytes_under_key() >= std::min(config_.rekey_bytes, direction.shape().rekey_bytes) ||
           direction.packets_under_key() >= std::min(config_.rekey_packets, direction.shape().rekey_packets);
  };
  return past(writer_) || past(reader_);
}

}  // namespace sshape::transport

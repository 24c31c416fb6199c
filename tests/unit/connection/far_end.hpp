// One Connection with the test at its far end: messages in, events and messages out.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "core/connection/connection.hpp"
#include "core/wire/message_numbers.hpp"
#include "tests/support/seeded.hpp"

namespace sshape::test {

using connection::Connection;
using connection::SendSlot;
using wire::Message;

// A message that the connection sent, number included.
struct Sent {
  std::vector<std::byte> bytes;

  Message number() const { return static_cast<Message>(bytes.at(0)); }
  wire::Reader fields() const { return wire::Reader(Bytes(bytes).subspan(1)); }
  std::uint32_t channel() const { return fields().uint32(); }  // recipient
};

inline void PrintTo(const Sent& sent, std::ostream* out) { *out << "message " << int(sent.number()) << " of " << sent.bytes.size() << " bytes"; }

template <class T>
const T* as(const Expected<Event>& event) {
  return event ? std::get_if<T>(&*event) : nullptr;
}
template <class T>
const T* as(const Event& event) {
  return std::get_if<T>(&event);
}

inline const Profile& profile = active::profile;

class FarEnd {
 public:
  explicit FarEnd(Role role, std::uint32_t window = profile.window, bool grows = false)
      : role_(role), memory_(std::make_unique<active::Allocator>(pages_)), transmit_(transmit_region(profile)),
        connection_(std::make_unique<Connection>(role, connection::ConnectionConfig{window, grows}, *memory_)) {
    writer_.lend(transmit_);
  }

  Connection& connection() { return *connection_; }
  transport::Outbox& outbox() { return out_; }
  transport::PacketWriter& writer() { return writer_; }
  active::Allocator& memory() { return *memory_; }

  // One message to the connection, as the session passes it on: the loan of the last one ends first.
  Expected<Event> receive(Bytes message) {
    if (Status settled = connection_->settle(); !settled) return std::unexpected(settled.error());
    kept_.assign(message.begin(), message.end());  // an event borrows from it
    wire::Reader in(kept_);
    return (connection_.get()->*handler(static_cast<Message>(in.byte())))(in);
  }
  template <class Fields>
  Expected<Event> receive(Message number, Fields fields) {
    wire::Writer message{MutableBytes(composed_)};
    message.byte(wire::number(number));
    fields(message);
    EXPECT_TRUE(message.ok());
    return receive(message.written());
  }
  Expected<Event> receive(Message number, std::uint32_t channel) {
    return receive(number, [&](wire::Writer& m) { m.uint32(channel); });
  }
  Expected<Event> data(std::uint32_t channel, std::size_t size, std::byte fill = std::byte{'x'}) {
    const std::vector<std::byte> bytes(size, fill);
    return receive(Message::channel_data, [&](wire::Writer& m) { m.uint32(channel).string(Bytes(bytes)); });
  }
  Expected<Event> data(std::uint32_t channel, std::string_view text) {
    return receive(Message::channel_data, [&](wire::Writer& m) { m.uint32(channel).string(text); });
  }
  Expected<Event> extended(std::uint32_t channel, std::uint32_t type, std::string_view text) {
    return receive(Message::channel_extended_data, [&](wire::Writer& m) { m.uint32(channel).uint32(type).string(text); });
  }
  Expected<Event> adjust(std::uint32_t channel, std::uint32_t bytes) {
    return receive(Message::channel_window_adjust, [&](wire::Writer& m) { m.uint32(channel).uint32(bytes); });
  }
  template <class Fields>
  Expected<Event> request(std::uint32_t channel, std::string_view type, bool want_reply, Fields fields) {
    return receive(Message::channel_request, [&](wire::Writer& m) {
      m.uint32(channel).string(type).boolean(want_reply);
      fields(m);
    });
  }
  Expected<Event> request(std::uint32_t channel, std::string_view type, bool want_reply) {
    return request(channel, type, want_reply, [](wire::Writer&) {});
  }

  // Everything that is due, as messages.
  std::vector<Sent> pump() {
    connection_->pump(out_);
    return drain();
  }
  std::vector<Sent> drain() {
    std::vector<Sent> all;
    for (; !out_.empty(); out_.pop()) all.push_back({{out_.front().begin(), out_.front().end()}});
    return all;
  }
  Event pending() { return connection_->pending_event(); }

  // Channel data that was sealed, as messages, and the region empty again. Unencrypted packets.
  std::vector<Sent> packets() {
    std::vector<Sent> all;
    Bytes ready = writer_.ready();
    for (Bytes rest = ready; !rest.empty();) {
      const std::uint32_t length = wire::load_uint32(rest.data());
      const auto padding = std::to_integer<std::uint32_t>(rest[4]);
      const Bytes payload = rest.subspan(5, length - 1 - padding);
      all.push_back({{payload.begin(), payload.end()}});
      rest = rest.subspan(4 + length);
    }
    writer_.sent(ready.size());
    return all;
  }
  // Fills the next slot as far as `most`. The slot, its space shortened to what was produced.
  SendSlot send(std::size_t most = ~std::size_t{0}, std::byte fill = std::byte{'y'}) {
    SendSlot slot = connection_->next_send(writer_);
    slot.space = slot.space.first(std::min(most, slot.space.size()));
    std::ranges::fill(slot.space, fill);
    connection_->produced(slot.space.size(), writer_);
    return slot;
  }

  // An open session channel; the peer's number is `peer`. The role decides who opens it.
  ChannelId open(std::uint32_t peer = 7, std::uint32_t window = 1 << 20, std::uint32_t packet = 32'768) {
    ChannelId id{};
    if (role_ == Role::server) {
      const auto event = ask_to_open("session", peer, window, packet);
      const auto* question = as<event::OpenSession>(event);
      if (question == nullptr) throw std::runtime_error("no OpenSession");
      id = question->channel;
      connection_->answer_open(question->question);
      opened_with_ = pump().at(0);
    } else {
      id = connection_->open_session(out_).value();
      opened_with_ = pump().at(0);
      const auto event = receive(Message::channel_open_confirmation, [&](wire::Writer& m) {
        m.uint32(static_cast<std::uint32_t>(id)).uint32(peer).uint32(window).uint32(packet);
      });
      if (as<event::ChannelOpened>(event) == nullptr) throw std::runtime_error("no ChannelOpened");
    }
    return id;
  }
  Expected<Event> ask_to_open(std::string_view type, std::uint32_t peer, std::uint32_t window = 1 << 20, std::uint32_t packet = 32'768) {
    return receive(Message::channel_open, [&](wire::Writer& m) { m.string(type).uint32(peer).uint32(window).uint32(packet); });
  }
  // CHANNEL_OPEN or its confirmation, of the last open(): what window and packet were offered.
  std::uint32_t offered_window() const { return offer().first; }
  std::uint32_t offered_packet() const { return offer().second; }

 private:
  std::pair<std::uint32_t, std::uint32_t> offer() const {
    wire::Reader in = opened_with_.fields();
    if (opened_with_.number() == Message::channel_open) in.string();
    else in.uint32();
    in.uint32();
    const std::uint32_t window = in.uint32();
    return {window, in.uint32()};
  }

  using Handler = Expected<Event> (Connection::*)(wire::Reader&);
  static Handler handler(Message number) {
    switch (number) {
      case Message::global_request: return &Connection::on_global_request;
      case Message::request_success: return &Connection::on_request_success;
      case Message::request_failure: return &Connection::on_request_failure;
      case Message::channel_open: return &Connection::on_open;
      case Message::channel_open_confirmation: return &Connection::on_open_confirmation;
      case Message::channel_open_failure: return &Connection::on_open_failure;
      case Message::channel_window_adjust: return &Connection::on_window_adjust;
      case Message::channel_data: return &Connection::on_data;
      case Message::channel_extended_data: return &Connection::on_extended_data;
      case Message::channel_eof: return &Connection::on_eof;
      case Message::channel_close: return &Connection::on_close;
      case Message::channel_request: return &Connection::on_request;
      case Message::channel_success: return &Connection::on_channel_success;
      case Message::channel_failure: return &Connection::on_channel_failure;
      default: throw std::runtime_error("not a message of the connection protocol");
    }
  }

  Role role_;
  MappedPages pages_;
  std::unique_ptr<active::Allocator> memory_;
  std::vector<std::byte> transmit_;
  std::unique_ptr<Connection> connection_;
  transport::Outbox out_;
  transport::PacketWriter writer_;
  std::vector<std::byte> composed_ = std::vector<std::byte>(profile.payload_limit + 64);
  std::vector<std::byte> kept_;
  Sent opened_with_;
};

constexpr std::uint32_t number(ChannelId id) { return static_cast<std::uint32_t>(id); }

inline std::string fault_of(const Expected<Event>& event) { return event ? "" : event.error().text; }

// The numbers of messages, in order.
inline std::vector<Message> numbers(const std::vector<Sent>& sent) {
  std::vector<Message> all;
  for (const Sent& one : sent) all.push_back(one.number());
  return all;
}

}  // namespace sshape::test

namespace sshape::wire {
inline void PrintTo(Message message, std::ostream* out) { *out << "message " << int(number(message)); }
}  // namespace sshape::wire

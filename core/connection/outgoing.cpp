// Control messages on their way out: replies, adjusts and ends, in their order.
#include <algorithm>

#include "core/connection/compose.hpp"
#include "core/connection/connection.hpp"

namespace sshape::connection {

using State = Channel::State;
using wire::Message;

namespace {

std::string_view refusal_text(OpenFailure reason) {
  switch (reason) {
    case OpenFailure::administratively_prohibited: return "not allowed";
    case OpenFailure::connect_failed: return "connection failed";
    case OpenFailure::unknown_channel_type: return "unknown channel type";
    case OpenFailure::resource_shortage: return "too many channels";
  }
  return {};
}

bool compose_refusal(PeerChannelId peer, OpenFailure reason, transport::Outbox& out) {
  return compose(out, small_message, [&](wire::Writer& m) {
    m.byte(number(Message::channel_open_failure)).uint32(number_of(peer)).uint32(static_cast<std::uint32_t>(reason));
    m.string(refusal_text(reason)).string(Bytes{});
  });
}

}  // namespace

void Connection::pump(transport::Outbox& out) {
  bool room = true;
  while (global_owed_ > 0 && room) {
    room = compose(out, small_message, [](wire::Writer& m) { m.byte(number(Message::request_failure)); });
    if (room) --global_owed_;
  }
  std::size_t refused = 0;
  while (refused < refusal_count_ && room) {
    room = compose_refusal(refusals_[refused].peer, refusals_[refused].reason, out);
    if (room) ++refused;
  }
  if (refused != 0) {
    std::copy(refusals_.data() + refused, refusals_.data() + refusal_count_, refusals_.data());
    refusal_count_ -= refused;
  }
  for (std::size_t i = due_.next(0); i != ChannelSet::none && room; i = due_.next(i + 1)) {
    room = pump_channel(channels_[i], out);
    if (room) due_.remove(i);
  }
}

// False: there was no room, and the rest comes later.
bool Connection::pump_channel(Channel& channel, transport::Outbox& out) {
  const std::uint32_t ours = static_cast<std::uint32_t>(id_of(channel));
  const auto send = [&](Message type, auto fields) {
    return compose(out, small_message, [&](wire::Writer& m) {
      m.byte(number(type)).uint32(number_of(channel.peer));
      fields(m);
    });
  };
  const auto nothing_more = [](wire::Writer&) {};

  if (channel.state == State::confirming) {
    if (!send(Message::channel_open_confirmation, [&](wire::Writer& m) {
          m.uint32(ours).uint32(channel.receive.window()).uint32(channel.receive.packet());
        }))
      return false;
    channel.state = State::open;
  }
  if (channel.state == State::refusing) {
    if (!compose_refusal(channel.peer, channel.refusal, out)) return false;
    release(channel);
  }
  if (channel.state != State::open || channel.close_sent) return true;

  while (const auto success = channel.owed.next()) {
    if (!send(*success ? Message::channel_success : Message::channel_failure, nothing_more)) return false;
    channel.owed.sent();
  }
  if (const std::uint32_t due = channel.receive.due(); due != 0 && !channel.eof_received) {
    // Where messages wait for their way, as in a key exchange, an adjust leaves the room to replies and
    // grows meanwhile.
    if (!out.room(reply_room)) return false;
    if (!send(Message::channel_window_adjust, [&](wire::Writer& m) { m.uint32(due); })) return false;
    if constexpr (active::profile.window_ceiling > active::profile.window)
      channel.growth.adjusted(channel.receive.credit(), now_);
    channel.receive.returned(due);
  }
  if (channel.eow_wanted && !channel.eof_received && !channel.close_wanted) {
    if (!send(Message::channel_request, [](wire::Writer& m) {
          m.string(std::string_view("eow@openssh.com")).boolean(false);
        }))
      return false;
  }
  channel.eow_wanted = false;
  if (channel.exit != Channel::Exit::none) {
    const bool sent = channel.exit == Channel::Exit::status
                          ? send(Message::channel_request,
                                 [&](wire::Writer& m) {
                                   m.string(std::string_view("exit-status")).boolean(false).uint32(channel.exit_status);
                                 })
                          : send(Message::channel_request, [&](wire::Writer& m) {
                              m.string(std::string_view("exit-signal")).boolean(false);
                              m.string(std::string_view(channel.exit_signal.data())).boolean(channel.core_dumped);
                              m.string(Bytes{}).string(Bytes{});
                            });
    if (!sent) return false;
    channel.exit = Channel::Exit::none;
  }
  if ((channel.eof_wanted || channel.close_wanted) && !channel.eof_sent && !channel.close_received) {
    if (!send(Message::channel_eof, nothing_more)) return false;
    channel.eof_sent = true;
  }
  if (channel.close_wanted) {
    if (!send(Message::channel_close, nothing_more)) return false;
    channel.close_sent = true;
    events_.add(slot_of(channel));
  }
  return true;
}

// --- ends -----------------------------------------------------------------------------------------

Status Connection::end_of_output(ChannelId id) {
  Channel* const channel = open_channel(id);
  if (channel == nullptr) return fault("no such channel");
  channel->eof_wanted = true;
  compose_due(*channel);
  return {};
}

Status Connection::close(ChannelId id) {
  Channel* const channel = open_channel(id);
  if (channel == nullptr) return fault("no such channel");
  channel->close_wanted = true;
  compose_due(*channel);
  return {};
}

Status Connection::exit_status(ChannelId id, std::uint32_t status, transport::Outbox&) {
  Channel* const channel = open_channel(id);
  if (channel == nullptr) return fault("no such channel");
  channel->exit = Channel::Exit::status;
  channel->exit_status = status;
  compose_due(*channel);
  return {};
}

Status Connection::exit_signal(ChannelId id, std::string_view name, bool core_dumped, std::string_view,
                               transport::Outbox&) {
  Channel* const channel = open_channel(id);
  if (channel == nullptr) return fault("no such channel");
  channel->exit = Channel::Exit::signal;
  channel->core_dumped = core_dumped;
  name = name.substr(0, channel->exit_signal.size() - 1);
  channel->exit_signal.fill('\0');
  std::copy(name.begin(), name.end(), channel->exit_signal.begin());
  compose_due(*channel);
  return {};
}

}  // namespace sshape::connection

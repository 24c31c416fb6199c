// What goes out: replies, adjusts and ends in their order, channel data, and our own requests.
#include <algorithm>
#include <utility>

#include "core/connection/connection.hpp"
#include "core/wire/message_numbers.hpp"

namespace sshape::connection {

using State = Channel::State;
using wire::Message;

namespace {

constexpr std::size_t small = 64;  // room for any message without strings of the caller's

template <class Compose>
bool compose(transport::Outbox& out, std::size_t most, Compose fields) {
  wire::Writer message = out.compose(most);
  fields(message);
  if (!message.ok()) return false;
  out.commit(message);
  return true;
}

std::uint32_t number_of(PeerChannelId id) { return static_cast<std::uint32_t>(id); }

std::string_view refusal_text(OpenFailure reason) {
  switch (reason) {
    case OpenFailure::administratively_prohibited: return "not allowed";
    case OpenFailure::connect_failed: return "connection failed";
    case OpenFailure::unknown_channel_type: return "unknown channel type";
    case OpenFailure::resource_shortage: return "too many channels";
  }
  return {};
}

}  // namespace

// --- control messages -----------------------------------------------------------------------------

void Connection::pump(transport::Outbox& out) {
  if (!pump_due_) return;
  bool all = true;
  while (global_owed_ > 0 && all) {
    all = compose(out, small, [](wire::Writer& m) { m.byte(number(Message::request_failure)); });
    if (all) --global_owed_;
  }
  while (refusal_count_ > 0 && all) {
    const Refusal& refusal = refusals_[0];
    all = compose(out, small, [&](wire::Writer& m) {
      m.byte(number(Message::channel_open_failure)).uint32(number_of(refusal.peer));
      m.uint32(static_cast<std::uint32_t>(refusal.reason)).string(refusal_text(refusal.reason)).string(Bytes{});
    });
    if (all) std::copy(refusals_.begin() + 1, refusals_.begin() + static_cast<std::ptrdiff_t>(refusal_count_--), refusals_.begin());
  }
  for (std::size_t i = 0; i < used_ && all; ++i)
    if (channels_[i].state != State::free) all = pump_channel(channels_[i], out);
  pump_due_ = !all;
}

// False: the outbox is full; the rest comes later.
bool Connection::pump_channel(Channel& channel, transport::Outbox& out) {
  const std::uint32_t ours = static_cast<std::uint32_t>(id_of(channel));
  const std::uint32_t theirs = number_of(channel.peer);
  const auto send = [&](Message type, auto fields) {
    return compose(out, small, [&](wire::Writer& m) {
      m.byte(number(type)).uint32(theirs);
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
    if (!send(Message::channel_open_failure, [&](wire::Writer& m) {
          m.uint32(static_cast<std::uint32_t>(channel.refusal)).string(refusal_text(channel.refusal)).string(Bytes{});
        }))
      return false;
    release(channel);
  }
  if (channel.state != State::open || channel.close_sent) return true;

  while (channel.owed_count > 0 && channel.owed_at(0).state != OwedReply::State::waiting) {
    const OwedReply& owed = channel.owed_at(0);
    const bool success = owed.state == OwedReply::State::success;
    if (owed.wanted && !send(success ? Message::channel_success : Message::channel_failure, nothing_more))
      return false;
    channel.owed_first = static_cast<std::uint16_t>((channel.owed_first + 1) % channel.owed.size());
    --channel.owed_count;
  }
  if (const std::uint32_t due = channel.receive.due(); due != 0 && !channel.eof_received) {
    if (!send(Message::channel_window_adjust, [&](wire::Writer& m) { m.uint32(due); })) return false;
    channel.receive.returned(due);
  }
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
    events_due_ = true;
  }
  return true;
}

// --- the sinks' side ------------------------------------------------------------------------------

void Connection::left(Channel& channel, std::uint32_t bytes) {
  channel.receive.left(bytes);
  if (channel.receive.due() != 0) pump_due_ = true;
}

void Connection::consumed(ChannelId id, Stream stream, std::size_t bytes) {
  Channel* const channel = open_channel(id);
  if (channel == nullptr || bytes == 0) return;
  if (loan_.channel == channel && loan_.stream == stream) {
    bytes = std::min(bytes, loan_.rest.size());
    loan_.rest = loan_.rest.subspan(bytes);
  } else {
    Backlog& backlog = channel->backlog[index_of(stream)];
    bytes = std::min(bytes, backlog.size());
    backlog.drop(bytes, memory_);
    if (backlog.empty()) events_due_ = true;
  }
  left(*channel, static_cast<std::uint32_t>(bytes));
}

Bytes Connection::backlog(ChannelId id, Stream stream) const {
  const Channel* const channel = open_channel(id);
  return channel == nullptr ? Bytes{} : channel->backlog[index_of(stream)].front();
}

void Connection::discard(ChannelId id, Stream stream) {
  Channel* const channel = open_channel(id);
  if (channel == nullptr) return;
  channel->discarded[index_of(stream)] = true;
  if (loan_.channel == channel && loan_.stream == stream) consumed(id, stream, loan_.rest.size());
  consumed(id, stream, channel->backlog[index_of(stream)].size());
}

// --- the sources' side ----------------------------------------------------------------------------

void Connection::source_ready(ChannelId id, Stream stream, bool ready) {
  if (Channel* const channel = open_channel(id)) channel->ready[index_of(stream)] = ready;
}

// Bytes of data that the next packet of this channel would carry; 0: none now. A packet is not made
// small just because little room is left: it waits until the socket has taken some.
std::uint32_t Connection::chunk(const Channel& channel, const transport::PacketWriter& writer) const {
  if (channel.state != State::open || channel.eof_wanted || channel.close_wanted || channel.close_received) return 0;
  const std::uint32_t wanted = channel.send.sendable(active::profile.send_data);
  if (wanted == 0) return 0;
  const std::size_t room = writer.largest(transport::Lane::data);
  if (room >= wanted + extended_data_header) return wanted;
  if (writer.unsent() != 0 || room <= extended_data_header) return 0;
  return static_cast<std::uint32_t>(room - extended_data_header);
}

bool Connection::sendable(ChannelId id, const transport::PacketWriter& writer) const {
  const Channel* const channel = open_channel(id);
  return channel != nullptr && chunk(*channel, writer) != 0;
}

// Interactive channels first, then deficit round robin by bytes.
Channel* Connection::choose(const transport::PacketWriter& writer) {
  const auto can = [&](const Channel& channel) {
    return (channel.ready[0] || channel.ready[1]) && chunk(channel, writer) != 0;
  };
  for (std::size_t i = 0; i < used_; ++i)
    if (channels_[i].interactive && can(channels_[i])) return &channels_[i];
  for (std::size_t i = 0; i < used_; ++i) {
    const std::size_t at = (turn_ + i) % used_;
    Channel& channel = channels_[at];
    if (!can(channel)) continue;
    if (at != turn_ || channel.deficit <= 0) {
      turn_ = at;
      channel.deficit = static_cast<std::int32_t>(active::profile.send_data);
    }
    return &channel;
  }
  return nullptr;
}

SendSlot Connection::next_send(transport::PacketWriter& writer) {
  sending_ = choose(writer);
  if (sending_ == nullptr) return {};
  const std::uint32_t size = chunk(*sending_, writer);
  sending_stream_ = sending_->ready[index_of(Stream::error)] ? Stream::error : Stream::data;
  const std::size_t header = sending_stream_ == Stream::error ? extended_data_header : data_header;
  sending_packet_ = writer.open(size + header, transport::Lane::data);
  if (sending_packet_.empty()) return {};
  return {id_of(*sending_), sending_stream_, sending_packet_.subspan(header)};
}

void Connection::produced(std::size_t bytes, transport::PacketWriter& writer) {
  Channel* const channel = std::exchange(sending_, nullptr);
  if (channel == nullptr || bytes == 0) return;
  wire::Writer header(sending_packet_);
  if (sending_stream_ == Stream::error) {
    header.byte(number(Message::channel_extended_data)).uint32(number_of(channel->peer)).uint32(1);
  } else {
    header.byte(number(Message::channel_data)).uint32(number_of(channel->peer));
  }
  header.uint32(static_cast<std::uint32_t>(bytes));
  writer.seal(header.size() + bytes);
  channel->send.sent(static_cast<std::uint32_t>(bytes));
  channel->deficit -= static_cast<std::int32_t>(bytes);
  if (channel->deficit <= 0 && used_ > 1) turn_ = (static_cast<std::size_t>(id_of(*channel)) + 1) % used_;
}

// --- ends -----------------------------------------------------------------------------------------

Status Connection::end_of_output(ChannelId id) {
  Channel* const channel = open_channel(id);
  if (channel == nullptr) return fault("no such channel");
  channel->eof_wanted = pump_due_ = true;
  return {};
}

Status Connection::close(ChannelId id) {
  Channel* const channel = open_channel(id);
  if (channel == nullptr) return fault("no such channel");
  channel->close_wanted = pump_due_ = true;
  return {};
}

Status Connection::exit_status(ChannelId id, std::uint32_t status, transport::Outbox&) {
  Channel* const channel = open_channel(id);
  if (channel == nullptr) return fault("no such channel");
  channel->exit = Channel::Exit::status;
  channel->exit_status = status;
  pump_due_ = true;
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
  pump_due_ = true;
  return {};
}

// --- our requests ---------------------------------------------------------------------------------

Expected<ChannelId> Connection::open_session(transport::Outbox& out) {
  Channel* const channel = free_channel();
  if (channel == nullptr) return fault("the table of channels is full");
  open_window(*channel);
  const bool sent = compose(out, small, [&](wire::Writer& m) {
    m.byte(number(Message::channel_open)).string(std::string_view("session"));
    m.uint32(static_cast<std::uint32_t>(id_of(*channel)));
    m.uint32(channel->receive.window()).uint32(channel->receive.packet());
  });
  if (!sent) {
    budget_.close(channel->receive.window());
    return fault("no room for CHANNEL_OPEN: try again later");
  }
  channel->state = State::opening;
  return id_of(*channel);
}

Status Connection::compose_request(ChannelId id, std::string_view type, bool want_reply, std::size_t most,
                                   transport::Outbox& out, auto fields) {
  Channel* const channel = open_channel(id);
  if (channel == nullptr) return fault("no such channel");
  if (channel->close_wanted) return fault("the channel is closing");
  const bool sent = compose(out, small + type.size() + most, [&](wire::Writer& m) {
    m.byte(number(Message::channel_request)).uint32(number_of(channel->peer)).string(type).boolean(want_reply);
    fields(m);
  });
  if (!sent) return fault("channel request larger than this end can send");
  channel->unanswered += want_reply;
  return {};
}

Status Connection::request_pty(ChannelId channel, std::string_view term, WindowSize size, Bytes modes,
                               bool want_reply, transport::Outbox& out) {
  if (Channel* const open = open_channel(channel)) open->interactive = true;
  return compose_request(channel, "pty-req", want_reply, term.size() + modes.size(), out, [&](wire::Writer& m) {
    m.string(term).uint32(size.columns).uint32(size.rows).uint32(size.width_pixels).uint32(size.height_pixels);
    m.string(modes);
  });
}

Status Connection::request_env(ChannelId channel, std::string_view name, std::string_view value, bool want_reply,
                               transport::Outbox& out) {
  return compose_request(channel, "env", want_reply, name.size() + value.size(), out,
                         [&](wire::Writer& m) { m.string(name).string(value); });
}

Status Connection::request_start(ChannelId channel, event::Start start, std::string_view command, bool want_reply,
                                 transport::Outbox& out) {
  const std::string_view type = start == event::Start::shell  ? "shell"
                                : start == event::Start::exec ? "exec"
                                                              : "subsystem";
  return compose_request(channel, type, want_reply, command.size(), out, [&](wire::Writer& m) {
    if (start != event::Start::shell) m.string(command);
  });
}

Status Connection::window_change(ChannelId channel, WindowSize size, transport::Outbox& out) {
  return compose_request(channel, "window-change", false, 16, out, [&](wire::Writer& m) {
    m.uint32(size.columns).uint32(size.rows).uint32(size.width_pixels).uint32(size.height_pixels);
  });
}

Status Connection::signal(ChannelId channel, std::string_view name, transport::Outbox& out) {
  return compose_request(channel, "signal", false, name.size(), out, [&](wire::Writer& m) { m.string(name); });
}

Status Connection::send_break(ChannelId channel, std::uint32_t milliseconds, transport::Outbox& out) {
  return compose_request(channel, "break", false, 4, out, [&](wire::Writer& m) { m.uint32(milliseconds); });
}

Status Connection::global_request(std::string_view name, bool want_reply, transport::Outbox& out) {
  const bool sent = compose(out, small + name.size(), [&](wire::Writer& m) {
    m.byte(number(Message::global_request)).string(name).boolean(want_reply);
  });
  if (!sent) return fault("no room for a global request: try again later");
  global_unanswered_ += want_reply;
  return {};
}

}  // namespace sshape::connection

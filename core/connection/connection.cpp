// The peer's messages about channels.
#include "core/connection/connection.hpp"

#include <utility>

#include "core/wire/message_numbers.hpp"

namespace sshape::connection {

using wire::Message;
using State = Channel::State;

Connection::Connection(Role role, const ConnectionConfig& config, active::Allocator& memory)
    : role_(role), config_(config), memory_(memory) {}

// --- opening --------------------------------------------------------------------------------------

Expected<Event> Connection::on_open(wire::Reader& message) {
  const std::string_view type = message.text();
  const auto peer = static_cast<PeerChannelId>(message.uint32());
  const std::uint32_t window = message.uint32();
  const std::uint32_t packet = message.uint32();
  if (!message.ok()) return fault("CHANNEL_OPEN: a string and three uint32 are expected");

  if (role_ == Role::client) return refuse_now(peer, OpenFailure::administratively_prohibited);
  if (type != "session") return refuse_now(peer, OpenFailure::unknown_channel_type);
  if (!message.at_end()) return fault("CHANNEL_OPEN session: nothing follows the maximum packet size");
  if (no_more_sessions_) return refuse_now(peer, OpenFailure::administratively_prohibited);
  Channel* const channel = free_channel();
  if (channel == nullptr) return refuse_now(peer, OpenFailure::resource_shortage);
  channel->state = State::asked;
  channel->peer = peer;
  channel->send = SendWindow(window, packet);
  channel->open_question = next_question();
  open_window(*channel);
  return event::OpenSession{channel->open_question, id_of(*channel)};
}

Expected<Event> Connection::refuse_now(PeerChannelId peer, OpenFailure reason) {
  if (refusal_count_ == refusals_.size()) return fault("more CHANNEL_OPEN to refuse than this end keeps");
  refusals_[refusal_count_++] = {peer, reason};
  return Event{};
}

Expected<Event> Connection::on_open_confirmation(wire::Reader& message) {
  const std::uint32_t recipient = message.uint32();
  const auto peer = static_cast<PeerChannelId>(message.uint32());
  const std::uint32_t window = message.uint32();
  const std::uint32_t packet = message.uint32();
  if (!message.at_end()) return fault("CHANNEL_OPEN_CONFIRMATION of a session: four uint32 are expected");
  if (recipient >= used_ || channels_[recipient].state != State::opening)
    return fault("CHANNEL_OPEN_CONFIRMATION for a channel that is not being opened");
  Channel& channel = channels_[recipient];
  channel.state = State::open;
  channel.peer = peer;
  channel.send = SendWindow(window, packet);
  return event::ChannelOpened{id_of(channel)};
}

Expected<Event> Connection::on_open_failure(wire::Reader& message) {
  const std::uint32_t recipient = message.uint32();
  const auto reason = static_cast<OpenFailure>(message.uint32());
  const std::string_view text = message.text();
  message.string();  // language
  if (!message.at_end()) return fault("CHANNEL_OPEN_FAILURE: two uint32 and two strings are expected");
  if (recipient >= used_ || channels_[recipient].state != State::opening)
    return fault("CHANNEL_OPEN_FAILURE for a channel that is not being opened");
  Channel& channel = channels_[recipient];
  release(channel);
  return event::ChannelRefused{id_of(channel), reason, text};
}

// --- data -----------------------------------------------------------------------------------------

Expected<Event> Connection::on_window_adjust(wire::Reader& message) {
  const auto channel = channel_of(message);
  const std::uint32_t bytes = message.uint32();
  if (!channel) return std::unexpected(channel.error());
  if (!message.at_end()) return fault("CHANNEL_WINDOW_ADJUST: two uint32 are expected");
  if (!(*channel)->send.adjust(bytes))
    return fault("CHANNEL_WINDOW_ADJUST: the window would pass 2^32 - 1 bytes");
  return Event{};
}

Expected<Event> Connection::on_data(wire::Reader& message) { return on_stream(message, Stream::data); }
Expected<Event> Connection::on_extended_data(wire::Reader& message) { return on_stream(message, Stream::error); }

Expected<Event> Connection::on_stream(wire::Reader& message, Stream stream) {
  const auto found = channel_of(message);
  const std::uint32_t type = stream == Stream::error ? message.uint32() : stderr_type;
  const Bytes data = message.string();
  if (!found) return std::unexpected(found.error());
  if (!message.at_end()) return fault("channel data: its length is not that of the message");
  Channel& channel = **found;
  if (channel.eof_received) return fault("channel data after CHANNEL_EOF");
  if (!channel.receive.arrived(static_cast<std::uint32_t>(data.size())))
    return fault("channel data beyond the window or the maximum packet size of the channel");
  if (data.empty()) return Event{};
  watch_growth(channel, static_cast<std::uint32_t>(data.size()));

  // Extended data goes to clients only, and there is one type of it; the rest is of no use.
  const bool useless = stream == Stream::error && (role_ == Role::server || type != stderr_type);
  if (useless || channel.close_sent || channel.discarded[index_of(stream)]) {
    left(channel, static_cast<std::uint32_t>(data.size()));
    return Event{};
  }
  Backlog& backlog = channel.backlog[index_of(stream)];
  if (!backlog.empty()) {
    if (!backlog.append(data, memory_)) return fault("internal: no block for data within the window");
    return Event{};
  }
  loan_ = {&channel, stream, data};
  return event::ChannelData{id_of(channel), stream, data};
}

Status Connection::settle() {
  if (loan_.channel == nullptr) return {};
  const Loan loan = std::exchange(loan_, Loan{});
  if (loan.rest.empty()) return {};
  if (!loan.channel->backlog[index_of(loan.stream)].append(loan.rest, memory_))
    return fault("internal: no block for data within the window");
  return {};
}

// --- ends -----------------------------------------------------------------------------------------

Expected<Event> Connection::on_eof(wire::Reader& message) {
  const auto channel = channel_of(message);
  if (!channel) return std::unexpected(channel.error());
  if (!message.at_end()) return fault("CHANNEL_EOF: one uint32 is expected");
  if ((*channel)->eof_received) return fault("a second CHANNEL_EOF");
  (*channel)->eof_received = true;
  events_.add(slot_of(**channel));
  return Event{};
}

Expected<Event> Connection::on_close(wire::Reader& message) {
  const auto found = channel_of(message);
  if (!found) return std::unexpected(found.error());
  if (!message.at_end()) return fault("CHANNEL_CLOSE: one uint32 is expected");
  Channel& channel = **found;
  channel.eof_received = channel.close_received = true;
  channel.owed.clear();  // nobody waits for these any more
  events_.add(slot_of(channel));
  return Event{};
}

Event Connection::pending_event() {
  for (std::size_t i = events_.next(0); i != ChannelSet::none; i = events_.next(i + 1)) {
    Channel& channel = channels_[i];
    const bool drained = channel.backlog[0].empty() && channel.backlog[1].empty();
    if (channel.eof_received && !channel.eof_reported && drained) {
      channel.eof_reported = true;
      return event::ChannelEof{id_of(channel)};
    }
    if (channel.close_received && !channel.close_reported) {
      channel.close_reported = true;
      return event::PeerClosed{id_of(channel)};
    }
    if (channel.close_received && channel.close_sent && drained) {
      const ChannelId id = id_of(channel);
      release(channel);
      return event::ChannelClosed{id};
    }
    events_.remove(i);
  }
  return {};
}

// --- replies to our requests ----------------------------------------------------------------------

Expected<Event> Connection::on_channel_success(wire::Reader& message) { return on_reply(message, true); }
Expected<Event> Connection::on_channel_failure(wire::Reader& message) { return on_reply(message, false); }

Expected<Event> Connection::on_reply(wire::Reader& message, bool success) {
  const auto channel = channel_of(message);
  if (!channel) return std::unexpected(channel.error());
  if (!message.at_end()) return fault("CHANNEL_SUCCESS or _FAILURE: one uint32 is expected");
  if ((*channel)->unanswered == 0) return fault("a reply to a channel request that was not made");
  --(*channel)->unanswered;
  return event::RequestReply{id_of(**channel), success};
}

Expected<Event> Connection::on_request_success(wire::Reader& message) {
  if (global_unanswered_ == 0) return fault("a reply to a global request that was not made");
  --global_unanswered_;
  return event::GlobalReply{true, message.take_rest()};
}

Expected<Event> Connection::on_request_failure(wire::Reader& message) {
  if (!message.at_end()) return fault("REQUEST_FAILURE carries nothing");
  if (global_unanswered_ == 0) return fault("a reply to a global request that was not made");
  --global_unanswered_;
  return event::GlobalReply{false, {}};
}

// --- the table ------------------------------------------------------------------------------------

Channel* Connection::open_channel(ChannelId id) {
  const auto index = static_cast<std::size_t>(id);
  return index < used_ && channels_[index].state == State::open ? &channels_[index] : nullptr;
}

const Channel* Connection::open_channel(ChannelId id) const {
  return const_cast<Connection*>(this)->open_channel(id);
}

Expected<Channel*> Connection::channel_of(wire::Reader& message) {
  Channel* const channel = open_channel(static_cast<ChannelId>(message.uint32()));
  if (!message.ok()) return fault("channel message without a channel number");
  if (channel == nullptr || channel->close_received) return fault("message for a channel that is not open");
  return channel;
}

Channel* Connection::free_channel() {
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    if (channels_[i].state != State::free) continue;
    if (i >= used_) used_ = i + 1;
    channels_[i] = Channel{};
    return &channels_[i];
  }
  return nullptr;
}

void Connection::open_window(Channel& channel) {
  const std::uint32_t window = budget_.open(config_.window);
  channel.receive = ReceiveWindow(window, advertised_packet(active::profile, window));
}

// Growth draws on what is above the floors of the channels still unopened, and helps only where the
// path is the limit: not while a sink takes less than comes.
void Connection::watch_growth(Channel& channel, std::uint32_t arrived) {
  if constexpr (active::profile.window_ceiling > active::profile.window) {
    if (!config_.grows) return;
    const std::optional<Microseconds> first_use = channel.growth.arrived(arrived, now_);
    if (!first_use) return;
    round_trip(*first_use);
    const std::uint32_t window = channel.receive.window();
    if (!channel.growth.too_small(window, *first_use, least_round_trip_, now_)) return;
    if (window >= active::profile.window_ceiling || channel.receive.buffered() > window / 4) return;
    channel.receive.grow(budget_.grow(window, std::min(window, active::profile.window_ceiling - window)));
    compose_due(channel);
  }
}

void Connection::release(Channel& channel) {
  for (Backlog& backlog : channel.backlog) backlog.drop(backlog.size(), memory_);
  budget_.close(channel.receive.window());
  if (loan_.channel == &channel) loan_ = {};
  if (sending_ == &channel) sending_ = nullptr;
  for (ChannelSet* set : {&due_, &events_, &ready_}) set->remove(slot_of(channel));
  channel.receive = {};
  channel.growth = {};
  channel.state = State::free;
}

// Not those of the session's own questions, which have the upper bit clear; never none.
QuestionId Connection::next_question() {
  constexpr std::uint32_t ours = 0x8000'0000;
  return static_cast<QuestionId>(ours | ++last_question_);
}

std::size_t Connection::open_channels() const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < used_; ++i) count += channels_[i].state != State::free;
  return count;
}

}  // namespace sshape::connection

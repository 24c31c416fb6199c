// The port's side of channel data: sinks that take what came, sources that fill packets.
#include <algorithm>
#include <utility>

#include "core/connection/compose.hpp"
#include "core/connection/connection.hpp"

namespace sshape::connection {

using State = Channel::State;
using wire::Message;

// --- sinks ----------------------------------------------------------------------------------------

void Connection::left(Channel& channel, std::uint32_t bytes) {
  channel.receive.left(bytes);
  if (channel.receive.due() != 0) compose_due(channel);
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
    if (backlog.empty()) events_.add(slot_of(*channel));
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
  const bool already = std::exchange(channel->discarded[index_of(stream)], true);
  if (loan_.channel == channel && loan_.stream == stream) consumed(id, stream, loan_.rest.size());
  consumed(id, stream, channel->backlog[index_of(stream)].size());
  if (already || stream != Stream::data || !peer_knows_eow_) return;
  channel->eow_wanted = true;
  compose_due(*channel);
}

// --- sources --------------------------------------------------------------------------------------

void Connection::source_ready(ChannelId id, Stream stream, bool ready) {
  Channel* const channel = open_channel(id);
  if (channel == nullptr) return;
  channel->ready[index_of(stream)] = ready;
  if (channel->ready[0] || channel->ready[1]) ready_.add(slot_of(*channel));
  else ready_.remove(slot_of(*channel));
}

// Bytes of data that the next packet of this channel would carry, at most; 0: none now. A packet is not
// made small just because little room is left: it waits until the socket has taken some.
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

// Deficit round robin by bytes: in each round every channel may send one largest packet's worth, and
// what it overdrew is taken off its next. Interactive channels go before the others of their round.
Channel* Connection::choose(const transport::PacketWriter& writer) {
  constexpr auto quantum = static_cast<std::int32_t>(active::profile.send_data);
  bool spent = true;
  while (spent) {
    spent = false;
    Channel* first = nullptr;
    for (std::size_t i = ready_.next(0); i != ChannelSet::none; i = ready_.next(i + 1)) {
      Channel& channel = channels_[i];
      if (chunk(channel, writer) == 0) continue;
      if (std::exchange(channel.round, round_) != round_) channel.deficit = std::min(channel.deficit, 0) + quantum;
      if (channel.deficit <= 0) spent = true;
      else if (channel.interactive()) return &channel;
      else if (first == nullptr) first = &channel;
    }
    if (first != nullptr) return first;
    ++round_;
  }
  return nullptr;
}

SendSlot Connection::next_send(transport::PacketWriter& writer) {
  Channel* const channel = choose(writer);
  sending_ = nullptr;
  if (channel == nullptr) return {};
  const Stream turn = other(channel->last_sent);
  sending_stream_ = channel->ready[index_of(turn)] ? turn : other(turn);
  const std::size_t header = sending_stream_ == Stream::error ? extended_data_header : data_header;
  sending_packet_ = writer.open(chunk(*channel, writer) + header, transport::Lane::data);
  if (sending_packet_.empty()) return {};
  sending_ = channel;
  channel->last_sent = sending_stream_;
  return {id_of(*channel), sending_stream_, sending_packet_.subspan(header)};
}

void Connection::produced(std::size_t bytes, transport::PacketWriter& writer) {
  Channel* const channel = std::exchange(sending_, nullptr);
  if (channel == nullptr) return;
  const bool error = sending_stream_ == Stream::error;
  const std::size_t space = sending_packet_.size() - (error ? extended_data_header : data_header);
  bytes = std::min(bytes, space);
  channel->short_read = bytes < space;
  if (bytes == 0) return;
  wire::Writer header(sending_packet_);
  header.byte(number(error ? Message::channel_extended_data : Message::channel_data)).uint32(number_of(channel->peer));
  if (error) header.uint32(stderr_type);
  header.uint32(static_cast<std::uint32_t>(bytes));
  writer.seal(header.size() + bytes);
  channel->send.sent(static_cast<std::uint32_t>(bytes));
  channel->deficit -= static_cast<std::int32_t>(bytes);
}

}  // namespace sshape::connection

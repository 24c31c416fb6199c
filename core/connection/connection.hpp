// The connection protocol (RFC 4254): channels, their requests, and global requests.
#pragma once

#include <array>

#include "core/connection/budget.hpp"
#include "core/connection/channel.hpp"
#include "core/connection/channel_set.hpp"
#include "core/error.hpp"
#include "core/events.hpp"
#include "core/instant.hpp"
#include "core/transport/outbox.hpp"
#include "core/transport/packet_writer.hpp"
#include "core/wire/reader.hpp"
#include "profiles/active.hpp"

namespace sshape::connection {

struct ConnectionConfig {
  std::uint32_t window = active::profile.window;  // -W, already clamped by the session
  bool grows = false;  // windows may become larger, up to window_ceiling
};

// Room for one packet of channel data: read the source into `space`, then produced().
struct SendSlot {
  ChannelId channel;
  Stream stream;
  MutableBytes space;  // empty: nothing to send, or no room
};

class Connection {
 public:
  Connection(Role role, const ConnectionConfig& config, active::Allocator& memory);

  // The peer understands eow@openssh.com: it is told when a sink is closed. Others may end the
  // session over it, so that nobody is told unasked.
  void peer_knows_eow() { peer_knows_eow_ = true; }

  // What time it is, for what follows.
  void time(Instant now) { now_ = now; }
  // A round trip to the peer and back took no longer than this.
  void round_trip(Microseconds took) { least_round_trip_ = took < least_round_trip_ ? took : least_round_trip_; }

  // --- the peer's messages; each returns at most one event --------------------------------------
  Expected<Event> on_global_request(wire::Reader& message);
  Expected<Event> on_request_success(wire::Reader& message);
  Expected<Event> on_request_failure(wire::Reader& message);
  Expected<Event> on_open(wire::Reader& message);
  Expected<Event> on_open_confirmation(wire::Reader& message);
  Expected<Event> on_open_failure(wire::Reader& message);
  Expected<Event> on_window_adjust(wire::Reader& message);
  Expected<Event> on_data(wire::Reader& message);
  Expected<Event> on_extended_data(wire::Reader& message);
  Expected<Event> on_eof(wire::Reader& message);
  Expected<Event> on_close(wire::Reader& message);
  Expected<Event> on_request(wire::Reader& message);
  Expected<Event> on_channel_success(wire::Reader& message);
  Expected<Event> on_channel_failure(wire::Reader& message);

  // Ends the loan of the last ChannelData: what was not consumed moves to the backlog. Called by
  // the session before anything else. The fault is one of ours: the budget did not hold.
  Status settle();

  // Events that need no message of the peer's. Nothing: none. In this order for a channel:
  //   ChannelEof     after EOF or CLOSE came and the backlog has been taken or discarded
  //   PeerClosed     after CLOSE came; the backlog, if there is one, is still the sinks'
  //   ChannelClosed  after both CLOSEs and an empty backlog
  // What arrives after our own CLOSE was sent is for nobody, and counts as left.
  Event pending_event();
  bool has_pending_event() const { return !events_.empty(); }  // perhaps

  // Composes what is due, as far as there is room: for each channel replies in order, an adjust, the
  // exit status, EOF, CLOSE.
  void pump(transport::Outbox& out);

  // --- the port's calls, as the session passes them on (see session.hpp) ------------------------
  void answer_open(QuestionId question);
  void refuse_open(QuestionId question, OpenFailure reason, std::string_view text);  // the peer gets a text of ours
  void answer_request(QuestionId question, bool success);

  void consumed(ChannelId channel, Stream stream, std::size_t bytes);
  Bytes backlog(ChannelId channel, Stream stream) const;
  void discard(ChannelId channel, Stream stream);

  // Among the channels whose sources are ready, each may send as many bytes as any other in a round;
  // within a round interactive channels go first.
  void source_ready(ChannelId channel, Stream stream, bool ready);
  SendSlot next_send(transport::PacketWriter& writer);
  void produced(std::size_t bytes, transport::PacketWriter& writer);
  bool sendable(ChannelId channel, const transport::PacketWriter& writer) const;

  Status end_of_output(ChannelId channel);
  Status close(ChannelId channel);
  Status exit_status(ChannelId channel, std::uint32_t status, transport::Outbox& out);
  Status exit_signal(ChannelId channel, std::string_view name, bool core_dumped,
                     std::string_view message, transport::Outbox& out);  // the message is not sent

  Expected<ChannelId> open_session(transport::Outbox& out);
  Status request_pty(ChannelId channel, std::string_view term, WindowSize size, Bytes modes,
                     bool want_reply, transport::Outbox& out);
  Status request_env(ChannelId channel, std::string_view name, std::string_view value,
                     bool want_reply, transport::Outbox& out);
  Status request_start(ChannelId channel, event::Start start, std::string_view command,
                       bool want_reply, transport::Outbox& out);
  Status window_change(ChannelId channel, WindowSize size, transport::Outbox& out);
  Status signal(ChannelId channel, std::string_view name, transport::Outbox& out);
  Status send_break(ChannelId channel, std::uint32_t milliseconds, transport::Outbox& out);
  Status global_request(std::string_view name, bool want_reply, transport::Outbox& out);

  std::size_t open_channels() const;

 private:
  struct Refusal {  // of a CHANNEL_OPEN that got no channel
    PeerChannelId peer;
    OpenFailure reason;
  };
  struct Loan {  // of the last ChannelData
    Channel* channel = nullptr;
    Stream stream = Stream::data;
    Bytes rest;
  };

  Channel* open_channel(ChannelId id);
  const Channel* open_channel(ChannelId id) const;
  Expected<Channel*> channel_of(wire::Reader& message);  // the recipient channel of a message
  std::size_t slot_of(const Channel& channel) const { return static_cast<std::size_t>(&channel - channels_.data()); }
  ChannelId id_of(const Channel& channel) const { return static_cast<ChannelId>(slot_of(channel)); }
  Channel* free_channel();
  Expected<Event> refuse_now(PeerChannelId peer, OpenFailure reason);
  void open_window(Channel& channel);
  void watch_growth(Channel& channel, std::uint32_t arrived);
  void release(Channel& channel);
  Expected<Event> on_stream(wire::Reader& message, Stream stream);
  void left(Channel& channel, std::uint32_t bytes);
  Expected<Event> session_request(Channel& channel, std::string_view type, bool want_reply, wire::Reader& message);
  Expected<Event> with_reply(Channel& channel, bool want_reply, bool success, Event event);
  Expected<Event> refuse(Channel& channel, bool want_reply) { return with_reply(channel, want_reply, false, {}); }
  QuestionId next_question();
  Expected<Event> on_reply(wire::Reader& message, bool success);
  bool pump_channel(Channel& channel, transport::Outbox& out);
  void compose_due(Channel& channel) { due_.add(slot_of(channel)); }
  std::uint32_t chunk(const Channel& channel, const transport::PacketWriter& writer) const;
  Channel* choose(const transport::PacketWriter& writer);
  Status compose_request(ChannelId channel, std::string_view type, bool want_reply, std::size_t most,
                         transport::Outbox& out, auto fields);

  Role role_;
  ConnectionConfig config_;
  active::Allocator& memory_;
  Budget budget_{active::profile.pool, active::profile.window_floor, active::profile.channels};
  std::array<Channel, active::profile.channels> channels_;
  Instant now_ = 0;
  Microseconds least_round_trip_ = never;
  std::size_t used_ = 0;        // channels beyond this index were never open
  ChannelSet due_;              // have something to compose
  ChannelSet events_;           // may have an event that no message brings
  ChannelSet ready_;            // have a source that is ready
  std::uint32_t round_ = 1;     // of sending
  bool no_more_sessions_ = false;
  bool peer_knows_eow_ = false;
  Loan loan_;
  std::array<Refusal, active::profile.pending_global_requests> refusals_;
  std::size_t refusal_count_ = 0;
  Channel* sending_ = nullptr;  // of the last next_send()
  Stream sending_stream_ = Stream::data;
  MutableBytes sending_packet_;
  std::uint32_t last_question_ = 0;      // below the bit that marks the connection's questions
  std::uint32_t global_unanswered_ = 0;  // our global requests
  std::uint32_t global_owed_ = 0;        // replies to the peer's; all say no, so their order is their number
};

}  // namespace sshape::connection

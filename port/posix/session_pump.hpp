// Moves bytes: between a transport's descriptors and a session, and between the session's channels
// and descriptors. Used by the server and the client; whose sink is whose source they say.
//
//   while (!pump.finished()) {
//     set.clear();
//     pump.watch(set);                    // and what the owner itself waits for
//     set.wait(std::min(pump.wake_at(), the owner's));
//     answer the session's questions that can be answered now
//     pump.move(set, monotonic_now());    // calls PumpOwner
//   }
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>

#include "core/session.hpp"
#include "port/posix/descriptor.hpp"
#include "port/posix/poll_set.hpp"

namespace sshape::posix {

// What a read of a source gave.
struct Reading {
  enum class State : std::uint8_t {
    data,   // `bytes` were put into the space, and more may be had at once
    later,  // `bytes` (also 0) were put there; wait until the descriptor is readable again
    end,    // `bytes` (also 0) were put there; nothing comes any more
  };
  std::size_t bytes = 0;
  State state = State::later;
};

Reading read_descriptor(int fd, MutableBytes space);

class PumpOwner {
 public:
  // Every event but ChannelData, after the pump has done its own part of it:
  //   ChannelEof      the channel's sinks are closed (what waited has been written)
  //   PeerSinkClosed  its sources are closed, and EOF is on its way
  //   PeerClosed      its sources are closed
  //   ChannelClosed   the pump has forgotten the channel
  //   Ended           the pump sends what is left and closes the transport
  virtual void on_event(const Event& event) = 0;

  // The last source of a channel came to its end by itself or by close_source(); EOF is on its way.
  virtual void on_sources_ended(ChannelId) {}

  // A sink takes nothing any more (EPIPE and the like). The session knows.
  virtual void on_sink_broken(ChannelId, Stream) {}

  // Reads a source into the packet under construction. Who looks at the bytes on their way (the
  // client's escapes) does it here.
  virtual Reading read_source(ChannelId, Stream, int fd, MutableBytes space) { return read_descriptor(fd, space); }

  // Writes to a sink, as ::write() does; so that the client can take care with descriptors it shares.
  virtual ssize_t write_sink(ChannelId, Stream, int fd, Bytes data) { return ::write(fd, data.data(), data.size()); }

 protected:
  ~PumpOwner() = default;
};

class SessionPump {
 public:
  // Non-blocking descriptors of the pump's own. Without `out`, `in` is a socket for both ways.
  SessionPump(Session& session, PumpOwner& owner, Descriptor in, Descriptor out = {});
  SessionPump(const SessionPump&) = delete;
  SessionPump& operator=(const SessionPump&) = delete;

  // Non-blocking descriptors; the pump owns and closes them. A sink: where the peer's data goes.
  // A source: what is sent to the peer. A terminal is both: give it twice, one a dup(). Data for a
  // stream without a sink waits in the session's backlog (session.discard() if none will come).
  void attach_sink(ChannelId channel, Stream stream, Descriptor sink);
  void attach_source(ChannelId channel, Stream stream, Descriptor source);
  void close_sink(ChannelId channel, Stream stream);    // and tell the session so
  void close_source(ChannelId channel, Stream stream);  // as if it had come to its end
  void keep_sink_at_eof(ChannelId channel);             // ChannelEof leaves the sink open (a terminal)
  void forget(ChannelId channel);                       // closes all of the channel's; says nothing to the session

  bool has_sources(ChannelId channel) const;
  // Nothing can be read from the channel's sources now.
  bool sources_are_dry(ChannelId channel) const;

  void watch(PollSet& set);
  void move(const PollSet& set, Instant now);
  Instant wake_at() const;  // `never`, or when to call move() although nothing is ready
  // The session has ended; what it had to say has been sent, or could not be in time; and sinks still
  // attached have taken what waited for them (forget() them to have that not waited for).
  bool finished() const { return phase_ == Phase::finished; }

  // -1 once it is closed.
  int transport_in() const { return in_.get(); }

 private:
  struct Source {
    Descriptor fd;
    bool ready = false;  // the session knows that there is something to read
    std::size_t polled = PollSet::none;
  };
  struct Sink {
    Descriptor fd;
    bool broken = false;
    std::size_t polled = PollSet::none;
  };
  struct Lane {  // the descriptors of one channel, by Stream
    std::array<Source, 2> sources;
    std::array<Sink, 2> sinks;
    bool keep_sink_at_eof = false;
    bool eof = false;  // EOF of ours is on its way: said once
  };
  enum class Phase : std::uint8_t {
    open,
    flushing,   // the session has ended, its last bytes are on their way
    lingering,  // all is sent: read until the peer closes, too
    draining,   // the transport is closed, sinks take what they have not taken yet
    finished,
  };

  Lane& lane(ChannelId channel);
  const Lane& lane(ChannelId channel) const;
  void receive(Instant now);
  void take_events(Instant now);
  void take(const Event& event);
  void on_data(const event::ChannelData& data);
  void write_backlogs(const PollSet& set);
  void break_sink(ChannelId channel, Stream stream);
  void note_ready_sources(const PollSet& set);
  void fill_and_send(Instant now);
  bool fill();
  bool send(Instant now, bool& sent);
  bool source_ended(ChannelId channel, Stream stream);  // true: it was the channel's last
  void drop_sources(ChannelId channel);
  void end(const PollSet& set, Instant now);
  bool any_backlog() const;
  int out() const { return out_ ? out_.get() : in_.get(); }

  Session& session_;
  PumpOwner& owner_;
  Descriptor in_;
  Descriptor out_;
  std::size_t in_polled_ = PollSet::none;
  std::size_t out_polled_ = PollSet::none;
  std::array<Lane, active::profile.channels> lanes_;
  std::size_t used_ = 0;  // lanes from here on were never touched
  Phase phase_ = Phase::open;
  bool blocked_ = false;  // the transport took less than it was offered
  bool again_ = false;    // more could be moved at once
  bool ended_by_peer_ = false;
  Instant give_up_at_ = never;
};

}  // namespace sshape::posix

#include "port/posix/session_pump.hpp"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <span>

#include "port/posix/clock.hpp"

namespace sshape::posix {

namespace {

constexpr Stream streams[] = {Stream::data, Stream::error};
constexpr int rounds_a_move = 4;  // fills and sends before the other direction gets its turn
constexpr Microseconds flush_limit = 2 * second;   // a last DISCONNECT to a peer that takes nothing
constexpr Microseconds linger_limit = 1 * second;  // unread bytes at close() would reset the connection
                                                   // and take the DISCONNECT with them

constexpr std::size_t index(Stream stream) { return static_cast<std::size_t>(stream); }
constexpr std::size_t index(ChannelId channel) {
  return static_cast<std::size_t>(channel) % active::profile.channels;
}

bool is_temporary(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

}  // namespace

Reading read_descriptor(int fd, MutableBytes space) {
  const ssize_t n = ::read(fd, space.data(), space.size());
  if (n < 0) return {0, is_temporary(errno) ? Reading::State::later : Reading::State::end};
  if (n == 0) return {0, Reading::State::end};
  const auto bytes = static_cast<std::size_t>(n);
  return {bytes, bytes == space.size() ? Reading::State::data : Reading::State::later};
}

SessionPump::SessionPump(Session& session, PumpOwner& owner, Descriptor in, Descriptor out)
    : session_(session), owner_(owner), in_(std::move(in)), out_(std::move(out)) {}

// --- channels and their descriptors ---------------------------------------------------------------

void SessionPump::attach_sink(ChannelId channel, Stream stream, Descriptor sink) {
  lane(channel).sinks[index(stream)].fd = std::move(sink);
}

void SessionPump::attach_source(ChannelId channel, Stream stream, Descriptor source) {
  Source& into = lane(channel).sources[index(stream)];
  into.fd = std::move(source);
  into.ready = false;
}

void SessionPump::close_sink(ChannelId channel, Stream stream) {
  Sink& sink = lane(channel).sinks[index(stream)];
  if (sink.broken) return;
  sink.fd.reset();
  sink.broken = true;
  session_.discard(channel, stream);
}

void SessionPump::close_source(ChannelId channel, Stream stream) {
  if (source_ended(channel, stream)) owner_.on_sources_ended(channel);
}

void SessionPump::keep_sink_at_eof(ChannelId channel) { lane(channel).keep_sink_at_eof = true; }

void SessionPump::forget(ChannelId channel) {
  for (Source& source : lane(channel).sources) source.fd.reset();
  for (Sink& sink : lane(channel).sinks) sink.fd.reset();
  lane(channel) = Lane{};
}

bool SessionPump::has_sources(ChannelId channel) const {
  return std::ranges::any_of(lane(channel).sources, [](const Source& source) { return bool{source.fd}; });
}

bool SessionPump::sources_are_dry(ChannelId channel) const {
  for (const Source& source : lane(channel).sources) {
    if (!source.fd) continue;
    pollfd one{source.fd.get(), POLLIN, 0};
    if (::poll(&one, 1, 0) > 0 && (one.revents & POLLIN) != 0) return false;
  }
  return true;
}

SessionPump::Lane& SessionPump::lane(ChannelId channel) {
  used_ = std::max(used_, index(channel) + 1);
  return lanes_[index(channel)];
}
const SessionPump::Lane& SessionPump::lane(ChannelId channel) const { return lanes_[index(channel)]; }

// --- one turn -------------------------------------------------------------------------------------

void SessionPump::watch(PollSet& set) {
  // What was composed since the last send: by answers after it.
  if (phase_ == Phase::open && !blocked_ && !session_.transmit_ready(monotonic_now()).empty()) again_ = true;
  // Without anything wanted of it the transport is not polled at all: a hang-up would wake for ever.
  const bool lingering = phase_ == Phase::lingering;
  const bool receive = phase_ == Phase::open && !session_.receive_space().empty();
  const int in = receive || lingering ? in_.get() : -1;
  const int to = phase_ <= Phase::flushing && blocked_ ? out() : -1;
  if (in >= 0 && in == to) {
    in_polled_ = out_polled_ = set.add(in, POLLIN | POLLOUT);
  } else {
    in_polled_ = set.add(in, POLLIN);
    out_polled_ = set.add(to, POLLOUT);
  }
  for (std::size_t i = 0; i < used_; ++i) {
    const ChannelId channel{static_cast<std::uint32_t>(i)};
    for (const Stream stream : streams) {
      Source& source = lanes_[i].sources[index(stream)];
      Sink& sink = lanes_[i].sinks[index(stream)];
      source.polled = source.fd && !source.ready && session_.sendable(channel)
                          ? set.add(source.fd.get(), POLLIN) : PollSet::none;
      sink.polled = sink.fd && !session_.backlog(channel, stream).empty()
                        ? set.add(sink.fd.get(), POLLOUT) : PollSet::none;
    }
  }
}

void SessionPump::move(const PollSet& set, Instant now) {
  if (phase_ == Phase::open && set.ready(in_polled_)) receive(now);
  write_backlogs(set);
  if (phase_ == Phase::open) note_ready_sources(set);
  take_events(now);
  if (phase_ == Phase::open) {
    fill_and_send(now);
    take_events(now);  // sending may have been what an event waited for
  }
  if (session_.ended()) end(set, now);
}

Instant SessionPump::wake_at() const {
  if (again_ && phase_ == Phase::open) return 0;
  return phase_ == Phase::open ? session_.wake_at() : give_up_at_;
}

// --- from the peer --------------------------------------------------------------------------------

void SessionPump::receive(Instant now) {
  const MutableBytes space = session_.receive_space();
  if (space.empty()) return;
  const ssize_t n = ::read(in_.get(), space.data(), space.size());
  if (n > 0) {
    session_.received(static_cast<std::size_t>(n), now);
  } else if (n == 0 || !is_temporary(errno)) {
    session_.receive_closed(now);
  }
}

void SessionPump::take_events(Instant now) {
  for (Event event = session_.next(now); !nothing(event); event = session_.next(now)) take(event);
}

void SessionPump::take(const Event& event) {
  if (const auto* data = std::get_if<event::ChannelData>(&event)) return on_data(*data);
  if (const auto* eof = std::get_if<event::ChannelEof>(&event)) {
    Lane& lane = this->lane(eof->channel);
    if (!lane.keep_sink_at_eof)
      for (Sink& sink : lane.sinks) sink.fd.reset();
  } else if (const auto* sink = std::get_if<event::PeerSinkClosed>(&event)) {
    drop_sources(sink->channel);
  } else if (const auto* peer = std::get_if<event::PeerClosed>(&event)) {
    drop_sources(peer->channel);
  } else if (const auto* closed = std::get_if<event::ChannelClosed>(&event)) {
    forget(closed->channel);
  } else if (const auto* ended = std::get_if<event::Ended>(&event)) {
    ended_by_peer_ = ended->by_peer;
  }
  owner_.on_event(event);
}

void SessionPump::on_data(const event::ChannelData& data) {
  Sink& sink = lane(data.channel).sinks[index(data.stream)];
  if (sink.broken) return session_.consumed(data.channel, data.stream, data.data.size());
  if (!sink.fd) return;
  const ssize_t n = owner_.write_sink(data.channel, data.stream, sink.fd.get(), data.data);
  if (n >= 0) return session_.consumed(data.channel, data.stream, static_cast<std::size_t>(n));
  if (!is_temporary(errno)) break_sink(data.channel, data.stream);
}

void SessionPump::write_backlogs(const PollSet& set) {
  for (std::size_t i = 0; i < used_; ++i) {
    const ChannelId channel{static_cast<std::uint32_t>(i)};
    for (const Stream stream : streams) {
      Sink& sink = lanes_[i].sinks[index(stream)];
      if (!set.ready(sink.polled)) continue;
      for (Bytes waiting = session_.backlog(channel, stream); sink.fd && !waiting.empty();
           waiting = session_.backlog(channel, stream)) {
        const ssize_t n = owner_.write_sink(channel, stream, sink.fd.get(), waiting);
        if (n < 0) {
          if (!is_temporary(errno)) break_sink(channel, stream);
          break;
        }
        session_.consumed(channel, stream, static_cast<std::size_t>(n));
        if (static_cast<std::size_t>(n) < waiting.size()) break;
      }
    }
  }
}

void SessionPump::break_sink(ChannelId channel, Stream stream) {
  close_sink(channel, stream);
  owner_.on_sink_broken(channel, stream);
}

// --- to the peer ----------------------------------------------------------------------------------

void SessionPump::note_ready_sources(const PollSet& set) {
  for (std::size_t i = 0; i < used_; ++i) {
    for (const Stream stream : streams) {
      Source& source = lanes_[i].sources[index(stream)];
      if (!source.fd || source.ready || !set.ready(source.polled)) continue;
      source.ready = true;
      session_.source_ready(ChannelId{static_cast<std::uint32_t>(i)}, stream, true);
    }
  }
}

void SessionPump::fill_and_send(Instant now) {
  again_ = false;
  for (int round = 0; round < rounds_a_move; ++round) {
    const bool filled = fill();
    bool sent = false;
    if (!send(now, sent)) return;
    if (!filled && !sent) return;
  }
  again_ = true;
}

// Reads ready sources into packets until the session wants no more. False: there was nothing to read.
bool SessionPump::fill() {
  bool any = false;
  for (auto slot = session_.next_send(); !slot.space.empty(); slot = session_.next_send()) {
    Source& source = lane(slot.channel).sources[index(slot.stream)];
    const Reading reading = source.fd ? owner_.read_source(slot.channel, slot.stream, source.fd.get(), slot.space)
                                      : Reading{0, Reading::State::end};
    session_.produced(reading.bytes);
    any |= reading.bytes != 0;
    if (reading.state == Reading::State::data && reading.bytes != 0) continue;
    source.ready = false;
    session_.source_ready(slot.channel, slot.stream, false);
    if (reading.state == Reading::State::end) close_source(slot.channel, slot.stream);
  }
  return any;
}

// False: the transport takes no more now.
bool SessionPump::send(Instant now, bool& sent) {
  blocked_ = false;
  for (Bytes ready = session_.transmit_ready(now); !ready.empty(); ready = session_.transmit_ready(now)) {
    const ssize_t n = ::write(out(), ready.data(), ready.size());
    if (n < 0 && !is_temporary(errno)) {
      session_.receive_closed(now);
      return false;
    }
    if (n > 0) session_.transmitted(static_cast<std::size_t>(n), now);
    if (n < 0 || static_cast<std::size_t>(n) < ready.size()) {
      blocked_ = true;
      return false;
    }
    sent = true;
  }
  return true;
}

bool SessionPump::source_ended(ChannelId channel, Stream stream) {
  Lane& lane = this->lane(channel);
  Source& source = lane.sources[index(stream)];
  if (!source.fd) return false;
  source.fd.reset();
  if (source.ready) session_.source_ready(channel, stream, false);
  source.ready = false;
  if (has_sources(channel) || lane.eof) return false;
  lane.eof = true;
  (void)session_.end_of_output(channel);
  return true;
}

void SessionPump::drop_sources(ChannelId channel) {
  for (const Stream stream : streams) source_ended(channel, stream);
}

// --- the end --------------------------------------------------------------------------------------

void SessionPump::end(const PollSet& set, Instant now) {
  if (phase_ == Phase::open) {
    phase_ = Phase::flushing;
    give_up_at_ = now + flush_limit;
  }
  if (phase_ == Phase::flushing) {
    bool sent = false;
    const bool done = ended_by_peer_ || send(now, sent) || !blocked_;
    if (done || now >= give_up_at_) {
      const bool is_socket = ::shutdown(out(), SHUT_WR) == 0;
      out_.reset();
      const bool linger = is_socket && !ended_by_peer_ && session_.role() == Role::server;
      phase_ = linger ? Phase::lingering : Phase::draining;
      give_up_at_ = linger ? now + linger_limit : never;
      if (!linger) in_.reset();
    }
  } else if (phase_ == Phase::lingering) {
    std::array<std::byte, 4096> unread;
    ssize_t n = 1;
    if (set.ready(in_polled_)) n = ::read(in_.get(), unread.data(), unread.size());
    if (n == 0 || (n < 0 && !is_temporary(errno)) || now >= give_up_at_) {
      in_.reset();
      phase_ = Phase::draining;
      give_up_at_ = never;
    }
  }
  if (phase_ == Phase::draining && !any_backlog()) phase_ = Phase::finished;
}

bool SessionPump::any_backlog() const {
  for (std::size_t i = 0; i < used_; ++i)
    for (const Stream stream : streams)
      if (lanes_[i].sinks[index(stream)].fd &&
          !session_.backlog(ChannelId{static_cast<std::uint32_t>(i)}, stream).empty()) return true;
  return false;
}

}  // namespace sshape::posix

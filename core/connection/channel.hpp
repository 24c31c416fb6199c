// The state of one channel (RFC 4254, 5 and 6). Plain data: connection.cpp says what it means.
#pragma once

#include <array>

#include "core/connection/backlog.hpp"
#include "core/connection/window.hpp"
#include "core/events.hpp"
#include "profiles/active.hpp"

namespace sshape::connection {

// A request of the peer's whose turn to be answered has not come, or whose answer is not there yet.
struct OwedReply {
  enum class State : std::uint8_t { waiting, success, failure };
  enum class Kind : std::uint8_t { other, pty, start };
  QuestionId question = QuestionId::none;
  State state = State::waiting;
  Kind kind = Kind::other;
  bool wanted = false;  // the peer's want_reply
};

struct Channel {
  enum class State : std::uint8_t {
    free,
    opening,     // we sent CHANNEL_OPEN
    asked,       // the peer sent CHANNEL_OPEN, the port has not answered
    confirming,  // the port agreed, the confirmation is not composed yet
    refusing,    // likewise CHANNEL_OPEN_FAILURE
    open,
  };

  State state = State::free;
  PeerChannelId peer{};
  QuestionId open_question = QuestionId::none;
  OpenFailure refusal{};
  ReceiveWindow receive;
  SendWindow send;

  std::array<Backlog, 2> backlog;                // by Stream
  std::array<bool, 2> discarded{false, false};   // the sink is closed
  std::array<bool, 2> ready{false, false};       // the source has data
  bool interactive = false;                      // has a terminal: goes first
  std::int32_t deficit = 0;                      // bytes that it may still send in its turn

  bool eof_received = false, eof_reported = false;
  bool close_received = false, close_reported = false;
  bool sink_closed_reported = true;  // false: PeerSinkClosed is due
  bool eof_wanted = false, eof_sent = false;
  bool close_wanted = false, close_sent = false;

  bool started = false;      // a shell, exec or subsystem was accepted
  bool has_pty = false;
  std::uint32_t unanswered = 0;  // our requests that want a reply

  enum class Exit : std::uint8_t { none, status, signal };
  Exit exit = Exit::none;    // to be sent before CLOSE
  std::uint32_t exit_status = 0;
  bool core_dumped = false;
  std::array<char, 16> exit_signal{};

  std::array<OwedReply, active::profile.pending_requests> owed;
  std::uint16_t owed_first = 0;
  std::uint16_t owed_count = 0;
  OwedReply& owed_at(std::uint16_t i) { return owed[(owed_first + i) % owed.size()]; }
};

constexpr std::size_t index_of(Stream stream) { return static_cast<std::size_t>(stream); }

}  // namespace sshape::connection

// The state of one channel (RFC 4254, 5 and 6). Plain data: connection.cpp says what it means.
#pragma once

#include <array>

#include "core/connection/backlog.hpp"
#include "core/connection/growth.hpp"
#include "core/connection/owed_replies.hpp"
#include "core/connection/window.hpp"
#include "core/events.hpp"
#include "profiles/active.hpp"

namespace sshape::connection {

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
  WindowGrowth growth;
  SendWindow send;

  // By Stream.
  std::array<Backlog, 2> backlog;
  std::array<bool, 2> discarded{false, false};  // the sink is closed
  std::array<bool, 2> ready{false, false};      // the source has data

  bool has_terminal = false;         // a pty-req was made, and not refused
  bool short_read = false;           // the last read of a source did not fill its packet
  bool interactive() const { return has_terminal || short_read; }
  Stream last_sent = Stream::error;  // of two ready sources the other one is next
  std::int32_t deficit = 0;          // bytes that it may still send in this round
  std::uint32_t round = 0;           // in which `deficit` was last filled

  bool eof_received = false, eof_reported = false;
  bool close_received = false, close_reported = false;
  bool peer_sink_closed = false;     // eow@openssh.com came
  bool eow_wanted = false;           // eow@openssh.com is to be sent
  bool eof_wanted = false, eof_sent = false;
  bool close_wanted = false, close_sent = false;

  bool started = false;          // a shell, exec or subsystem was asked for, and not refused
  std::uint32_t unanswered = 0;  // our requests that want a reply

  enum class Exit : std::uint8_t { none, status, signal };
  Exit exit = Exit::none;        // to be sent before CLOSE
  std::uint32_t exit_status = 0;
  bool core_dumped = false;
  std::array<char, 16> exit_signal{};

  OwedReplies owed;
};

inline constexpr std::uint32_t stderr_type = 1;  // SSH_EXTENDED_DATA_STDERR (RFC 4254, 5.2)

constexpr std::size_t index_of(Stream stream) { return static_cast<std::size_t>(stream); }
constexpr Stream other(Stream stream) { return stream == Stream::data ? Stream::error : Stream::data; }

}  // namespace sshape::connection

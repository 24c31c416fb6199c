// The peer's requests: of channels (RFC 4254, 5.4 and 6) and global ones (4).
#include "core/connection/connection.hpp"

#include <utility>

namespace sshape::connection {

namespace {

using Kind = OwedReplies::Kind;

constexpr const char* too_many_requests = "more channel requests than this end keeps replies for";

}  // namespace

Expected<Event> Connection::on_global_request(wire::Reader& message) {
  const std::string_view name = message.text();
  const bool want_reply = message.boolean();
  if (!message.ok()) return fault("GLOBAL_REQUEST: a string and a boolean are expected");
  if (name == "no-more-sessions@openssh.com" && role_ == Role::server) no_more_sessions_ = true;
  // None is served here, keepalive@openssh.com included: any answer tells the peer that we live.
  if (!want_reply) return Event{};
  if (global_owed_ == active::profile.pending_global_requests)
    return fault("more global requests than this end keeps replies for");
  ++global_owed_;
  return Event{};
}

Expected<Event> Connection::on_request(wire::Reader& message) {
  const auto found = channel_of(message);
  const std::string_view type = message.text();
  const bool want_reply = message.boolean();
  if (!found) return std::unexpected(found.error());
  if (!message.ok()) return fault("CHANNEL_REQUEST: a uint32, a string and a boolean are expected");
  Channel& channel = **found;
  if (channel.close_sent) return Event{};

  if (type == "eow@openssh.com") {
    if (!message.at_end()) return fault("eow@openssh.com: nothing follows");
    const bool again = std::exchange(channel.peer_sink_closed, true);
    return with_reply(channel, want_reply, true, again ? Event{} : event::PeerSinkClosed{id_of(channel)});
  }
  if (role_ == Role::server) return session_request(channel, type, want_reply, message);

  if (type == "exit-status") {
    const std::uint32_t status = message.uint32();
    if (!message.at_end()) return fault("exit-status: one uint32 is expected");
    return with_reply(channel, want_reply, true, event::ExitStatus{id_of(channel), status});
  }
  if (type == "exit-signal") {
    const std::string_view name = message.text();
    const bool core_dumped = message.boolean();
    const std::string_view text = message.text();
    message.string();  // language
    if (!message.at_end()) return fault("exit-signal: a string, a boolean and two strings are expected");
    return with_reply(channel, want_reply, true, event::ExitSignal{id_of(channel), name, core_dumped, text});
  }
  return refuse(channel, want_reply);
}

// A string past the profile's limit fails its request; the session lives on.
Expected<Event> Connection::session_request(Channel& channel, std::string_view type, bool want_reply,
                                            wire::Reader& message) {
  const Profile& limits = active::profile;
  const ChannelId id = id_of(channel);
  const auto size = [&] {
    WindowSize s;
    s.columns = message.uint32();
    s.rows = message.uint32();
    s.width_pixels = message.uint32();
    s.height_pixels = message.uint32();
    return s;
  };
  const auto ask = [&](Kind kind, auto make) -> Expected<Event> {
    if (channel.owed.full()) return fault(too_many_requests);
    const QuestionId question = next_question();
    channel.owed.ask(question, kind, want_reply);
    return Event{make(question)};
  };

  if (type == "shell" || type == "exec" || type == "subsystem") {
    const event::Start start = type == "shell"  ? event::Start::shell
                               : type == "exec" ? event::Start::exec
                                                : event::Start::subsystem;
    const std::string_view command = start == event::Start::shell ? std::string_view{} : message.text();
    if (!message.at_end()) return fault("shell, exec or subsystem: malformed request");
    if (channel.started || command.size() > limits.command) return refuse(channel, want_reply);
    channel.started = true;  // until the port says no
    return ask(Kind::start, [&](QuestionId q) { return event::StartRequest{q, id, start, command}; });
  }
  if (type == "pty-req") {
    const std::string_view term = message.text();
    const WindowSize window = size();
    const Bytes modes = message.string();
    if (!message.at_end()) return fault("pty-req: a string, four uint32 and a string are expected");
    if (channel.has_terminal || term.size() > limits.term || modes.size() > limits.terminal_modes)
      return refuse(channel, want_reply);
    channel.has_terminal = true;
    return ask(Kind::terminal, [&](QuestionId q) { return event::PtyRequest{q, id, term, window, modes}; });
  }
  if (type == "env") {
    const std::string_view name = message.text();
    const std::string_view value = message.text();
    if (!message.at_end()) return fault("env: two strings are expected");
    if (name.size() > limits.environment_name || value.size() > limits.environment_value)
      return refuse(channel, want_reply);
    return ask(Kind::other, [&](QuestionId q) { return event::EnvRequest{q, id, name, value}; });
  }
  if (type == "break") {
    const std::uint32_t milliseconds = message.uint32();
    if (!message.at_end()) return fault("break: one uint32 is expected");
    return ask(Kind::other, [&](QuestionId q) { return event::BreakRequest{q, id, milliseconds}; });
  }
  if (type == "window-change") {
    const WindowSize window = size();
    if (!message.at_end()) return fault("window-change: four uint32 are expected");
    return with_reply(channel, want_reply, true, event::WindowChange{id, window});
  }
  if (type == "signal") {
    const std::string_view name = message.text();
    if (!message.at_end()) return fault("signal: one string is expected");
    return with_reply(channel, want_reply, true, event::Signal{id, name});
  }
  return refuse(channel, want_reply);
}

Expected<Event> Connection::with_reply(Channel& channel, bool want_reply, bool success, Event event) {
  if (!want_reply) return event;
  if (channel.owed.full()) return fault(too_many_requests);
  channel.owed.reply(success);
  compose_due(channel);
  return event;
}

void Connection::answer_request(QuestionId question, bool success) {
  for (std::size_t i = 0; i < used_; ++i) {
    Channel& channel = channels_[i];
    if (channel.state != Channel::State::open) continue;
    const auto kind = channel.owed.answer(question, success);
    if (!kind) continue;
    if (!success && *kind == Kind::start) channel.started = false;
    if (!success && *kind == Kind::terminal) channel.has_terminal = false;
    compose_due(channel);
    return;
  }
}

void Connection::answer_open(QuestionId question) {
  for (std::size_t i = 0; i < used_; ++i) {
    if (channels_[i].state != Channel::State::asked || channels_[i].open_question != question) continue;
    channels_[i].state = Channel::State::confirming;
    compose_due(channels_[i]);
  }
}

void Connection::refuse_open(QuestionId question, OpenFailure reason, std::string_view) {
  for (std::size_t i = 0; i < used_; ++i) {
    if (channels_[i].state != Channel::State::asked || channels_[i].open_question != question) continue;
    channels_[i].state = Channel::State::refusing;
    channels_[i].refusal = reason;
    compose_due(channels_[i]);
  }
}

}  // namespace sshape::connection

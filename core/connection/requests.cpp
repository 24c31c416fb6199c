// The peer's requests: of channels (RFC 4254, 5.4 and 6) and global ones (4).
#include "core/connection/connection.hpp"
#include "core/wire/message_numbers.hpp"

namespace sshape::connection {

using wire::Message;

Expected<Event> Connection::on_global_request(wire::Reader& message) {
  const std::string_view name = message.text();
  const bool want_reply = message.boolean();
  if (!message.ok()) return fault("GLOBAL_REQUEST: a string and a boolean are expected");
  if (name == "no-more-sessions@openssh.com" && role_ == Role::server) no_more_sessions_ = true;
  // None is served here, keepalive@openssh.com included: any answer tells the peer that we live.
  if (want_reply) ++global_owed_, pump_due_ = true;
  if (global_owed_ > active::profile.pending_global_requests)
    return fault("more global requests than this end keeps replies for");
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
    if (!channel.sink_closed_reported) return Event{};
    channel.sink_closed_reported = false;
    events_due_ = true;
    return Event{};
  }
  if (role_ == Role::server) return session_request(channel, type, want_reply, message);

  if (type == "exit-status") {
    const std::uint32_t status = message.uint32();
    if (!message.at_end()) return fault("exit-status: one uint32 is expected");
    return event::ExitStatus{id_of(channel), status};
  }
  if (type == "exit-signal") {
    const std::string_view name = message.text();
    const bool core_dumped = message.boolean();
    const std::string_view text = message.text();
    message.string();  // language
    if (!message.at_end()) return fault("exit-signal: a string, a boolean and two strings are expected");
    return event::ExitSignal{id_of(channel), name, core_dumped, text};
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
  const auto ask = [&](OwedReply::Kind kind, auto make) -> Expected<Event> {
    const auto owed = owe(channel, want_reply, OwedReply::State::waiting);
    if (!owed) return std::unexpected(owed.error());
    (*owed)->kind = kind;
    return Event{make((*owed)->question)};
  };

  if (type == "shell" || type == "exec" || type == "subsystem") {
    const event::Start start = type == "shell"  ? event::Start::shell
                               : type == "exec" ? event::Start::exec
                                                : event::Start::subsystem;
    const std::string_view command = start == event::Start::shell ? std::string_view{} : message.text();
    if (!message.at_end()) return fault("shell, exec or subsystem: malformed request");
    if (channel.started || command.size() > limits.command) return refuse(channel, want_reply);
    channel.started = true;  // until the port says no
    return ask(OwedReply::Kind::start,
               [&](QuestionId q) { return event::StartRequest{q, id, start, command}; });
  }
  if (type == "pty-req") {
    const std::string_view term = message.text();
    const WindowSize window = size();
    const Bytes modes = message.string();
    if (!message.at_end()) return fault("pty-req: a string, four uint32 and a string are expected");
    if (channel.has_pty || term.size() > limits.term || modes.size() > limits.terminal_modes)
      return refuse(channel, want_reply);
    channel.has_pty = channel.interactive = true;
    return ask(OwedReply::Kind::pty, [&](QuestionId q) { return event::PtyRequest{q, id, term, window, modes}; });
  }
  if (type == "env") {
    const std::string_view name = message.text();
    const std::string_view value = message.text();
    if (!message.at_end()) return fault("env: two strings are expected");
    if (name.size() > limits.environment_name || value.size() > limits.environment_value)
      return refuse(channel, want_reply);
    return ask(OwedReply::Kind::other, [&](QuestionId q) { return event::EnvRequest{q, id, name, value}; });
  }
  if (type == "break") {
    const std::uint32_t milliseconds = message.uint32();
    if (!message.at_end()) return fault("break: one uint32 is expected");
    return ask(OwedReply::Kind::other, [&](QuestionId q) { return event::BreakRequest{q, id, milliseconds}; });
  }
  if (type == "window-change") {
    const WindowSize window = size();
    if (!message.at_end()) return fault("window-change: four uint32 are expected");
    if (want_reply)
      if (const auto owed = owe(channel, true, OwedReply::State::success); !owed) return std::unexpected(owed.error());
    return event::WindowChange{id, window};
  }
  if (type == "signal") {
    const std::string_view name = message.text();
    if (!message.at_end()) return fault("signal: one string is expected");
    if (want_reply)
      if (const auto owed = owe(channel, true, OwedReply::State::success); !owed) return std::unexpected(owed.error());
    return event::Signal{id, name};
  }
  return refuse(channel, want_reply);
}

Expected<OwedReply*> Connection::owe(Channel& channel, bool want_reply, OwedReply::State state) {
  if (channel.owed_count == channel.owed.size())
    return fault("more channel requests than this end keeps replies for");
  OwedReply& owed = channel.owed_at(channel.owed_count++);
  owed = {static_cast<QuestionId>(++last_question_), state, OwedReply::Kind::other, want_reply};
  if (state != OwedReply::State::waiting) pump_due_ = true;
  return &owed;
}

Expected<Event> Connection::refuse(Channel& channel, bool want_reply) {
  if (want_reply)
    if (const auto owed = owe(channel, true, OwedReply::State::failure); !owed)
      return std::unexpected(owed.error());
  return Event{};
}

void Connection::answer_request(QuestionId question, bool success) {
  for (std::size_t i = 0; i < used_; ++i) {
    Channel& channel = channels_[i];
    if (channel.state != Channel::State::open) continue;
    for (std::uint16_t k = 0; k < channel.owed_count; ++k) {
      OwedReply& owed = channel.owed_at(k);
      if (owed.question != question || owed.state != OwedReply::State::waiting) continue;
      owed.state = success ? OwedReply::State::success : OwedReply::State::failure;
      if (!success && owed.kind == OwedReply::Kind::start) channel.started = false;
      if (!success && owed.kind == OwedReply::Kind::pty) channel.has_pty = channel.interactive = false;
      pump_due_ = true;
      return;
    }
  }
}

void Connection::answer_open(QuestionId question) {
  for (std::size_t i = 0; i < used_; ++i) {
    if (channels_[i].state != Channel::State::asked || channels_[i].open_question != question) continue;
    channels_[i].state = Channel::State::confirming;
    pump_due_ = true;
  }
}

void Connection::refuse_open(QuestionId question, OpenFailure reason, std::string_view) {
  for (std::size_t i = 0; i < used_; ++i) {
    if (channels_[i].state != Channel::State::asked || channels_[i].open_question != question) continue;
    channels_[i].state = Channel::State::refusing;
    channels_[i].refusal = reason;
    pump_due_ = true;
  }
}

}  // namespace sshape::connection

// What a client asks for: a session, its requests, and global requests.
#include "core/connection/compose.hpp"
#include "core/connection/connection.hpp"

namespace sshape::connection {

using State = Channel::State;
using wire::Message;

Expected<ChannelId> Connection::open_session(transport::Outbox& out) {
  Channel* const channel = free_channel();
  if (channel == nullptr) return fault("the table of channels is full");
  open_window(*channel);
  const bool sent = compose(out, small_message, [&](wire::Writer& m) {
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
  const bool sent = compose(out, small_message + type.size() + most, [&](wire::Writer& m) {
    m.byte(number(Message::channel_request)).uint32(number_of(channel->peer)).string(type).boolean(want_reply);
    fields(m);
  });
  if (!sent) return fault("channel request larger than this end can send");
  channel->unanswered += want_reply;
  return {};
}

Status Connection::request_pty(ChannelId channel, std::string_view term, WindowSize size, Bytes modes,
                               bool want_reply, transport::Outbox& out) {
  if (Channel* const open = open_channel(channel)) open->has_terminal = true;
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
  const bool sent = compose(out, small_message + name.size(), [&](wire::Writer& m) {
    m.byte(number(Message::global_request)).string(name).boolean(want_reply);
  });
  if (!sent) return fault("no room for a global request: try again later");
  global_unanswered_ += want_reply;
  return {};
}

}  // namespace sshape::connection

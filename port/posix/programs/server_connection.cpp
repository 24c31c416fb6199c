#include "port/posix/programs/server_connection.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "port/posix/clock.hpp"
#include "port/posix/environment.hpp"
#include "port/posix/overloaded.hpp"
#include "port/posix/signal_names.hpp"
#include "port/posix/socket.hpp"

namespace sshape::posix {

namespace {

constexpr Microseconds output_grace = second / 10;  // for a background process that holds the output
constexpr Microseconds closing_grace = 2 * second;  // for a child to take what came before CLOSE, and to end

Descriptor duplicate(const Descriptor& of) { return Descriptor(::fcntl(of.get(), F_DUPFD_CLOEXEC, 3)); }

}  // namespace

ServerConnection::ServerConnection(const ConnectionPlan& plan, Authority& authority, crypto::Random& random,
                                   Pages& pages, Descriptor in, Descriptor out, Descriptor login_pipe)
    : authority_(authority),
      session_(plan.session, random, pages, monotonic_now()),
      pump_(session_, *this, std::move(in), std::move(out)),
      login_pipe_(std::move(login_pipe)),
      session_limit_(plan.session_limit),
      quality_of_service_(plan.quality_of_service),
      now_(monotonic_now()) {}

// --- the loop's turn ------------------------------------------------------------------------------

void ServerConnection::watch(PollSet& set) {
  pump_.watch(set);
  authority_polled_ = set.add(authority_.descriptor(), POLLIN);
}

Instant ServerConnection::wake_at() const {
  Instant at = std::min({pump_.wake_at(), authority_.wake_at(), ends_at_});
  for (std::size_t i = 0; i < used_; ++i) at = std::min(at, channels_[i].look_again_at);
  return at;
}

void ServerConnection::move(const PollSet& set, Instant now) {
  now_ = now;
  if (now >= ends_at_) end(Disconnect::by_application, "Session time limit reached");
  take_answers();
  for (std::size_t i = 0; i < used_; ++i)
    if (now >= channels_[i].look_again_at) look_after(ChannelId{static_cast<std::uint32_t>(i)}, now);
  pump_.move(set, now);
}

void ServerConnection::end(Disconnect reason, std::string_view text) {
  if (session_.ended()) return;
  session_.disconnect(reason, text);
  on_ended({false, reason, text});
}

// --- events ---------------------------------------------------------------------------------------

void ServerConnection::on_event(const Event& event) {
  std::visit(
      Overloaded{
          [&](const event::SignExchangeHash& e) {
            ask({.ask = Ask::sign, .id = e.question, .blob = e.blob, .exchange_hash = e.exchange_hash, .algorithm = e.algorithm});
          },
          [&](const event::LoginRequest& e) { on_login_request(e); },
          [&](const event::LoggedIn&) { on_logged_in(); },
          [&](const event::OpenSession& e) {
            used_ = std::max(used_, static_cast<std::size_t>(e.channel) + 1);
            channel(e.channel) = Channel{};
            channel(e.channel).state = Channel::State::open;
            session_.answer_open(e.question);
          },
          [&](const event::PtyRequest& e) { on_pty(e); },
          [&](const event::EnvRequest& e) { on_env(e); },
          [&](const event::StartRequest& e) { on_start(e); },
          // The kernel's pseudo-terminals take a break and do nothing with it.
          [&](const event::BreakRequest& e) { session_.answer_request(e.question, channel(e.channel).has_pty); },
          [&](const event::WindowChange& e) {
            channel(e.channel).size = e.size;
            ask({.ask = Ask::resize, .channel = e.channel, .size = e.size});
          },
          [&](const event::Signal& e) {
            if (!forced_command_) ask({.ask = Ask::signal, .channel = e.channel, .signal = e.name});
          },
          [&](const event::PeerSinkClosed& e) {
            // Nobody reads a terminal any more: what writes there would wait for ever.
            if (channel(e.channel).has_pty) hang_up(e.channel);
            else on_sources_ended(e.channel);
          },
          [&](const event::PeerClosed& e) { on_peer_closed(e.channel); },
          [&](const event::ChannelClosed& e) { channel(e.channel) = Channel{}; },
          [&](const event::Ended& e) { on_ended(e); },
          [](const auto&) {},
      },
      event);
}

void ServerConnection::on_login_request(const event::LoginRequest& request) {
  ask({.ask = Ask::login,
       .id = request.question,
       .blob = request.key_blob,
       .method = request.method,
       .user = request.user,
       .password = request.password,
       .algorithm = request.algorithm,
       .signature = request.signature,
       .signed_data = request.signed_data});
}

void ServerConnection::on_logged_in() {
  logged_in_ = true;
  if (session_limit_ != 0) ends_at_ = now_ + session_limit_;
  if (!login_pipe_) return;
  [[maybe_unused]] const ssize_t n = ::write(login_pipe_.get(), "L", 1);
  login_pipe_.reset();
}

void ServerConnection::on_pty(const event::PtyRequest& request) {
  Channel& channel = this->channel(request.channel);
  const bool granted = may_have_pty_ && channel.state == Channel::State::open && !channel.has_pty;
  if (granted) {
    channel.has_pty = true;
    channel.size = request.size;
    channel.term.clear();
    channel.term.add(request.term.substr(0, request.term.find('\0')));
    channel.modes_size = std::min(request.modes.size(), channel.modes.size());
    copy_bytes(channel.modes, request.modes.first(channel.modes_size));
    if (quality_of_service_) mark_interactive(pump_.transport_in());
  }
  session_.answer_request(request.question, granted);
}

void ServerConnection::on_env(const event::EnvRequest& request) {
  Channel& channel = this->channel(request.channel);
  const bool plain = request.value.find('\0') == std::string_view::npos;
  const bool granted = channel.state == Channel::State::open && !forced_command_ && plain &&
                       peer_may_set(request.name) &&
                       request.name.size() + request.value.size() + 2 <= channel.environment.room();
  if (granted) channel.environment.add(request.name).add('=').add(request.value).add('\0');
  session_.answer_request(request.question, granted);
}

void ServerConnection::on_start(const event::StartRequest& request) {
  Channel& channel = this->channel(request.channel);
  if (channel.state != Channel::State::open) return session_.answer_request(request.question, false);
  channel.state = Channel::State::starting;
  channel.start = request.question;
  ask({.ask = Ask::start,
       .id = request.question,
       .channel = request.channel,
       .start = request.start,
       .command = request.command,
       .pty = channel.has_pty,
       .term = channel.term.view(),
       .modes = Bytes(channel.modes).first(channel.modes_size),
       .size = channel.size,
       .environment = channel.environment.view()});
}

void ServerConnection::on_sources_ended(ChannelId id) {
  channel(id).outputs_ended = true;
  if (channel(id).state == Channel::State::exited) report_exit(id);
}

void ServerConnection::on_peer_closed(ChannelId id) {
  Channel& channel = this->channel(id);
  channel.peer_closed = true;
  // After both ends of file some peers close at once, and still want the status.
  if (channel.state == Channel::State::exited) return report_exit(id);
  const bool soon_over = channel.outputs_ended || !session_.backlog(id, Stream::data).empty();
  if (channel.state != Channel::State::running || !soon_over) return hang_up(id);
  channel.look_again_at = now_ + closing_grace;
}

void ServerConnection::on_ended(const event::Ended& ended) {
  end_text_.clear();
  if (ended.by_peer) end_text_.add(ended.reason == Disconnect::connection_lost ? "Exited normally" : "Disconnect received");
  else end_text_.add(ended.text);
  tries_used_up_ = !ended.by_peer && ended.reason == Disconnect::no_more_auth_methods_available;
  for (std::size_t i = 0; i < used_; ++i) {
    const ChannelId id{static_cast<std::uint32_t>(i)};
    if (channels_[i].state != Channel::State::none) authority_.ask({.ask = Ask::hang_up, .channel = id});
    channels_[i].state = Channel::State::none;
    channels_[i].look_again_at = never;
    pump_.forget(id);
  }
}

// --- the authority --------------------------------------------------------------------------------

void ServerConnection::ask(const Question& question) {
  authority_.ask(question);
  take_answers();
}

void ServerConnection::take_answers() {
  while (auto answer = authority_.next()) {
    switch (answer->kind) {
      case AnswerKind::signature: session_.answer_signature(answer->id, answer->signature); break;
      case AnswerKind::login:
        may_have_pty_ = answer->may_have_pty;
        forced_command_ = answer->forced_command;
        session_.answer_login(answer->id, answer->verdict);
        break;
      case AnswerKind::started: on_started(*answer); break;
      case AnswerKind::exited: on_exited(*answer); break;
    }
  }
}

void ServerConnection::on_started(Answer& answer) {
  Channel& channel = this->channel(answer.channel);
  const bool awaited = channel.state == Channel::State::starting && channel.start == answer.id;
  if (!awaited) {  // the channel died meanwhile
    if (answer.success) authority_.ask({.ask = Ask::hang_up, .channel = answer.channel});
    return;
  }
  channel.state = answer.success ? Channel::State::running : Channel::State::open;
  if (answer.success && channel.has_pty) {
    pump_.attach_source(answer.channel, Stream::data, duplicate(answer.descriptors[0]));
    pump_.attach_sink(answer.channel, Stream::data, std::move(answer.descriptors[0]));
    pump_.keep_sink_at_eof(answer.channel);
  } else if (answer.success) {
    pump_.attach_sink(answer.channel, Stream::data, std::move(answer.descriptors[0]));
    pump_.attach_source(answer.channel, Stream::data, std::move(answer.descriptors[1]));
    pump_.attach_source(answer.channel, Stream::error, std::move(answer.descriptors[2]));
  }
  session_.answer_request(answer.id, answer.success);
}

void ServerConnection::on_exited(const Answer& answer) {
  Channel& channel = this->channel(answer.channel);
  if (channel.state != Channel::State::running) return;
  channel.state = Channel::State::exited;
  channel.wait_status = answer.wait_status;
  pump_.close_sink(answer.channel, Stream::data);
  if (!pump_.has_sources(answer.channel)) return report_exit(answer.channel);
  channel.look_again_at = now_ + output_grace;
}

// --- the end of a channel -------------------------------------------------------------------------

void ServerConnection::look_after(ChannelId id, Instant now) {
  Channel& channel = this->channel(id);
  if (channel.state == Channel::State::exited) {
    if (pump_.sources_are_dry(id)) return report_exit(id);
    // Output waits: for its turn, or for a peer that takes nothing now.
    channel.look_again_at = now + (session_.sendable(id) ? output_grace : second);
  } else if (channel.peer_closed) {
    hang_up(id);
  }
}

// The child is gone, and its outputs are at their end, or as good as.
void ServerConnection::report_exit(ChannelId id) {
  Channel& channel = this->channel(id);
  channel.state = Channel::State::closing;
  channel.look_again_at = never;
  const int status = channel.wait_status;
  if (WIFSIGNALED(status)) {
    (void)session_.exit_signal(id, name_of_signal(WTERMSIG(status)), WCOREDUMP(status), {});
  } else {
    (void)session_.exit_status(id, static_cast<std::uint32_t>(WEXITSTATUS(status)));
  }
  hang_up(id);
}

// The child, if it still lives, loses its terminal and its pipes; the channel closes.
void ServerConnection::hang_up(ChannelId id) {
  Channel& channel = this->channel(id);
  channel.state = Channel::State::closing;
  channel.look_again_at = never;
  authority_.ask({.ask = Ask::hang_up, .channel = id});
  session_.discard(id, Stream::data);
  pump_.forget(id);
  (void)session_.close(id);
}

}  // namespace sshape::posix

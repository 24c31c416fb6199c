#include "port/posix/programs/client_connection.hpp"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <variant>

#include "port/posix/clock.hpp"
#include "port/posix/console.hpp"
#include "port/posix/overloaded.hpp"
#include "port/posix/signal_names.hpp"
#include "port/posix/signals.hpp"
#include "port/posix/socket.hpp"
#include "port/posix/terminal_modes.hpp"

namespace sshape::posix {

namespace {

// A peer whose channel we closed because nobody reads our output; dropbear's waits for the command.
constexpr Microseconds close_limit = 2 * second;

constexpr int deadly_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

// Who started us with it ignored (nohup, a script's background) wants it so.
void watch_unless_ignored(int number) {
  struct sigaction now{};
  if (::sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_IGN) return;
  watch_signal(number);
}

bool wants_terminal(const ClientOptions& options) {
  using Terminal = ClientOptions::Terminal;
  const bool from_terminal = ::isatty(STDIN_FILENO) != 0;
  switch (options.terminal) {
    case Terminal::never: return false;
    case Terminal::forced: return true;
    case Terminal::automatic: return from_terminal && options.command.empty();
    case Terminal::wanted: break;
  }
  if (!from_terminal) tell("no terminal there, as standard input is none (-t twice asks for it all the same)");
  return from_terminal;
}

}  // namespace

ClientConnection::ClientConnection(const ClientOptions& options, const SessionConfig& config,
                                   const KnownHostsFiles& known_hosts, Identities& identities,
                                   crypto::Random& random, Pages& pages, Descriptor socket)
    : options_(options),
      host_key_(options, known_hosts),
      login_(options, identities),
      session_(config, random, pages, monotonic_now()),
      pump_(session_, *this, std::move(socket)),
      end_at_(options.session_limit == 0 ? never : monotonic_now() + options.session_limit),
      keys_by_(options.connect_limit == 0 ? never : monotonic_now() + options.connect_limit) {}

// --- the loop -------------------------------------------------------------------------------------

int ClientConnection::run() {
  ignore_broken_pipes();
  for (const int number : deadly_signals) watch_unless_ignored(number);
  for (const int number : {SIGWINCH, SIGCONT, SIGTSTP}) watch_unless_ignored(number);
  PollSet set;
  pump_.move(set, monotonic_now());
  while (!pump_.finished() && fatal_signal_ == 0) {
    set.clear();
    const std::size_t signals = set.add(signal_descriptor(), POLLIN);
    const std::size_t answer = set.add(question_.descriptor(), POLLIN);
    pump_.watch(set);
    set.wait(std::min(pump_.wake_at(), wake_at()));
    if (set.ready(signals)) take_signals();
    if (set.ready(answer)) take_answer();
    watch_clock();
    pump_.move(set, monotonic_now());
  }
  question_.finish();
  raw_.restore();
  if (fatal_signal_ != 0) return -fatal_signal_;
  if (terminal_ && !failed_ && !options_.quiet) tell("connection to ", options_.host.view(), " closed");
  return exit_status();
}

Instant ClientConnection::wake_at() const {
  return session_.ended() ? never : std::min({end_at_, keys_by_, close_by_});
}

void ClientConnection::watch_clock() {
  const Instant now = monotonic_now();
  if (now < wake_at()) return;
  if (now >= close_by_) return session_.disconnect(Disconnect::by_application, "disconnected by the user");
  leave_raw();
  if (now >= keys_by_) tell(options_.host.view(), " did not exchange keys in time");
  else tell("the session's time is up");
  fail();
}

int ClientConnection::exit_status() const {
  if (command_status_ >= 0 && !failed_) return command_status_;
  if (output_broken_ && !failed_) return 128 + SIGPIPE;
  return own_failure(options_.dialect);
}

void ClientConnection::fail() {
  failed_ = true;
  session_.disconnect(Disconnect::by_application, "disconnected by the user");
}

// --- signals --------------------------------------------------------------------------------------

void ClientConnection::take_signals() {
  while (const int number = take_signal()) {
    if (number == SIGWINCH) {
      tell_size();
    } else if (number == SIGTSTP) {
      suspend();
    } else if (number == SIGCONT) {
      raw_.resume();
    } else {
      fatal_signal_ = number;
      session_.disconnect(Disconnect::by_application, "disconnected by the user");
    }
  }
}

// Stops as the default of SIGTSTP does, the terminal given back meanwhile.
void ClientConnection::suspend() {
  raw_.pause();
  question_.pause();
  struct sigaction stop{};
  struct sigaction watched{};
  stop.sa_handler = SIG_DFL;
  ::sigaction(SIGTSTP, &stop, &watched);
  ::raise(SIGTSTP);
  ::sigaction(SIGTSTP, &watched, nullptr);
  raw_.resume();
  question_.resume();
  tell_size();
}

// Also while the terminal's request has no reply yet: the server takes them in order.
void ClientConnection::tell_size() {
  if (channel_open_ && (terminal_ || replies_before_start_ > 0))
    (void)session_.window_change(channel_, terminal_size(STDIN_FILENO));
}

// --- questions to the user ------------------------------------------------------------------------

bool ClientConnection::ask_user(Asking what, std::string_view prompt, bool echo) {
  const char* const program = what == Asking::password ? password_program() : nullptr;
  asking_ = what;
  return program != nullptr ? question_.ask_program(program, prompt) : question_.ask_terminal(prompt, echo);
}

void ClientConnection::take_answer() {
  const Question::State state = question_.take();
  if (state == Question::State::waiting) return;
  const bool answered = state == Question::State::answered;
  switch (std::exchange(asking_, Asking::nothing)) {
    case Asking::nothing: break;
    case Asking::host_key: on_host_key(host_key_.answer(answered ? question_.answer() : "no")); break;
    case Asking::password:
      on_login(answered ? login_.password(session_, question_.answer()) : ClientLogin::Step::give_up);
      break;
  }
  if (asking_ == Asking::nothing) question_.finish();
}

// --- events ---------------------------------------------------------------------------------------

void ClientConnection::on_event(const Event& event) {
  std::visit(Overloaded{
                 [&](const event::VerifyHostKey& e) {
                   keys_by_ = never;
                   on_host_key(host_key_.judge(e));
                 },
                 [&](const event::KeysChanged& e) {
                   if (!options_.verbose) return;
                   tell(e.first ? "keys: " : "new keys: ", e.kex, ", ", e.host_key, ", ", e.cipher_out, " out, ",
                        e.cipher_in, " in; the server is ", Foreign{session_.peer_identification()});
                 },
                 [&](const event::Banner& e) {
                   if (!options_.quiet) show_peers_text(e.text);
                 },
                 [&](const event::ChooseLogin& e) { on_login(login_.choose(session_, e)); },
                 [&](const event::PublicKeyWelcome& e) { on_login(login_.welcome(session_, e)); },
                 [&](const event::SignLogin& e) { login_.sign(session_, e); },
                 [&](const event::LoggedIn&) { on_logged_in(); },
                 [&](const event::ChannelOpened& e) { on_opened(e.channel); },
                 [&](const event::ChannelRefused& e) {
                   tell("the server refuses a session: ", Foreign{e.text});
                   fail();
                 },
                 [&](const event::RequestReply& e) { on_reply(e.success); },
                 [&](const event::ExitStatus& e) {
                   command_status_ = static_cast<int>(std::min<std::uint32_t>(e.status, 255));
                 },
                 [&](const event::ExitSignal& e) {
                   const int number = signal_of_name(e.name);
                   command_status_ = number > 0 ? 128 + number : 255;
                   if (!options_.quiet) tell("the command ended by signal ", Foreign{e.name});
                 },
                 [&](const event::ChannelEof&) { output_whole_ = true; },
                 [&](const event::PeerClosed& e) {
                   output_whole_ = true;
                   (void)session_.close(e.channel);
                 },
                 [&](const event::ChannelClosed&) {
                   channel_open_ = false;
                   if (command_status_ < 0 && !output_broken_ && !failed_)
                     tell("the session ended without an exit status");
                   session_.disconnect(Disconnect::by_application, "disconnected by the user");
                 },
                 [&](const event::Ended& e) { on_ended(e); },
                 [](const auto&) {},
             },
             event);
}

void ClientConnection::on_ended(const event::Ended& ended) {
  question_.finish();
  const bool done = ended.by_peer && command_status_ >= 0 && output_whole_;  // it has said all that it had to say
  if (done || failed_) return;
  failed_ = true;
  leave_raw();
  tell(ended.by_peer ? "connection closed by " : "connection ended: ", options_.host.view(), ": ", Foreign{ended.text});
}

void ClientConnection::on_host_key(HostKeyCheck::Step step) {
  if (step == HostKeyCheck::Step::ask) {
    if (ask_user(Asking::host_key, host_key_.prompt().view(), true)) return;
    step = host_key_.nobody_to_ask();
  }
  asking_ = Asking::nothing;
  if (step == HostKeyCheck::Step::refuse) failed_ = true;
  if (host_key_.withhold_passwords()) login_.withhold_passwords();
  session_.answer_host_key(host_key_.question(), step == HostKeyCheck::Step::accept ? HostKeyVerdict::accept
                                                                                    : HostKeyVerdict::refuse);
}

void ClientConnection::on_login(ClientLogin::Step step) {
  if (step == ClientLogin::Step::ask_password) {
    if (ask_user(Asking::password, login_.prompt().view(), false)) return;
    asking_ = Asking::nothing;
    step = login_.nobody_to_ask();
  }
  if (step != ClientLogin::Step::give_up) return;
  tell(login_.refusal().view());
  failed_ = true;
  session_.disconnect(Disconnect::no_more_auth_methods_available, "no way to log in is left");
}

void ClientConnection::on_logged_in() {
  login_.forget_secrets();
  if (options_.background && !go_into_background()) return fail();
  if (options_.no_command) return;
  const auto channel = session_.open_session();
  if (channel) {
    channel_ = *channel;
    return;
  }
  tell(channel.error().text);
  fail();
}

// The command's output may have stopped within a line.
void ClientConnection::leave_raw() {
  if (!raw_.entered()) return;
  raw_.restore();
  print(STDERR_FILENO, "\n");
}

bool ClientConnection::go_into_background() {
  const pid_t child = ::fork();
  if (child > 0) ::_exit(0);
  if (child < 0) {
    tell("cannot go into the background");
    return false;
  }
  ::setsid();
  let_go(STDIN_FILENO);
  return true;
}

// --- the command ----------------------------------------------------------------------------------

// All requests at once, none waits for the reply to another.
void ClientConnection::on_opened(ChannelId channel) {
  channel_open_ = true;
  if (wants_terminal(options_) && request_terminal(channel)) ++replies_before_start_;
  const event::Start start = options_.command.empty() ? event::Start::shell
                             : options_.subsystem     ? event::Start::subsystem
                                                      : event::Start::exec;
  if (const Status asked = session_.request_start(channel, start, options_.command.view()); !asked) {
    tell(asked.error().text);
    return fail();
  }
  attach_streams(channel);
}

bool ClientConnection::request_terminal(ChannelId channel) {
  std::array<std::byte, 512> space;
  wire::Writer modes(space);
  constexpr std::uint8_t end_of_modes = 0;
  if (const auto settings = terminal_settings(STDIN_FILENO)) encode_terminal_modes(*settings, modes);
  else modes.byte(end_of_modes);
  const char* const term = ::getenv("TERM");
  const Status asked = session_.request_pty(channel, term == nullptr || term[0] == '\0' ? "vt100" : term,
                                            terminal_size(STDIN_FILENO), modes.written());
  if (!asked) tell(asked.error().text);
  return asked.has_value();
}

void ClientConnection::attach_streams(ChannelId channel) {
  SharedEnd output = share(STDOUT_FILENO, false);
  SharedEnd error = share(STDERR_FILENO, false);
  sinks_ = {output.kind, error.kind};
  pump_.attach_sink(channel, Stream::data, std::move(output.fd));
  pump_.attach_sink(channel, Stream::error, std::move(error.fd));
  if (options_.null_input || options_.background) let_go(STDIN_FILENO);
  SharedEnd input = share(STDIN_FILENO, true);
  source_ = input.kind;
  pump_.attach_source(channel, Stream::data, std::move(input.fd));
  // From here on only these ends are ours, and who is at the other ends sees them close.
  let_go(STDOUT_FILENO);
  if (::isatty(STDIN_FILENO) == 0) let_go(STDIN_FILENO);
}

void ClientConnection::on_reply(bool success) {
  if (replies_before_start_ > 0) {
    --replies_before_start_;
    if (success) begin_raw();
    else tell("the server gives no terminal");
    return;
  }
  if (std::exchange(start_replied_, true) || success) return;
  tell("the server refuses the ", options_.command.empty() ? "shell" : options_.subsystem ? "subsystem" : "command");
  fail();
}

void ClientConnection::begin_raw() {
  terminal_ = true;
  if (options_.quality_of_service) mark_interactive(pump_.transport_in());
  if (::isatty(STDIN_FILENO) != 0) raw_.enter(STDIN_FILENO);
}

// --- its streams ----------------------------------------------------------------------------------

Reading ClientConnection::read_source(ChannelId, Stream, int fd, MutableBytes space) {
  if (raw_.entered() && options_.escapes) {
    if (typed_left_.empty()) {
      const Reading typed = read_shared(source_, fd, MutableBytes(typed_).first(typed_.size() - 1));
      if (typed.bytes == 0) return typed;
      Escapes::Wishes wishes;
      typed_left_ = Bytes(typed_).first(escapes_.filter(typed_, typed.bytes, wishes));
      grant(wishes);
    }
    return read_typing(space);
  }
  return read_shared(source_, fd, space);
}

Reading ClientConnection::read_typing(MutableBytes space) {
  const Bytes piece = typed_left_.first(std::min(typed_left_.size(), space.size()));
  copy_bytes(space, piece);
  typed_left_ = typed_left_.subspan(piece.size());
  return {piece.size(), typed_left_.empty() ? Reading::State::later : Reading::State::data};
}

ssize_t ClientConnection::write_sink(ChannelId, Stream stream, int fd, Bytes data) {
  const ssize_t n = write_shared(sinks_[static_cast<std::size_t>(stream)], fd, data);
  if (n < 0 && stream == Stream::data) output_error_ = errno;
  return n;
}

// Nobody reads our output any more: the command is told by the end of its channel.
void ClientConnection::on_sink_broken(ChannelId channel, Stream stream) {
  if (stream != Stream::data) return;
  if (output_error_ != EPIPE) {
    leave_raw();
    tell("standard output cannot be written: ", std::string_view(::strerror(output_error_)));
    return fail();
  }
  output_broken_ = true;
  close_by_ = monotonic_now() + close_limit;
  (void)session_.close(channel);
}

void ClientConnection::grant(const Escapes::Wishes& wishes) {
  if (wishes.help) print(STDERR_FILENO, Escapes::help());
  if (wishes.rekey) session_.rekey();
  if (wishes.send_break) (void)session_.send_break(channel_, 0);
  if (wishes.suspend) suspend();
  if (!wishes.disconnect) return;
  leave_raw();
  tell("connection to ", options_.host.view(), " ended by ~.");
  fail();
}

}  // namespace sshape::posix

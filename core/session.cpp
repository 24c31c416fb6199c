#include "core/session.hpp"

#include <algorithm>

#include "core/messages.hpp"

namespace sshape {

using wire::Message;

namespace {

constexpr std::uint32_t keepalives_limit = 3;
constexpr std::string_view userauth_service = "ssh-userauth";

}  // namespace

Session::Session(const SessionConfig& config, crypto::Random& random, Pages& pages, Instant now)
    : config_(config),
      memory_(pages),
      receive_region_(memory_.take(Use::receive)),
      transmit_region_(memory_.take(Use::transmit)),
      transport_(config.role, config.transport, random),
      server_auth_(config.server_auth),
      client_auth_(config.client_auth),
      connection_(config.role,
                  {.window = config.window == 0 ? active::profile.window : clamp_window(config.window),
                   .grows = config.window == 0},
                  memory_),
      now_(now),
      began_(now),
      heard_(now),
      progressed_(now),
      active_(now) {
  if (receive_region_.empty() || transmit_region_.empty()) {
    end(false, Disconnect::by_application, "no memory for a connection");
    return;
  }
  transport_.begin(receive_region_, transmit_region_, now);
}

Session::~Session() {
  if (!receive_region_.empty()) memory_.give_back(Use::receive, receive_region_);
  if (!transmit_region_.empty()) memory_.give_back(Use::transmit, transmit_region_);
}

// --- bytes ----------------------------------------------------------------------------------------

MutableBytes Session::receive_space() {
  if (!settle()) return {};
  return transport_.reader().space();
}

void Session::received(std::size_t bytes, Instant now) {
  now_ = heard_ = now;
  connection_.time(now);
  keepalives_unanswered_ = 0;
  received_ += bytes;
  transport_.reader().received(bytes);
}

void Session::receive_closed(Instant now) {
  now_ = now;
  if (settle()) end(true, Disconnect::connection_lost, "the peer closed the connection");
}

Bytes Session::transmit_ready(Instant now) {
  now_ = now;
  connection_.time(now);
  if (settle()) {
    if (stage_ == Stage::connection) connection_.pump(transport_.outbox());
    transport_.flush(now);
  }
  const Bytes ready = transmit_region_.empty() ? Bytes{} : transport_.writer().ready();
  if (ready.empty()) progressed_ = now;
  return ready;
}

void Session::transmitted(std::size_t bytes, Instant now) {
  now_ = progressed_ = now;
  transport_.writer().sent(bytes);
}

// --- events ---------------------------------------------------------------------------------------

Event Session::next(Instant now) {
  now_ = now;
  if (settle()) {
    watch_clock();
    if (!ended_) {
      Event event = next_event();
      if (!nothing(event)) return event;
    }
  }
  return ended_ ? ended_event() : Event{};
}

Event Session::next_event() {
  if (!nothing(queued_)) return std::exchange(queued_, Event{});
  if (stage_ == Stage::connection)
    if (Event event = connection_.pending_event(); !nothing(event)) return event;
  while (!ended_ && !paused()) {
    // Replies leave their tables before the next request comes; once they cannot, nothing is parsed.
    if (stage_ == Stage::connection) {
      connection_.pump(transport_.outbox());
      transport_.flush(now_);
    }
    const auto message = transport_.next_message();
    if (!message) {
      fail(message.error());
      break;
    }
    if (!*message) break;
    if (Event event = dispatch(**message); !nothing(event)) return event;
  }
  return stage_ == Stage::connection && !ended_ ? connection_.pending_event() : Event{};
}

Event Session::dispatch(Bytes message) {
  if (stage_ != Stage::connection && (transport_.reader().packets() > active::profile.login_packets ||
                                      received_ > active::profile.login_bytes)) {
    fail({Disconnect::protocol_error, "too much was sent before login"});
    return {};
  }
  const transport::KeyExchange& exchange = transport_.exchange();
  const phase::Set phase = !exchange.completed_once()
                               ? (exchange.strict() ? phase::strict_exchange : phase::first_exchange)
                           : exchange.peer_is_exchanging()           ? phase::exchange
                           : stage_ == Stage::service        ? phase::service
                           : stage_ == Stage::authentication ? phase::login
                                                             : phase::connection;
  const sender::Set sender = config_.role == Role::server ? sender::client : sender::server;
  message_ = message;
  wire::Reader reader(message);
  const MessageTable::Rule* rule = MessageTable::find(reader.byte());
  if (rule == nullptr) {
    if (phase == phase::strict_exchange)
      fail({Disconnect::protocol_error, "unknown message in a strict key exchange"});
    else
      transport_.unimplemented(now_);
    return {};
  }
  if ((rule->senders & sender) == 0) {
    fail({Disconnect::protocol_error, "message that only the other role may send"});
    return {};
  }
  if ((rule->phases & phase) == 0) {
    fail({Disconnect::protocol_error, "message out of place in this phase of the protocol"});
    return {};
  }
  Expected<Event> event = (this->*rule->handler)(reader);
  if (event) return *event;
  fail(event.error());
  return {};
}

Instant Session::wake_at() const {
  if (ended_) return end_reported_ ? never : now_;
  if (!nothing(queued_) || connection_.has_pending_event()) return now_;
  Instant at = transport_.rekey_at();
  if (stage_ != Stage::connection) at = std::min(at, began_ + config_.login_limit);
  if (stage_ == Stage::connection && config_.keepalive != 0)
    at = std::min(at, heard_ + config_.keepalive * (keepalives_unanswered_ + 1));
  if (stage_ == Stage::connection && config_.idle_limit != 0)
    at = std::min(at, active_ + config_.idle_limit);
  if (transport_.choked()) at = std::min(at, progressed_ + active::profile.stall_seconds * second);
  return at;
}

bool Session::ended() const { return ended_; }

bool Session::paused() const {
  return transport_.exchange().pending() || server_auth_.pending() || client_auth_.pending();
}

bool Session::settle() {
  if (ended_) return false;
  if (stage_ != Stage::connection) return true;
  if (Status status = connection_.settle(); !status) fail(status.error());
  return !ended_;
}

void Session::watch_clock() {
  if (stage_ != Stage::connection) {
    if (now_ >= began_ + config_.login_limit)
      fail({Disconnect::by_application, "Timeout before auth"});
    return;
  }
  if (config_.idle_limit != 0 && now_ >= active_ + config_.idle_limit)
    return fail({Disconnect::by_application, "Idle timeout"});
  if (config_.keepalive != 0 && now_ >= heard_ + config_.keepalive * (keepalives_unanswered_ + 1)) {
    if (++keepalives_unanswered_ > keepalives_limit)
      return fail({Disconnect::connection_lost, "Keepalive timeout"});
    (void)connection_.global_request("keepalive@openssh.com", true, transport_.outbox());
  }
  if (transport_.choked() && now_ >= progressed_ + active::profile.stall_seconds * second)
    fail({Disconnect::connection_lost, "the peer takes no replies"});
}

void Session::fail(const Fault& fault) {
  if (ended_) return;
  transport_.disconnect(fault.reason, fault.text);
  end(false, fault.reason, fault.text);
}

void Session::end(bool by_peer, Disconnect reason, std::string_view text) {
  if (ended_) return;
  ended_ = true;
  end_by_peer_ = by_peer;
  end_reason_ = reason;
  end_text_size_ = std::min(text.size(), end_text_.size());
  std::copy_n(text.begin(), end_text_size_, end_text_.begin());
}

Event Session::ended_event() {
  if (end_reported_) return {};
  end_reported_ = true;
  return event::Ended{end_by_peer_, end_reason_, {end_text_.data(), end_text_size_}};
}

Status Session::check(Status status) {
  if (!status) fail(status.error());
  return status;
}

// --- transport messages ---------------------------------------------------------------------------

Expected<Event> Session::on_disconnect(wire::Reader& message) {
  const auto reason = static_cast<Disconnect>(message.uint32());
  const std::string_view text = message.text();
  end(true, reason, message.ok() ? text : "malformed DISCONNECT");
  return Event{};
}

Expected<Event> Session::on_ignore(wire::Reader&) { return Event{}; }
Expected<Event> Session::on_unimplemented(wire::Reader&) { return Event{}; }
Expected<Event> Session::on_debug(wire::Reader&) { return Event{}; }

Expected<Event> Session::on_service_request(wire::Reader& message) {
  const std::string_view service = message.text();
  if (!message.at_end()) return fault("SERVICE_REQUEST: exactly one string is expected");
  if (service != userauth_service)
    return fault("service not available: ssh-userauth comes first", Disconnect::service_not_available);
  wire::Writer reply = transport_.outbox().compose(32);
  reply.byte(number(Message::service_accept)).string(userauth_service);
  transport_.outbox().commit(reply);
  stage_ = Stage::authentication;
  return Event{};
}

Expected<Event> Session::on_service_accept(wire::Reader& message) {
  const std::string_view service = message.text();
  if (!message.ok() || service != userauth_service)
    return fault("SERVICE_ACCEPT for a service that was not asked for");
  stage_ = Stage::authentication;
  return Event{};
}

Expected<Event> Session::on_ext_info(wire::Reader& message) { return transport_.on_ext_info(message); }

Expected<Event> Session::on_kexinit(wire::Reader& message) {
  if (config_.role == Role::client) asked_ = now_;  // our share goes out now
  return transport_.on_kexinit(message, message_);
}

Expected<Event> Session::on_newkeys(wire::Reader& message) {
  if (config_.role == Role::server) answered();
  Expected<Event> changed = transport_.on_newkeys(message, now_);
  if (!changed || config_.role == Role::server) return changed;
  if (std::get<event::KeysChanged>(*changed).first) {
    // The service and the first try of the login travel in one flight (RFC 4253, 10).
    wire::Writer request = transport_.outbox().compose(32);
    request.byte(number(Message::service_request)).string(userauth_service);
    transport_.outbox().commit(request);
    queued_ = client_auth_.begin();
  }
  return changed;
}

Expected<Event> Session::on_kex_ecdh_init(wire::Reader& message) {
  return transport_.exchange().on_ecdh_init(message, next_question());
}

Expected<Event> Session::on_kex_ecdh_reply(wire::Reader& message) {
  answered();
  return transport_.exchange().on_ecdh_reply(message, next_question());
}

// The least round trip is wanted without load: the first key exchange has none.
void Session::answered() {
  if (now_ >= asked_) connection_.round_trip(now_ - asked_);
  asked_ = never;
}

void Session::answer_signature(QuestionId question, Bytes signature_blob) {
  asked_ = now_;
  if (!ended_) (void)check(transport_.exchange().answer_signature(question, signature_blob));
}

void Session::answer_host_key(QuestionId question, HostKeyVerdict verdict) {
  if (!ended_) (void)check(transport_.exchange().answer_host_key(question, verdict));
}

// --- login ----------------------------------------------------------------------------------------

Expected<Event> Session::on_userauth_request(wire::Reader& message) {
  if (stage_ == Stage::connection) return Event{};
  return server_auth_.on_request(message, session_id(), next_question(), transport_.outbox());
}

void Session::answer_login(QuestionId question, LoginVerdict verdict) {
  if (ended_) return;
  Expected<Event> event = server_auth_.answer(question, verdict, transport_.outbox());
  if (!event) return fail(event.error());
  queued_ = server_auth_.done() ? logged_in_now() : *event;
}

Expected<Event> Session::on_userauth_failure(wire::Reader& message) { return client_auth_.on_failure(message); }
Expected<Event> Session::on_userauth_banner(wire::Reader& message) { return client_auth_.on_banner(message); }
Expected<Event> Session::on_userauth_60(wire::Reader& message) { return client_auth_.on_method_specific_60(message); }

Expected<Event> Session::on_userauth_success(wire::Reader& message) {
  Expected<Event> event = client_auth_.on_success(message);
  if (!event) return event;
  return logged_in_now();
}

Event Session::logged_in_now() {
  if (stage_ == Stage::connection) return {};
  stage_ = Stage::connection;
  active_ = now_;
  transport_.logged_in();
  return event::LoggedIn{};
}

Status Session::try_none() { return client_auth_.try_none(transport_.outbox()); }
Status Session::try_password(std::string_view password) {
  return client_auth_.try_password(password, transport_.outbox());
}
Status Session::try_public_key_query(std::string_view algorithm, Bytes blob) {
  return client_auth_.try_public_key_query(algorithm, blob, transport_.outbox());
}
Status Session::try_public_key(std::string_view algorithm, Bytes blob) {
  Expected<Event> sign = client_auth_.try_public_key(algorithm, blob, session_id(), next_question());
  if (!sign) return std::unexpected(sign.error());
  queued_ = *sign;
  return {};
}
void Session::answer_login_signature(QuestionId question, Bytes signature_blob) {
  if (!ended_) (void)check(client_auth_.answer_signature(question, signature_blob, transport_.outbox()));
}

std::string_view Session::user() const { return server_auth_.user(); }

// --- channels -------------------------------------------------------------------------------------

void Session::answer_open(QuestionId question) { connection_.answer_open(question); }
void Session::refuse_open(QuestionId question, OpenFailure reason, std::string_view text) {
  connection_.refuse_open(question, reason, text);
}
void Session::answer_request(QuestionId question, bool success) {
  connection_.answer_request(question, success);
}

void Session::consumed(ChannelId channel, Stream stream, std::size_t bytes) {
  if (bytes != 0) active_ = now_;
  connection_.consumed(channel, stream, bytes);
}
Bytes Session::backlog(ChannelId channel, Stream stream) const { return connection_.backlog(channel, stream); }
void Session::discard(ChannelId channel, Stream stream) { connection_.discard(channel, stream); }

void Session::source_ready(ChannelId channel, Stream stream, bool ready) {
  connection_.source_ready(channel, stream, ready);
}

connection::SendSlot Session::next_send() {
  if (!settle() || stage_ != Stage::connection) return {};
  connection_.pump(transport_.outbox());  // replies go before data
  transport_.flush(now_);
  if (!transport_.may_send_data()) return {};
  return connection_.next_send(transport_.writer());
}

void Session::produced(std::size_t bytes) {
  if (bytes != 0) active_ = now_;
  connection_.produced(bytes, transport_.writer());
}

bool Session::sendable(ChannelId channel) const {
  return !ended_ && stage_ == Stage::connection && transport_.may_send_data() &&
         connection_.sendable(channel, transport_.writer());
}

Status Session::ready_for_requests() const {
  if (ended_) return fault("the session has ended");
  if (stage_ != Stage::connection) return fault("not logged in yet");
  return {};
}

Status Session::end_of_output(ChannelId channel) { return connection_.end_of_output(channel); }
Status Session::close(ChannelId channel) { return connection_.close(channel); }
Status Session::exit_status(ChannelId channel, std::uint32_t status) {
  return connection_.exit_status(channel, status, transport_.outbox());
}
Status Session::exit_signal(ChannelId channel, std::string_view name, bool core_dumped,
                            std::string_view message) {
  return connection_.exit_signal(channel, name, core_dumped, message, transport_.outbox());
}

Expected<ChannelId> Session::open_session() {
  if (Status status = ready_for_requests(); !status) return std::unexpected(status.error());
  return connection_.open_session(transport_.outbox());
}
Status Session::request_pty(ChannelId channel, std::string_view term, WindowSize size, Bytes modes) {
  return connection_.request_pty(channel, term, size, modes, true, transport_.outbox());
}
Status Session::request_env(ChannelId channel, std::string_view name, std::string_view value) {
  return connection_.request_env(channel, name, value, false, transport_.outbox());
}
Status Session::request_start(ChannelId channel, event::Start start, std::string_view command) {
  return connection_.request_start(channel, start, command, true, transport_.outbox());
}
Status Session::window_change(ChannelId channel, WindowSize size) {
  return connection_.window_change(channel, size, transport_.outbox());
}
Status Session::signal(ChannelId channel, std::string_view name) {
  return connection_.signal(channel, name, transport_.outbox());
}
Status Session::send_break(ChannelId channel, std::uint32_t milliseconds) {
  return connection_.send_break(channel, milliseconds, transport_.outbox());
}

// --- both -----------------------------------------------------------------------------------------

void Session::rekey() { transport_.rekey(); }

void Session::disconnect(Disconnect reason, std::string_view text) {
  if (ended_) return;
  if (!transmit_region_.empty()) transport_.disconnect(reason, text);
  end(false, reason, text);
  end_reported_ = true;
}

}  // namespace sshape

#include "tests/sim/applications.hpp"

namespace sshape::test {

namespace {

constexpr std::string_view user = "ada";
constexpr std::string_view right_password = "correct horse";

template <class Answer>
void sign(const Key& key, Bytes data, Answer answer) {
  std::array<std::byte, 128> space;
  wire::Writer signature(space);
  if (!key.key.sign("ssh-ed25519", data, signature)) std::abort();
  answer(signature.written());
}

std::vector<std::byte> copy(Bytes bytes) { return {bytes.begin(), bytes.end()}; }

}  // namespace

ServerEnd::ServerEnd(Seeded& dice, const Plan& plan, const Key& host_key, const Key& user_key)
    : End(dice, plan), host_key_(host_key), user_key_(user_key), host_blobs_{host_key.blob},
      sink_(dice, 1), output_(dice, 2, plan.down), error_(dice, 3, plan.error) {
  SessionConfig config;
  config.role = Role::server;
  config.transport.software = "sim_server";
  config.transport.host_keys = host_blobs_;
  config.transport.rekey_bytes = plan.server_rekey;
  config.window = plan.window;
  session_ = std::make_unique<Session>(config, dice, pages_, 0);
}

void ServerEnd::handle(const Event& event) {
  std::visit(
      Overloaded{
          [&](const event::SignExchangeHash& e) {
            answer([this, id = e.question, hash = copy(e.exchange_hash)] {
              sign(host_key_, hash, [&](Bytes s) { session_->answer_signature(id, s); });
            });
          },
          [&](const event::KeysChanged&) { ++rekeys_; },
          [&](const event::LoginRequest& e) {
            bool right = e.user == user;
            if (e.method == event::Method::password) right = right && e.password == right_password;
            else if (e.method == event::Method::none) right = false;
            else right = right && same_bytes(e.key_blob, user_key_.blob);
            answer([this, id = e.question, right] {
              session_->answer_login(id, right ? LoginVerdict::accept : LoginVerdict::refuse);
            });
          },
          [&](const event::OpenSession& e) {
            channel_ = e.channel;
            channel_open_ = true;
            answer([this, id = e.question] { session_->answer_open(id); });
          },
          [&](const event::PtyRequest& e) { answer([this, id = e.question] { session_->answer_request(id, true); }); },
          [&](const event::EnvRequest& e) { answer([this, id = e.question] { session_->answer_request(id, false); }); },
          [&](const event::StartRequest& e) {
            answer([this, id = e.question] {
              session_->answer_request(id, true);
              started_ = true;
            });
          },
          [&](const event::ChannelData& e) { offer(e, sink_); },
          [&](const event::ChannelEof&) { eof_ = true; },
          [&](const event::PeerClosed& e) { (void)session_->close(e.channel); },
          [&](const event::ChannelClosed&) { channel_open_ = false; },
          [&](const event::Ended& e) { note_end(e); },
          [](const auto&) {},
      },
      event);
}

bool ServerEnd::feed() {
  if (!started_ || !channel_open_ || finished_) return false;
  session_->source_ready(channel_, Stream::data, !output_.dry());
  session_->source_ready(channel_, Stream::error, !error_.dry());
  bool any = false;
  while (true) {
    const connection::SendSlot slot = session_->next_send();
    if (slot.space.empty()) break;
    Source& source = slot.stream == Stream::error ? error_ : output_;
    const std::size_t n = source.give(slot.space);
    session_->produced(n);
    any |= n != 0;
    if (source.dry()) session_->source_ready(channel_, slot.stream, false);
  }
  if (output_.dry() && error_.dry() && eof_) {
    (void)session_->exit_status(channel_, plan_.exit_status);
    (void)session_->end_of_output(channel_);
    (void)session_->close(channel_);
    finished_ = any = true;
  }
  return any;
}

ClientEnd::ClientEnd(Seeded& dice, const Plan& plan, const Key& host_key, const Key& user_key)
    : End(dice, plan), host_key_(host_key), user_key_(user_key), output_(dice, 2), error_(dice, 3),
      input_(dice, 1, plan.up) {
  SessionConfig config;
  config.role = Role::client;
  config.transport.software = "sim_client";
  config.transport.rekey_bytes = plan.client_rekey;
  config.transport.ciphers = plan.cipher;
  config.transport.kex = plan.kex;
  config.client_auth.user = user;
  config.window = plan.window;
  session_ = std::make_unique<Session>(config, dice, pages_, 0);
}

void ClientEnd::handle(const Event& event) {
  std::visit(
      Overloaded{
          [&](const event::VerifyHostKey& e) {
            const bool known = same_bytes(e.blob, host_key_.blob);
            answer([this, id = e.question, known] {
              session_->answer_host_key(id, known ? HostKeyVerdict::accept : HostKeyVerdict::refuse);
            });
          },
          [&](const event::KeysChanged&) { ++rekeys_; },
          [&](const event::ChooseLogin&) {
            if (!plan_.password) {
              (void)session_->try_public_key("ssh-ed25519", user_key_.blob);
            } else {
              const bool wrong = plan_.wrong_first && tries_++ == 0;
              (void)session_->try_password(wrong ? "battery staple" : right_password);
            }
          },
          [&](const event::SignLogin& e) {
            answer([this, id = e.question, data = copy(e.data)] {
              sign(user_key_, data, [&](Bytes s) { session_->answer_login_signature(id, s); });
            });
          },
          [&](const event::LoggedIn&) {
            if (const auto channel = session_->open_session()) channel_ = *channel;
          },
          [&](const event::ChannelOpened& e) {
            channel_open_ = true;
            (void)session_->request_env(e.channel, "LANG", "C.UTF-8");
            (void)session_->request_pty(e.channel, "xterm", {80, 24, 0, 0}, {});
            (void)session_->request_start(e.channel, event::Start::exec, "pattern");
            started_ = true;
          },
          [&](const event::ChannelData& e) { offer(e, e.stream == Stream::error ? error_ : output_); },
          [&](const event::ExitStatus& e) { status_ = e.status; },
          [&](const event::PeerClosed& e) { (void)session_->close(e.channel); },
          [&](const event::ChannelClosed&) {
            channel_open_ = false;
            closed_ = true;
            session_->disconnect(Disconnect::by_application, "done");
          },
          [&](const event::Ended& e) { note_end(e); },
          [](const auto&) {},
      },
      event);
}

bool ClientEnd::feed() {
  if (!started_ || !channel_open_) return false;
  bool any = false;
  session_->source_ready(channel_, Stream::data, !input_.dry());
  while (!input_.dry()) {
    const connection::SendSlot slot = session_->next_send();
    if (slot.space.empty()) break;
    const std::size_t n = input_.give(slot.space);
    session_->produced(n);
    any |= n != 0;
  }
  if (input_.dry() && !input_ended_) {
    session_->source_ready(channel_, Stream::data, false);
    (void)session_->end_of_output(channel_);
    input_ended_ = any = true;
  }
  return any;
}

}  // namespace sshape::test

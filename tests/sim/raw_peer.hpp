// A peer that keeps the transport's rules up to a point of the test's choice, and then sends what the
// test wants. It faces one Session, without a link: bytes pass at once.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/messages.hpp"
#include "core/session.hpp"
#include "tests/sim/applications.hpp"
#include "tests/support/seeded.hpp"

namespace sshape::test {

class RawPeer {
 public:
  enum class Point { identified, exchanging, keyed, serving, logged_in, rekeying };

  // `role` is the session's.
  explicit RawPeer(Role role, std::uint64_t seed = 1)
      : random_(seed), key_(random_), receive_(receive_region(active::profile)),
        transmit_(transmit_region(active::profile)) {
    blobs_[0] = key_.blob;
    SessionConfig config;
    config.role = role;
    config.transport.host_keys = blobs_;
    config.client_auth.user = "ada";
    session_ = std::make_unique<Session>(config, random_, pages_, now_);
    transport::TransportConfig ours;
    ours.host_keys = blobs_;
    raw_ = std::make_unique<transport::Transport>(role == Role::server ? Role::client : Role::server, ours, random_);
    role_ = role;
  }

  void reach(Point point) {
    if (point == Point::identified) {
      follow_exchange_ = false;
      feed(bytes_of("SSH-2.0-raw\r\n"));
      raw_->writer().lend(transmit_);
      raw_->reader().lend(receive_);
      return;
    }
    raw_->begin(receive_, transmit_, now_);
    if (point == Point::exchanging) {
      deliver();  // identification and KEXINIT
      return;
    }
    turn();
    if (!raw_->exchange().completed_once()) std::abort();
    if (point == Point::keyed) return;
    const bool to_server = role_ == Role::server;
    send([&](wire::Writer& out) {
      out.byte(to_server ? 5 : 6).string(std::string_view("ssh-userauth"));
    });
    if (point == Point::serving) return;
    if (to_server) {
      send([](wire::Writer& out) {
        out.byte(50).string(std::string_view("ada")).string(std::string_view("ssh-connection"));
        out.string(std::string_view("password")).boolean(false).string(std::string_view("secret"));
      });
    } else {
      send([](wire::Writer& out) { out.byte(52); });
    }
    if (!session_->logged_in()) std::abort();
    raw_->logged_in();
    if (point == Point::logged_in) return;
    raw_->exchange().start();
    deliver();
  }

  // One message, sealed as things stand, and what follows from it. False: the session has ended.
  template <class Compose>
  bool send(Compose compose) {
    wire::Writer out(raw_->writer().open(4'000, transport::Lane::control));
    compose(out);
    raw_->writer().seal(out.size());
    turn();
    return !session_->ended();
  }
  bool send(Bytes message) {
    return send([&](wire::Writer& out) { out.raw(message); });
  }

  bool feed(Bytes bytes) {
    while (!bytes.empty() && !session_->ended()) {
      const MutableBytes space = session_->receive_space();
      const std::size_t n = std::min(space.size(), bytes.size());
      if (n == 0) break;
      copy_bytes(space, bytes.first(n));
      session_->received(n, now_);
      bytes = bytes.subspan(n);
      take_events();
    }
    return !session_->ended();
  }

  // Bytes to and fro until nothing moves.
  void turn() {
    for (int i = 0; i < 20; ++i) {
      deliver();
      collect();
      raw_->flush(now_);
    }
  }

  void deliver() {
    const Bytes ready = raw_->writer().ready();
    feed(ready);
    raw_->writer().sent(ready.size());
  }

  // What the session sends, opened. The transport's own messages are followed.
  void collect() {
    const Bytes ready = session_->transmit_ready(now_);
    if (ready.empty()) return;
    const MutableBytes space = raw_->reader().space();
    if (space.size() < ready.size()) std::abort();
    copy_bytes(space, ready);
    raw_->reader().received(ready.size());
    session_->transmitted(ready.size(), now_);
    while (true) {
      const auto message = raw_->next_message();
      if (!message || !*message) return;
      follow(**message);
    }
  }

  void take_events() {
    while (true) {
      const Event event = session_->next(now_);
      if (nothing(event)) return;
      if (const auto* sign = std::get_if<event::SignExchangeHash>(&event)) {
        std::array<std::byte, 128> space;
        wire::Writer signature(space);
        (void)key_.key.sign("ssh-ed25519", sign->exchange_hash, signature);
        session_->answer_signature(sign->question, signature.written());
      } else if (const auto* verify = std::get_if<event::VerifyHostKey>(&event)) {
        session_->answer_host_key(verify->question, HostKeyVerdict::accept);
      } else if (const auto* login = std::get_if<event::LoginRequest>(&event)) {
        session_->answer_login(login->question, LoginVerdict::accept);
      } else if (std::get_if<event::ChooseLogin>(&event) != nullptr) {
        (void)session_->try_password("secret");
      } else if (const auto* open = std::get_if<event::OpenSession>(&event)) {
        session_->answer_open(open->question);
      } else if (const auto* data = std::get_if<event::ChannelData>(&event)) {
        session_->consumed(data->channel, data->stream, drain_ ? data->data.size() : 0);
      } else if (const auto* start = std::get_if<event::StartRequest>(&event)) {
        session_->answer_request(start->question, true);
      } else if (const auto* end = std::get_if<event::Ended>(&event)) {
        end_text_ = end->text;
      }
    }
  }

  Session& session() { return *session_; }
  transport::Transport& raw() { return *raw_; }
  const std::vector<std::uint8_t>& seen() const { return seen_; }
  std::size_t count(std::uint8_t number) const {
    return static_cast<std::size_t>(std::count(seen_.begin(), seen_.end(), number));
  }
  const std::string& disconnect_text() const { return disconnect_text_; }
  const std::string& end_text() const { return end_text_; }
  MappedPages& pages() { return pages_; }
  void never_drain() { drain_ = false; }
  Instant& now() { return now_; }

 private:
  void follow(Bytes message) {
    wire::Reader in(message);
    const std::uint8_t number = in.byte();
    seen_.push_back(number);
    if (number == 1) {
      in.uint32();
      disconnect_text_ = in.text();
    } else if (!follow_exchange_) {
      return;
    } else if (number == 20) {
      (void)raw_->on_kexinit(in, message);
    } else if (number == 21) {
      (void)raw_->on_newkeys(in, now_);
    } else if (number == 30) {
      const auto sign = raw_->exchange().on_ecdh_init(in, static_cast<QuestionId>(1));
      if (!sign) return;
      std::array<std::byte, 128> space;
      wire::Writer signature(space);
      (void)key_.key.sign("ssh-ed25519", std::get<event::SignExchangeHash>(*sign).exchange_hash, signature);
      (void)raw_->exchange().answer_signature(static_cast<QuestionId>(1), signature.written());
    } else if (number == 31) {
      const auto verify = raw_->exchange().on_ecdh_reply(in, static_cast<QuestionId>(1));
      if (verify && !nothing(*verify)) (void)raw_->exchange().answer_host_key(static_cast<QuestionId>(1), HostKeyVerdict::accept);
    }
  }

  Role role_;
  Seeded random_;
  Key key_;
  Bytes blobs_[1];
  MappedPages pages_;
  std::vector<std::byte> receive_;
  std::vector<std::byte> transmit_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<transport::Transport> raw_;
  std::vector<std::uint8_t> seen_;
  std::string disconnect_text_;
  std::string end_text_;
  bool drain_ = true;
  bool follow_exchange_ = true;
  Instant now_ = 1'000'000;
};

}  // namespace sshape::test

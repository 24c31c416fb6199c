// DESIGN, 3: core and wolfCrypt take nothing from the heap. Two whole sessions talk, from the first
// byte to the last: login, requests, data both ways past a slow sink, new keys in the middle, the end.
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>

#include "core/session.hpp"
#include "tests/support/seeded.hpp"
#include "tests/unit/heap/watched_heap.hpp"

namespace sshape::test {
namespace {

constexpr std::uint64_t volume = 400'000;  // bytes each way: several windows of tiny
constexpr std::string_view user = "ada";
constexpr std::string_view password = "correct horse";

struct Means {
  std::string_view cipher;
  std::string_view kex;
  bool by_password;
};

void PrintTo(const Means& m, std::ostream* out) {
  *out << m.cipher << ", " << m.kex << (m.by_password ? ", password" : ", public key");
}

template <class Answer>
void sign(const Key& key, Bytes data, Answer answer) {
  std::array<std::byte, 128> space;
  wire::Writer signature(space);
  if (!key.key.sign("ssh-ed25519", data, signature)) std::abort();
  answer(signature.written());
}

// One end and its application, all of it in this object.
class End {
 public:
  End(Role role, const Means& means, Seeded& random, const Key& host, const Key& login)
      : means_(means), host_(host), login_(login), blobs_{host.blob} {
    SessionConfig config;
    config.role = role;
    config.transport.host_keys = blobs_;
    config.transport.ciphers = role == Role::client ? means.cipher : "";
    config.transport.kex = role == Role::client ? means.kex : "";
    config.transport.rekey_bytes = 150'000;
    config.client_auth.user = user;
    session_.emplace(config, random, pages_, 0);
  }

  bool run(Instant now) {
    bool moved = false;
    while (true) {
      const Event event = session_->next(now);
      if (nothing(event)) break;
      moved = true;
      std::visit([this](const auto& e) { on(e); }, event);
    }
    return drain() | feed() | moved;
  }

  Session& session() { return *session_; }
  std::uint64_t received() const { return received_; }
  int rekeys() const { return rekeys_; }
  bool closed() const { return closed_; }
  std::size_t pages() const { return pages_.most(); }

 private:
  bool client() const { return session_->role() == Role::client; }

  void on(const event::SignExchangeHash& e) {
    sign(host_, e.exchange_hash, [&](Bytes s) { session_->answer_signature(e.question, s); });
  }
  void on(const event::VerifyHostKey& e) { session_->answer_host_key(e.question, HostKeyVerdict::accept); }
  void on(const event::KeysChanged& e) { rekeys_ += !e.first; }
  void on(const event::ChooseLogin&) {
    if (means_.by_password) (void)session_->try_password(wrong_++ == 0 ? "battery staple" : password);
    else (void)session_->try_public_key_query("ssh-ed25519", login_.blob);
  }
  void on(const event::PublicKeyWelcome&) { (void)session_->try_public_key("ssh-ed25519", login_.blob); }
  void on(const event::SignLogin& e) {
    sign(login_, e.data, [&](Bytes s) { session_->answer_login_signature(e.question, s); });
  }
  void on(const event::LoginRequest& e) {
    const bool right = e.method == event::Method::password ? e.password == password : same_bytes(e.key_blob, login_.blob);
    session_->answer_login(e.question, right ? LoginVerdict::accept : LoginVerdict::refuse);
  }
  void on(const event::LoggedIn&) {
    if (client()) channel_ = session_->open_session().value();
  }
  void on(const event::OpenSession& e) {
    channel_ = e.channel;
    session_->answer_open(e.question);
  }
  void on(const event::ChannelOpened&) {
    (void)session_->request_env(channel_, "LANG", "C.UTF-8");
    (void)session_->request_pty(channel_, "xterm", {80, 24, 0, 0}, {});
    (void)session_->request_start(channel_, event::Start::exec, "pattern");
    started_ = true;
  }
  void on(const event::EnvRequest& e) { session_->answer_request(e.question, false); }
  void on(const event::PtyRequest& e) { session_->answer_request(e.question, true); }
  void on(const event::StartRequest& e) {
    session_->answer_request(e.question, true);
    started_ = true;
  }
  // The sink takes half of what comes at once, so that the backlog is used.
  void on(const event::ChannelData& e) {
    const std::size_t taken = e.data.size() / 2;
    received_ += taken;
    session_->consumed(channel_, e.stream, taken);
  }
  void on(const event::ChannelEof&) { eof_ = true; }
  void on(const event::PeerClosed&) { (void)session_->close(channel_); }
  void on(const event::ChannelClosed&) { closed_ = true; }
  template <class Other>
  void on(const Other&) {}

  bool drain() {
    bool moved = false;
    for (const Stream stream : {Stream::data, Stream::error}) {
      while (started_ && !closed_) {
        const Bytes waiting = session_->backlog(channel_, stream);
        if (waiting.empty()) break;
        received_ += waiting.size();
        session_->consumed(channel_, stream, waiting.size());
        moved = true;
      }
    }
    return moved;
  }

  bool feed() {
    if (!started_ || closed_ || finished_) return false;
    bool moved = false;
    while (sent_ < volume) {
      session_->source_ready(channel_, Stream::data, true);
      if (!client()) session_->source_ready(channel_, Stream::error, true);
      const connection::SendSlot slot = session_->next_send();
      const std::size_t n = std::min<std::uint64_t>(slot.space.size(), volume - sent_);
      if (n == 0) break;
      session_->produced(n);
      sent_ += n;
      moved = true;
    }
    if (sent_ == volume && (client() || eof_)) {
      for (const Stream stream : {Stream::data, Stream::error}) session_->source_ready(channel_, stream, false);
      if (!client()) (void)session_->exit_status(channel_, 7);
      (void)session_->end_of_output(channel_);
      if (!client()) (void)session_->close(channel_);
      finished_ = moved = true;
    }
    return moved;
  }

  Means means_;
  const Key& host_;
  const Key& login_;
  Bytes blobs_[1];
  MappedPages pages_;
  std::optional<Session> session_;
  ChannelId channel_{};
  bool started_ = false, eof_ = false, closed_ = false, finished_ = false;
  int wrong_ = 0, rekeys_ = 0;
  std::uint64_t sent_ = 0, received_ = 0;
};

bool carry(Session& from, Session& to, Instant now) {
  const Bytes ready = from.transmit_ready(now);
  const MutableBytes space = to.receive_space();
  const std::size_t n = std::min({ready.size(), space.size(), std::size_t{1'000}});
  if (n == 0) return false;
  copy_bytes(space, ready.first(n));
  from.transmitted(n, now);
  to.received(n, now);
  return true;
}

class Heap : public testing::TestWithParam<Means> {};

TEST_P(Heap, NothingOfAWholeSessionIsTakenFromIt) {
  static std::optional<End> client, server;  // no stack is large enough for tiny's arenas and ASan's red zones
  client.reset();
  server.reset();
  std::size_t allocations = 0;
  {
    const WatchedHeap heap;
    Seeded random(20'261'201);
    const Key host(random), login(random);
    client.emplace(Role::client, GetParam(), random, host, login);
    server.emplace(Role::server, GetParam(), random, host, login);
    Instant now = 0;
    for (bool moved = true; moved; now += 100) {
      moved = client->run(now);
      moved |= server->run(now);
      moved |= carry(client->session(), server->session(), now);
      moved |= carry(server->session(), client->session(), now);
    }
    client->session().disconnect(Disconnect::by_application, "done");
    server->session().receive_closed(now);
    while (!nothing(server->session().next(now))) {
    }
    allocations = heap.allocations();
  }
  EXPECT_EQ(client->received(), volume);
  EXPECT_EQ(server->received(), volume);
  EXPECT_TRUE(client->closed());
  EXPECT_GE(client->rekeys(), 2);
  EXPECT_TRUE(server->session().ended());
  EXPECT_EQ(allocations, 0u);
  if (active::profile.name == "tiny") {
    EXPECT_EQ(client->pages() + server->pages(), 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(EveryCipherAndKex, Heap,
                         testing::Values(Means{"chacha20-poly1305@openssh.com", "mlkem768x25519-sha256", false},
                                         Means{"aes128-gcm@openssh.com", "curve25519-sha256", true},
                                         Means{"aes256-gcm@openssh.com", "curve25519-sha256@libssh.org", false},
                                         Means{"aes128-ctr", "curve25519-sha256", true},
                                         Means{"aes256-ctr", "mlkem768x25519-sha256", true}),
                         [](const auto& one) { return "means" + std::to_string(one.index); });

// The watch itself: what it must see, it sees.
TEST(WatchedHeapItself, SeesEachWayToTheHeap) {
  const WatchedHeap heap;
  void* volatile kept = std::malloc(1);
  std::free(kept);
  kept = std::calloc(1, 1);
  kept = std::realloc(kept, 2);
  std::free(kept);
  int* volatile number = new int(1);
  delete number;
  EXPECT_EQ(heap.allocations(), 4u);
}

}  // namespace
}  // namespace sshape::test

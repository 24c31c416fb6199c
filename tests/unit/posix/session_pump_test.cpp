// The pump between sessions and descriptors: a server's and a client's in one process, over a
// socketpair, pipes at both ends.
#include "port/posix/session_pump.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>

#include <memory>
#include <string>
#include <vector>

#include "core/crypto/private_key.hpp"
#include "port/posix/clock.hpp"
#include "port/posix/overloaded.hpp"
#include "port/posix/pages.hpp"
#include "port/posix/process.hpp"
#include "port/posix/random.hpp"

namespace sshape::posix {
namespace {

struct Pipe {
  Descriptor read, write;
  Pipe() {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    read.reset(ends[0]);
    write.reset(ends[1]);
  }
};

char pattern(std::size_t at) { return static_cast<char>((at * 0x9E3779B97F4A7C15ull) >> 56); }

// What a program at the other end of a pipe would do.
struct Writer {
  Descriptor fd;
  std::size_t size, at = 0;
  bool broken = false;
  bool turn() {
    if (!fd) return false;
    std::string piece;
    for (std::size_t i = at; i < std::min(size, at + 10'000); ++i) piece += pattern(i);
    const ssize_t n = ::write(fd.get(), piece.data(), piece.size());
    if (n < 0 && errno == EPIPE) broken = true;
    if (n > 0) at += static_cast<std::size_t>(n);
    if (at == size || broken) fd.reset();
    return n > 0;
  }
};
struct Reader {
  Descriptor fd;
  std::size_t at = 0;
  bool intact = true, ended = false, paused = false;
  bool turn() {
    if (!fd || paused) return false;
    char piece[7'000];
    const ssize_t n = ::read(fd.get(), piece, sizeof piece);
    for (ssize_t i = 0; i < n; ++i, ++at) intact &= piece[i] == pattern(at);
    if (n == 0) ended = true, fd.reset();
    return n > 0;
  }
};

class End : public PumpOwner {
 public:
  virtual ~End() = default;
  std::unique_ptr<Session> session;
  std::unique_ptr<SessionPump> pump;
  PollSet set;
  ChannelId channel{};
  bool started = false, closed = false, ended = false;
  std::uint32_t status = 99;

  void begin(SessionConfig config, int fd) {
    session = std::make_unique<Session>(config, random, pages, monotonic_now());
    pump = std::make_unique<SessionPump>(*session, *this, Descriptor(fd));
  }
  // True: something was ready, or will be at once.
  bool turn() {
    if (pump->finished()) return false;
    set.clear();
    pump->watch(set);
    const bool at_once = pump->wake_at() <= monotonic_now();
    set.wait(0);
    bool any = at_once;
    for (std::size_t i = 0; i < PollSet::capacity; ++i) any |= set.ready(i);
    pump->move(set, monotonic_now());
    return any;
  }

 protected:
  KernelRandom random;
  MappedPages pages;
};

class Server final : public End {
 public:
  Pipe input, output;  // of its program
  bool end_after_close = false;

  explicit Server(int fd) {
    EXPECT_TRUE(crypto::PrivateKey::generate(crypto::KeyType::ed25519, random, key_));
    wire::Writer blob(blob_space_);
    key_.public_blob(blob);
    blobs_[0] = blob.written();
    SessionConfig config;
    config.role = Role::server;
    config.transport.host_keys = blobs_;
    begin(config, fd);
  }
  void finish() {  // the program is over
    (void)session->exit_status(channel, 7);
    (void)session->close(channel);
  }

 private:
  void on_event(const Event& event) override {
    std::visit(Overloaded{
                   [&](const event::SignExchangeHash& e) {
                     std::array<std::byte, 256> space;
                     wire::Writer signature(space);
                     EXPECT_TRUE(key_.sign(e.algorithm, e.exchange_hash, signature));
                     session->answer_signature(e.question, signature.written());
                   },
                   [&](const event::LoginRequest& e) { session->answer_login(e.question, LoginVerdict::accept); },
                   [&](const event::OpenSession& e) {
                     channel = e.channel;
                     session->answer_open(e.question);
                   },
                   [&](const event::StartRequest& e) {
                     pump->attach_sink(channel, Stream::data, std::move(input.write));
                     pump->attach_source(channel, Stream::data, std::move(output.read));
                     session->answer_request(e.question, true);
                     started = true;
                   },
                   [&](const event::PeerClosed&) { (void)session->close(channel); },
                   [&](const event::ChannelClosed&) {
                     closed = true;
                     if (end_after_close) session->disconnect(Disconnect::by_application, "that was all");
                   },
                   [&](const event::Ended&) { ended = true; },
                   [](const auto&) {},
               },
               event);
  }
  void on_sources_ended(ChannelId) override { finish(); }

  crypto::PrivateKey key_;
  std::array<std::byte, 256> blob_space_;
  Bytes blobs_[1];
};

class Client final : public End {
 public:
  Pipe input, output;  // of ours: what we send, what we got

  explicit Client(int fd) {
    SessionConfig config;
    config.role = Role::client;
    config.client_auth.user = "ada";
    begin(config, fd);
  }

 private:
  void on_event(const Event& event) override {
    std::visit(Overloaded{
                   [&](const event::VerifyHostKey& e) { session->answer_host_key(e.question, HostKeyVerdict::accept); },
                   [&](const event::ChooseLogin&) { (void)session->try_none(); },
                   [&](const event::LoggedIn&) { channel = *session->open_session(); },
                   [&](const event::ChannelOpened&) { (void)session->request_start(channel, event::Start::exec, "x"); },
                   [&](const event::RequestReply& e) {
                     EXPECT_TRUE(e.success);
                     pump->attach_source(channel, Stream::data, std::move(input.read));
                     pump->attach_sink(channel, Stream::data, std::move(output.write));
                     started = true;
                   },
                   [&](const event::ExitStatus& e) { status = e.status; },
                   [&](const event::PeerClosed&) { (void)session->close(channel); },
                   [&](const event::ChannelClosed&) { closed = true; },
                   [&](const event::Ended&) { ended = true; },
                   [](const auto&) {},
               },
               event);
  }
};

class Pump : public testing::Test {
 protected:
  std::unique_ptr<Server> server;
  std::unique_ptr<Client> client;
  Writer up, down;
  Reader up_end, down_end;

  void SetUp() override {
    ::signal(SIGPIPE, SIG_IGN);
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), 0);
    server = std::make_unique<Server>(ends[0]);
    client = std::make_unique<Client>(ends[1]);
  }
  void connect(std::size_t up_bytes, std::size_t down_bytes) {
    up = {std::move(client->input.write), up_bytes};
    down = {std::move(server->output.write), down_bytes};
    up_end.fd = std::move(server->input.read);
    down_end.fd = std::move(client->output.read);
  }
  bool turn() {
    bool any = up.turn();
    any |= down.turn();
    any |= up_end.turn();
    any |= down_end.turn();
    any |= server->turn();
    any |= client->turn();
    return any;
  }
  // Until the condition holds. False: nothing moves any more, or too long.
  template <class Condition>
  bool run_until(Condition condition) {
    const Instant limit = monotonic_now() + 60 * second;
    for (int idle = 0; !condition();) {
      if (monotonic_now() > limit) return false;
      idle = turn() ? 0 : idle + 1;
      if (idle > 100) return false;
    }
    return true;
  }
};

constexpr std::size_t mib = 1 << 20;

TEST_F(Pump, MovesBothWaysAtOnceAndTheStatusComesAfterTheData) {
  connect(5 * mib + 1, 7 * mib + 3);
  ASSERT_TRUE(run_until([&] { return client->closed && up_end.ended && down_end.ended; }));
  EXPECT_TRUE(up_end.intact && down_end.intact);
  EXPECT_EQ(up_end.at, 5 * mib + 1);
  EXPECT_EQ(down_end.at, 7 * mib + 3);
  EXPECT_EQ(client->status, 7u);
}

TEST_F(Pump, StoppedReadersLeaveEverybodyAsleepReport7) {
  connect(200 * mib, 200 * mib);
  up_end.paused = down_end.paused = true;
  EXPECT_FALSE(run_until([&] { return false; }));  // every buffer on the way is full
  EXPECT_GT(up.at, active::profile.window / 2);
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(turn());
  EXPECT_GT(server->pump->wake_at(), monotonic_now() + second);
  EXPECT_GT(client->pump->wake_at(), monotonic_now() + second);
  const std::size_t before = up_end.at;
  up_end.paused = false;
  ASSERT_TRUE(run_until([&] { return up_end.at > before + 3 * mib; }));  // one direction does not need the other
  down_end.paused = false;
  ASSERT_TRUE(run_until([&] { return down_end.at > 3 * mib; }));
  EXPECT_TRUE(up_end.intact && down_end.intact);
}

TEST_F(Pump, ClosedSinkTakesTheRestAwayAndNobodyWaits) {
  connect(20 * mib, 1);
  ASSERT_TRUE(run_until([&] { return up_end.at > 1000; }));
  up_end.fd.reset();  // `head -1`
  ASSERT_TRUE(run_until([&] { return client->closed; }));
  EXPECT_EQ(client->status, 7u);
}

TEST_F(Pump, SlowSinkGetsEverythingAlthoughTheServerIsGone) {
  server->end_after_close = true;
  const std::size_t size = std::min<std::size_t>(active::profile.window, 2 * mib) + 60'000;
  connect(0, size);
  down_end.paused = true;
  (void)run_until([&] { return false; });
  down_end.paused = false;
  ASSERT_TRUE(run_until([&] { return client->ended; }));
  ASSERT_TRUE(run_until([&] { return down_end.ended || client->pump->finished(); }));
  while (down_end.turn()) {}
  EXPECT_EQ(down_end.at, size);
  EXPECT_TRUE(down_end.intact);
}

TEST_F(Pump, EndOfTheTransportEndsBothSides) {
  connect(20 * mib, 20 * mib);
  ASSERT_TRUE(run_until([&] { return up_end.at > mib / 10; }));
  client->pump.reset();  // its socket closes
  server->turn();
  for (int i = 0; i < 1000 && !server->ended; ++i) server->turn();
  EXPECT_TRUE(server->ended);
}

}  // namespace
}  // namespace sshape::posix

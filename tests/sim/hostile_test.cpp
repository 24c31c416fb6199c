// Peers that keep no rules. Whatever they send: one clear end, or one refusal, and nothing past a bound.
#include <gtest/gtest.h>

#include "tests/sim/raw_peer.hpp"

namespace sshape::test {
namespace {

using Point = RawPeer::Point;

phase::Set phase_at(Point point) {
  switch (point) {
    case Point::identified: return phase::first_exchange;
    case Point::exchanging: return phase::strict_exchange;
    case Point::keyed: return phase::service;
    case Point::serving: return phase::login;
    case Point::logged_in: return phase::connection;
    case Point::rekeying: return phase::exchange;
  }
  return 0;
}

constexpr Point points[] = {Point::identified, Point::exchanging, Point::keyed, Point::serving, Point::logged_in, Point::rekeying};

// RFC 4253, 11.4; field report 26: one table, default deny.
TEST(EveryMessageInEveryPhase, IsHandledRefusedOrUnimplementedAsTheTableSays) {
  for (const Role role : {Role::server, Role::client}) {
    const sender::Set sender = role == Role::server ? sender::client : sender::server;
    for (const Point point : points) {
      for (int number = 0; number < 256; ++number) {
        for (const std::size_t size : {0u, 4u, 40u}) {
          SCOPED_TRACE(testing::Message() << "role " << int(role) << " point " << int(point) << " message " << number << " size " << size);
          RawPeer peer(role);
          peer.reach(point);
          ASSERT_FALSE(peer.session().ended()) << peer.end_text();
          const bool alive = peer.send([&](wire::Writer& out) {
            out.byte(static_cast<std::uint8_t>(number));
            for (std::size_t i = 0; i < size; ++i) out.byte(0);
          });
          const auto* rule = MessageTable::find(static_cast<std::uint8_t>(number));
          if (rule == nullptr) {
            if (point == Point::exchanging) {
              ASSERT_FALSE(alive);
            } else {
              ASSERT_TRUE(alive) << peer.end_text();
              // In an exchange the answer waits for its end.
              if (point != Point::identified && point != Point::rekeying) {
                ASSERT_EQ(peer.count(3), 1u);
              }
            }
          } else if ((rule->senders & sender) == 0 || (rule->phases & phase_at(point)) == 0) {
            ASSERT_FALSE(alive) << "a misplaced message must end the session";
            if (number != 1) {
              ASSERT_FALSE(peer.end_text().empty());
            }
          }
          if (!alive && number != 1 && point != Point::identified && point != Point::exchanging) {
            ASSERT_EQ(peer.disconnect_text(), peer.end_text()) << "the peer is told what was wrong";
          }
        }
      }
    }
  }
}

TEST(Rfc4253_11_4, UnimplementedIsSaidAtABoundedRate) {
  RawPeer peer(Role::server);
  peer.reach(Point::logged_in);
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(peer.send([](wire::Writer& out) { out.byte(250); }));
  EXPECT_EQ(peer.count(3), 16u);
  peer.now() += 2 * second;
  peer.send([](wire::Writer& out) { out.byte(250); });
  EXPECT_EQ(peer.count(3), 17u);
}

TEST(FieldReport13, IgnoreAndDebugBeforeNewkeysAreFineWithoutStrictKexAndFatalWithIt) {
  for (const std::uint8_t number : {std::uint8_t{2}, std::uint8_t{4}}) {
    const auto message = [&](wire::Writer& out) { out.byte(number).boolean(false).string(std::string_view("x")).string(Bytes{}); };
    RawPeer relaxed(Role::server), strict(Role::server);
    relaxed.reach(Point::identified);
    EXPECT_TRUE(relaxed.send(message));
    strict.reach(Point::exchanging);
    EXPECT_FALSE(strict.send(message));
  }
}

TEST(StrictKex, AKexinitThatIsNotTheFirstPacketEndsTheSession_Terrapin) {
  RawPeer peer(Role::server);
  peer.reach(Point::identified);
  ASSERT_TRUE(peer.send([](wire::Writer& out) { out.byte(2).string(std::string_view("x")); }));
  transport::OurOffer offer;
  offer.kex = active::profile.algorithms.kex;
  offer.ciphers = active::profile.algorithms.ciphers;
  offer.host_keys = active::profile.algorithms.host_keys;
  EXPECT_FALSE(peer.send([&](wire::Writer& out) { transport::write_kexinit(Role::client, offer, out); }));
  EXPECT_NE(peer.end_text().find("very first packet"), std::string::npos) << peer.end_text();
}

TEST(StrictKex, ADeletedPacketAfterTheKeysEndsTheSession_Terrapin) {
  RawPeer peer(Role::server);
  peer.reach(Point::keyed);
  // Sealed, and never delivered.
  wire::Writer out(peer.raw().writer().open(64, transport::Lane::control));
  out.byte(2).string(std::string_view("lost"));
  peer.raw().writer().seal(out.size());
  peer.raw().writer().sent(peer.raw().writer().ready().size());
  EXPECT_FALSE(peer.send([](wire::Writer& w) { w.byte(5).string(std::string_view("ssh-userauth")); }));
}

TEST(Garbage, InsteadOfAnIdentificationIsRefusedWithASentence) {
  for (const char* line : {"GET / HTTP/1.1\r\n", "\r\n", "SSH-1.5-old\r\n", "SSH-2.0-\x01\r\n"}) {
    RawPeer peer(Role::server);
    EXPECT_FALSE(peer.feed(bytes_of(line))) << line;
    EXPECT_FALSE(peer.end_text().empty());
  }
  RawPeer longest(Role::server), too_long(Role::server);
  EXPECT_TRUE(longest.feed(bytes_of("SSH-2.0-" + std::string(245, 'a') + "\r\n")));
  EXPECT_FALSE(too_long.feed(bytes_of("SSH-2.0-" + std::string(246, 'a') + "\r\n")));
}

TEST(FieldReport14, AClientTakesBoundedLinesBeforeTheIdentification) {
  const std::size_t limit = active::profile.identification_lines;
  for (const char* line_end : {"\n", "\r\n"}) {
    RawPeer fine(Role::client), too_many(Role::client);
    for (std::size_t i = 0; i < limit; ++i) ASSERT_TRUE(fine.feed(bytes_of((i % 3 != 0 ? "hello" : "") + std::string(line_end))));
    EXPECT_TRUE(fine.feed(bytes_of("SSH-2.0-x" + std::string(line_end))));
    for (std::size_t i = 0; i < limit; ++i) too_many.feed(bytes_of("hello" + std::string(line_end)));
    EXPECT_FALSE(too_many.feed(bytes_of("hello" + std::string(line_end))));
  }
}

TEST(BeforeLogin, PacketsAndTimeAreBounded) {
  RawPeer flood(Role::server);
  flood.reach(Point::keyed);
  int sent = 0;
  while (sent < 5'000 && flood.send([](wire::Writer& out) { out.byte(2).string(std::string_view("x")); })) ++sent;
  EXPECT_LT(sent, active::profile.login_packets);
  EXPECT_EQ(flood.disconnect_text(), "too much was sent before login");

  RawPeer slow(Role::server);
  slow.reach(Point::keyed);
  slow.now() += active::profile.login_seconds * second - second;
  slow.turn();
  slow.take_events();
  EXPECT_FALSE(slow.session().ended());
  slow.now() += second;
  slow.take_events();
  EXPECT_TRUE(slow.session().ended());
  EXPECT_EQ(slow.end_text(), "Timeout before auth");
}

TEST(BeforeLogin, ThePeerMayNotRekey) {
  RawPeer peer(Role::server);
  peer.reach(Point::keyed);
  peer.raw().exchange().start();
  peer.deliver();
  EXPECT_TRUE(peer.session().ended());
}

TEST(Rfc4253_6_1, APacketAtTheLimitIsReadAndOnePastItEndsTheSession) {
  for (const std::uint32_t past : {0u, 8u}) {
    RawPeer peer(Role::server);
    peer.reach(Point::identified);
    const std::uint32_t length = packet_limit_before_login - 4 + past;
    std::byte header[4];
    wire::store_uint32(header, length);
    EXPECT_EQ(peer.feed(header), past == 0) << length;
  }
}

TEST(Closing, AtEveryByteOfALoginEndsTheSessionCleanly) {
  for (std::size_t at = 0; at < 3'000; at += 7) {
    RawPeer peer(Role::server);
    peer.raw();
    std::vector<std::byte> receive(receive_region(active::profile)), transmit(transmit_region(active::profile));
    peer.raw().begin(receive, transmit, 0);
    const Bytes all = peer.raw().writer().ready();
    if (at > all.size()) break;
    peer.feed(all.first(at));
    peer.session().receive_closed(peer.now());
    peer.take_events();
    EXPECT_TRUE(peer.session().ended());
    EXPECT_FALSE(peer.end_text().empty());
  }
}

void open_channel(RawPeer& peer, std::uint32_t number) {
  peer.send([&](wire::Writer& out) {
    out.byte(90).string(std::string_view("session")).uint32(number).uint32(1 << 20).uint32(32'768);
  });
}

TEST(FieldReport4, DataPastTheWindowEndsTheSessionAndBuffersNothing) {
  RawPeer peer(Role::server);
  peer.reach(Point::logged_in);
  peer.never_drain();
  open_channel(peer, 0);
  const std::uint32_t packet = std::min<std::uint32_t>(advertised_packet(active::profile, active::profile.window), 3'000);
  std::uint32_t left = active::profile.window;
  const std::vector<std::byte> data(packet);
  const auto send = [&](std::uint32_t size) {
    return peer.send([&](wire::Writer& out) { out.byte(94).uint32(0).string(Bytes(data).first(size)); });
  };
  while (left > 0) {
    const std::uint32_t size = std::min(packet, left);
    ASSERT_TRUE(send(size)) << peer.end_text() << " with " << left << " left";
    left -= size;
  }
  EXPECT_FALSE(send(1));
  EXPECT_NE(peer.disconnect_text().find("beyond the window"), std::string::npos);
}

TEST(FieldReport9, ChannelOpensFloodDuringARekeyIntoABoundedQueue) {
  RawPeer peer(Role::server);
  peer.reach(Point::logged_in);
  peer.session().rekey();
  (void)peer.session().transmit_ready(peer.now());  // its KEXINIT is out, ours is not
  int sent = 0;
  const auto open = [&] {
    wire::Writer out(peer.raw().writer().open(100, transport::Lane::control));
    out.byte(90).string(std::string_view("nonsense")).uint32(7).uint32(1).uint32(1);
    peer.raw().writer().seal(out.size());
    peer.deliver();
  };
  for (; sent < 100'000 && !peer.session().ended(); ++sent) open();
  EXPECT_TRUE(peer.session().ended());
  EXPECT_LT(sent, 100'000);
}

// Every channel open, all credit used, one-byte packets on alternating streams, nothing drained.
TEST(Budget, APeerThatUsesEverythingCannotPassTheCeiling) {
  RawPeer peer(Role::client);
  peer.reach(Point::logged_in);
  peer.never_drain();
  std::uint32_t opened = 0;
  for (; opened < std::min<std::uint32_t>(active::profile.channels, 4); ++opened) {
    ASSERT_TRUE(peer.session().open_session());
    peer.turn();
    peer.send([&](wire::Writer& out) { out.byte(91).uint32(opened).uint32(opened).uint32(1).uint32(1); });
  }
  const std::byte one[1] = {};
  for (std::uint32_t i = 0; i < 30'000 && !peer.session().ended(); ++i) {
    wire::Writer out(peer.raw().writer().open(64, transport::Lane::control));
    if (i % 2 == 0) out.byte(94).uint32(i / 2 % opened).string(Bytes(one));
    else out.byte(95).uint32(i / 2 % opened).uint32(1).string(Bytes(one));
    peer.raw().writer().seal(out.size());
    peer.deliver();
    ASSERT_LE(peer.pages().most(), active::Allocator::ceiling());
  }
  if (!peer.session().ended()) return;
  EXPECT_NE(peer.end_text().find("beyond the window"), std::string::npos) << peer.end_text();
}

TEST(FieldReport18, RequestsThatWantRepliesAreAnsweredInOrder) {
  RawPeer peer(Role::server);
  peer.reach(Point::logged_in);
  open_channel(peer, 5);
  const auto request = [&](std::string_view type, bool ok) {
    peer.send([&](wire::Writer& out) {
      out.byte(98).uint32(0).string(type).boolean(true);
      if (type == "exec") out.string(std::string_view("true"));
    });
    EXPECT_EQ(peer.seen().back(), ok ? 99 : 100) << type;
  };
  request("winadj@putty.projects.tartarus.org", false);  // field report 19
  request("keepalive@openssh.com", false);
  request("exec", true);
  request("exec", false);  // a second one
}

TEST(FieldReport20, ACommandPastTheLimitFailsAndTheSessionLives) {
  RawPeer peer(Role::server);
  peer.reach(Point::logged_in);
  open_channel(peer, 0);
  const std::string longest(active::profile.command, 'x'), too_long(active::profile.command + 1, 'x');
  const auto exec = [&](const std::string& command) {
    std::vector<std::byte> space(command.size() + 100);
    wire::Writer out{MutableBytes(space)};
    out.byte(98).uint32(0).string(std::string_view("exec")).boolean(true).string(command);
    // Larger than the raw peer's transmit space in `tiny`: sealed in a writer of its own is not needed,
    // a session reads what fits its packets.
    const MutableBytes packet = peer.raw().writer().open(out.size(), transport::Lane::control);
    if (packet.empty()) return false;
    copy_bytes(packet, out.written());
    peer.raw().writer().seal(out.size());
    peer.turn();
    return true;
  };
  ASSERT_TRUE(exec(too_long));
  EXPECT_EQ(peer.seen().back(), 100);
  ASSERT_FALSE(peer.session().ended());
  ASSERT_TRUE(exec(longest));
  EXPECT_EQ(peer.seen().back(), 99);
}

TEST(Stall, APeerThatTakesNoRepliesIsNotReadAndThenEnded) {
  RawPeer peer(Role::server);
  peer.reach(Point::logged_in);
  const auto request = [&] {
    wire::Writer out(peer.raw().writer().open(64, transport::Lane::control));
    if (!out.space_left().empty()) {
      out.byte(80).string(std::string_view("keepalive@openssh.com")).boolean(true);
      peer.raw().writer().seal(out.size());
    }
    peer.deliver();
    (void)peer.session().transmit_ready(peer.now());  // and nothing is taken
  };
  for (int i = 0; i < 200'000 && !peer.session().receive_space().empty() && !peer.session().ended(); ++i) request();
  if (!peer.session().ended()) {
    EXPECT_TRUE(peer.session().receive_space().empty()) << "reading stops";
    peer.now() += active::profile.stall_seconds * second + second;
    peer.take_events();
  }
  EXPECT_TRUE(peer.session().ended());
}

TEST(Rekey, TheSameWindowOfLifeWhicheverSideBeginsWhileIdle_FieldReport8) {
  for (const Role role : {Role::server, Role::client}) {
    RawPeer peer(role);
    peer.reach(Point::logged_in);
    for (int i = 0; i < 5; ++i) {
      i % 2 == 0 ? peer.session().rekey() : peer.raw().rekey();
      peer.turn();
      ASSERT_FALSE(peer.session().ended()) << peer.end_text();
      EXPECT_TRUE(peer.session().next(peer.now()).index() == 0);
    }
    EXPECT_EQ(peer.count(21), 6u);
  }
}

}  // namespace
}  // namespace sshape::test

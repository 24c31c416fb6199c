// Channel data on its way to a sink: lent, kept, credited.
#include "tests/unit/connection/far_end.hpp"

namespace sshape::test {
namespace {

std::uint32_t adjusted(const std::vector<Sent>& sent, ChannelId id) {
  std::uint32_t bytes = 0;
  for (const Sent& one : sent) {
    wire::Reader in = one.fields();
    if (one.number() == Message::channel_window_adjust) {
      (void)id;
      in.uint32();
      bytes += in.uint32();
    }
  }
  return bytes;
}

std::string taken(Connection& connection, ChannelId id, Stream stream) {
  std::string all;
  for (Bytes piece = connection.backlog(id, stream); !piece.empty(); piece = connection.backlog(id, stream)) {
    all += text_of(piece);
    connection.consumed(id, stream, piece.size());
  }
  return all;
}

TEST(ChannelData, IsLentAndWhatIsNotConsumedWaitsInTheBacklog) {
  FarEnd far(Role::server);
  const ChannelId id = far.open();
  const auto event = far.data(number(id), "hello world");
  const auto* lent = as<event::ChannelData>(event);
  ASSERT_NE(lent, nullptr);
  EXPECT_EQ(text_of(lent->data), "hello world");
  EXPECT_EQ(lent->stream, Stream::data);
  far.connection().consumed(id, Stream::data, 6);
  EXPECT_TRUE(far.connection().backlog(id, Stream::data).empty()) << "not before the loan ends";
  ASSERT_TRUE(far.connection().settle());
  EXPECT_EQ(text_of(far.connection().backlog(id, Stream::data)), "world");
  EXPECT_TRUE(nothing(*far.data(number(id), ", again"))) << "behind a backlog data is not offered";
  EXPECT_EQ(taken(far.connection(), id, Stream::data), "world, again");
  EXPECT_EQ(far.memory().in_use(), 0u);
  EXPECT_NE(as<event::ChannelData>(far.data(number(id), "x")), nullptr) << "and is offered again once it is gone";
}

TEST(ChannelData, ConsumedInPiecesOrTooMuchCountsWhatWasLent) {
  FarEnd far(Role::server);
  const ChannelId id = far.open();
  ASSERT_TRUE(far.data(number(id), "abcdef"));
  far.connection().consumed(id, Stream::data, 2);
  far.connection().consumed(id, Stream::data, 2);
  far.connection().consumed(id, Stream::data, 1'000);
  far.connection().consumed(id, Stream::data, 1'000);
  ASSERT_TRUE(far.connection().settle());
  EXPECT_TRUE(far.connection().backlog(id, Stream::data).empty());
  // Nothing was credited twice: the whole window can be used, and one byte more cannot.
  std::uint32_t credit = far.offered_window() - 6 + adjusted(far.pump(), id);
  EXPECT_LE(credit, far.offered_window());
  while (credit > 0) {
    const std::uint32_t n = std::min(credit, far.offered_packet());
    ASSERT_TRUE(far.data(number(id), n));
    credit -= n;
  }
  EXPECT_NE(fault_of(far.data(number(id), 1)).find("beyond the window"), std::string::npos);
}

TEST(FieldReport4, DataPastTheWindowIsAFaultAndDataOfOneWindowIsNot) {
  for (const std::uint32_t window : {1u, 2u, 100u, profile.window_floor, profile.window}) {
    FarEnd far(Role::server, window);
    const ChannelId id = far.open();
    ASSERT_EQ(far.offered_window(), window);
    ASSERT_EQ(far.offered_packet(), advertised_packet(profile, window));
    for (std::uint32_t left = window; left > 0;) {
      const std::uint32_t n = std::min(left, far.offered_packet());
      ASSERT_TRUE(far.data(number(id), n)) << "window " << window << " left " << left;
      left -= n;
    }
    EXPECT_NE(fault_of(far.data(number(id), 1)).find("beyond the window"), std::string::npos);
  }
}

TEST(Rfc4254_5_2, APacketAboveTheMaximumIsAFault) {
  FarEnd far(Role::server);
  const ChannelId id = far.open();
  ASSERT_TRUE(far.data(number(id), far.offered_packet()));
  EXPECT_FALSE(far.data(number(id), far.offered_packet() + 1));
}

TEST(Rfc4254_5_2, DataOfNoBytesIsFine) {
  FarEnd far(Role::client, 1);
  const ChannelId id = far.open();
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(nothing(*far.data(number(id), "")));
    EXPECT_TRUE(nothing(*far.extended(number(id), 1, "")));
  }
}

TEST(Rfc4254_5_3, DataAfterEofOrForAChannelThatIsNotOpenIsAFault) {
  FarEnd far(Role::server);
  const ChannelId id = far.open();
  EXPECT_FALSE(far.data(number(id) + 1, "x"));
  EXPECT_FALSE(far.data(~0u, "x"));
  ASSERT_TRUE(far.receive(Message::channel_eof, number(id)));
  EXPECT_NE(fault_of(far.data(number(id), "x")).find("after CHANNEL_EOF"), std::string::npos);
}

TEST(Rfc4254_5_2, OfExtendedDataAClientTakesStandardErrorAndCreditsTheRest) {
  FarEnd far(Role::client, 6);  // packets of one byte in `tiny`, of one in `server`: 6 / packets_in_window
  const ChannelId id = far.open();
  const auto event = far.extended(number(id), 1, "e");
  const auto* lent = as<event::ChannelData>(event);
  ASSERT_NE(lent, nullptr);
  EXPECT_EQ(lent->stream, Stream::error);
  far.connection().consumed(id, Stream::error, 1);
  far.pump();
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(nothing(*far.extended(number(id), 2, "x")));
    far.pump();
  }
  EXPECT_EQ(far.memory().in_use(), 0u);
}

TEST(Rfc4254_5_2, AServerHasNoUseForExtendedDataAndCreditsIt) {
  FarEnd far(Role::server, 6);
  const ChannelId id = far.open();
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(nothing(*far.extended(number(id), 1, "x")));
    far.pump();
  }
}

TEST(Discard, DropsTheBacklogAndTheLoanAndReturnsTheCreditForEver) {
  FarEnd far(Role::client, 100);
  const ChannelId id = far.open();
  const std::uint32_t packet = far.offered_packet();
  ASSERT_TRUE(far.data(number(id), packet));  // to the backlog
  ASSERT_TRUE(far.extended(number(id), 1, "e"));
  ASSERT_TRUE(far.data(number(id), packet));
  far.connection().discard(id, Stream::data);
  EXPECT_EQ(far.connection().backlog(id, Stream::data).size(), 0u);
  std::uint32_t credit = 100 - 2 * packet - 1 + adjusted(far.pump(), id);
  for (int i = 0; i < 1'000; ++i) {
    ASSERT_GE(credit, packet) << "the sender never waits for a closed sink";
    ASSERT_TRUE(nothing(*far.data(number(id), packet)));
    credit += adjusted(far.pump(), id) - packet;
  }
  EXPECT_EQ(taken(far.connection(), id, Stream::error), "e") << "the other stream lives on";
}

TEST(Discard, OfALoanInHandReturnsItAll) {
  FarEnd far(Role::server, 1);
  const ChannelId id = far.open();
  ASSERT_TRUE(far.data(number(id), "x"));
  far.connection().discard(id, Stream::data);
  far.connection().discard(id, Stream::data);
  EXPECT_EQ(adjusted(far.pump(), id), 1u);
}

TEST(Eow, IsSaidOnceToPeersThatKnowItAndToNoOther) {
  for (const bool known : {false, true}) {
    FarEnd far(Role::server);
    const ChannelId id = far.open();
    if (known) far.connection().peer_knows_eow();
    far.connection().discard(id, Stream::data);
    const std::vector<Sent> sent = far.pump();
    ASSERT_EQ(sent.size(), known ? 1u : 0u);
    if (known) {
      wire::Reader in = sent[0].fields();
      EXPECT_EQ(sent[0].number(), Message::channel_request);
      EXPECT_EQ(in.uint32(), 7u);
      EXPECT_EQ(in.text(), "eow@openssh.com");
      EXPECT_FALSE(in.boolean());
      EXPECT_TRUE(in.at_end());
    }
    far.connection().discard(id, Stream::data);
    EXPECT_TRUE(far.pump().empty());
  }
}

TEST(Eow, IsNotSaidWhereTheChannelClosesAnywayOrNothingMoreCanCome) {
  FarEnd closing(Role::server), ended(Role::server);
  for (FarEnd* far : {&closing, &ended}) {
    const ChannelId id = far->open();
    far->connection().peer_knows_eow();
    if (far == &ended) {
      ASSERT_TRUE(far->receive(Message::channel_eof, number(id)));
    }
    far->connection().discard(id, Stream::data);
    if (far == &closing) {
      ASSERT_TRUE(far->connection().close(id));
    }
    for (const Sent& sent : far->pump()) EXPECT_NE(sent.number(), Message::channel_request);
  }
}

TEST(Adjusts, LeaveTheRoomForRepliesAndAddUpWhileMessagesWait) {
  FarEnd far(Role::server, 600);
  const ChannelId id = far.open();
  const std::uint32_t packet = far.offered_packet();
  const auto arrive = [&] {
    ASSERT_TRUE(far.data(number(id), packet));
    far.connection().consumed(id, Stream::data, packet);
    far.connection().pump(far.outbox());
  };
  // Full but for less than a reply's room, as in a key exchange.
  while (far.outbox().room(reply_room)) {
    wire::Writer filler = far.outbox().compose(64);
    filler.byte(2).string(std::string_view("filler"));
    far.outbox().commit(filler);
  }
  std::size_t waiting = 0;
  for (std::uint32_t moved = 0; moved + packet <= 600; moved += packet) arrive(), ++waiting;
  std::vector<Sent> before = far.drain();
  EXPECT_EQ(adjusted(before, id), 0u);
  const std::vector<Sent> after = far.pump();
  ASSERT_EQ(after.size(), 1u) << "one adjust for all";
  EXPECT_EQ(adjusted(after, id), waiting * packet);
}

TEST(Backlog, ThatTheBudgetPromisedAndTheAllocatorRefusesEndsTheSessionAndNothingElse) {
  FarEnd far(Role::server);
  const ChannelId id = far.open();
  while (!far.memory().take(Use::block).empty()) {
  }
  ASSERT_TRUE(far.data(number(id), "kept nowhere"));
  const Status settled = far.connection().settle();
  ASSERT_FALSE(settled);
  EXPECT_EQ(std::string_view(settled.error().text).substr(0, 9), "internal:");
}

}  // namespace
}  // namespace sshape::test

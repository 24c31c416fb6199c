// Channel data on its way out: whose turn it is, how large a packet, what it looks like.
#include "tests/unit/connection/far_end.hpp"

namespace sshape::test {
namespace {

struct Data {
  std::uint32_t channel;
  std::uint32_t type;  // 0: plain
  std::string bytes;
};

Data data_of(const Sent& sent) {
  wire::Reader in = sent.fields();
  Data data{in.uint32(), 0, {}};
  if (sent.number() == Message::channel_extended_data) data.type = in.uint32();
  data.bytes = in.text();
  EXPECT_TRUE(in.at_end());
  return data;
}

constexpr std::uint32_t chunk = active::profile.send_data;

TEST(Rfc4254_5_2, AChunkIsReadIntoThePacketAndItsHeaderCountsWhatCame) {
  FarEnd far(Role::server);
  const ChannelId id = far.open(99);
  for (const Stream stream : {Stream::data, Stream::error}) {
    far.connection().source_ready(id, stream, true);
    EXPECT_EQ(far.send(5).stream, stream);
    const std::vector<Sent> sent = far.packets();
    ASSERT_EQ(sent.size(), 1u);
    EXPECT_EQ(sent[0].number(), stream == Stream::data ? Message::channel_data : Message::channel_extended_data);
    const Data data = data_of(sent[0]);
    EXPECT_EQ(data.channel, 99u);
    EXPECT_EQ(data.type, stream == Stream::data ? 0u : 1u);
    EXPECT_EQ(data.bytes, "yyyyy");
    far.connection().source_ready(id, stream, false);
  }
}

TEST(Send, NothingIsOfferedWithoutAReadySourceOrAfterNothingWasProduced) {
  FarEnd far(Role::server);
  const ChannelId id = far.open();
  EXPECT_TRUE(far.connection().next_send(far.writer()).space.empty());
  EXPECT_TRUE(far.connection().sendable(id, far.writer())) << "its sources are worth polling";
  far.connection().source_ready(id, Stream::data, true);
  EXPECT_EQ(far.send(0).space.size(), 0u);
  EXPECT_TRUE(far.packets().empty());
  far.connection().source_ready(id, Stream::data, false);
  EXPECT_TRUE(far.connection().next_send(far.writer()).space.empty());
  far.connection().produced(10, far.writer());  // into nothing
  EXPECT_TRUE(far.packets().empty());
}

TEST(Send, AChunkIsTheLeastOfThePeersPacketItsWindowAndOurs) {
  for (const std::uint32_t window : {1u, 2u, 1'000u, chunk - 1, chunk, chunk + 1, ~0u})
    for (const std::uint32_t packet : {1u, 2u, 1'000u, chunk - 1, chunk, chunk + 1, ~0u}) {
      FarEnd far(Role::server);
      const ChannelId id = far.open(1, window, packet);
      far.connection().source_ready(id, Stream::data, true);
      EXPECT_EQ(far.connection().next_send(far.writer()).space.size(), std::min({window, packet, chunk}));
    }
}

TEST(FieldReport5, AWindowOfZeroNeitherSendsNorSpinsAndAnAdjustStartsIt) {
  FarEnd far(Role::server);
  const ChannelId id = far.open(1, 0);
  far.connection().source_ready(id, Stream::data, true);
  EXPECT_FALSE(far.connection().sendable(id, far.writer()));
  EXPECT_TRUE(far.connection().next_send(far.writer()).space.empty());
  ASSERT_TRUE(far.adjust(number(id), 3));
  EXPECT_TRUE(far.connection().sendable(id, far.writer()));
  EXPECT_EQ(far.send().space.size(), 3u);
  EXPECT_FALSE(far.connection().sendable(id, far.writer()));
}

TEST(Send, APeerWithPacketsOfNoBytesIsNeverSentAny) {
  FarEnd far(Role::server);
  const ChannelId id = far.open(1, 1'000, 0);
  far.connection().source_ready(id, Stream::data, true);
  EXPECT_FALSE(far.connection().sendable(id, far.writer()));
  EXPECT_TRUE(far.connection().next_send(far.writer()).space.empty());
  ASSERT_TRUE(far.connection().close(id));
  EXPECT_EQ(numbers(far.pump()), (std::vector{Message::channel_eof, Message::channel_close}));
}

TEST(FieldReport1, AdjustsAddUpToTheLastByteAndPastItEndTheSession) {
  FarEnd far(Role::server);
  const ChannelId id = far.open(1, ~0u);
  EXPECT_NE(fault_of(far.adjust(number(id), 1)).find("2^32 - 1"), std::string::npos);
  FarEnd other(Role::server);
  const ChannelId second = other.open(1, 0);
  ASSERT_TRUE(other.adjust(number(second), ~0u));
  ASSERT_TRUE(other.adjust(number(second), 0));
  EXPECT_FALSE(other.adjust(number(second), 1));
}

TEST(FieldReport1, MoreThanTwoToTheThirtyOneIsSentWithoutAPause) {
  FarEnd far(Role::server);
  const ChannelId id = far.open(1, ~0u, ~0u);
  far.connection().source_ready(id, Stream::data, true);
  for (int i = 0; i < 1'000; ++i) {
    ASSERT_EQ(far.send().space.size(), chunk);
    far.packets();
  }
}

TEST(Send, WithLittleRoomLeftAPacketWaitsAndIsNotMadeSmall) {
  FarEnd far(Role::server);
  const ChannelId id = far.open(1, ~0u, ~0u);
  far.connection().source_ready(id, Stream::data, true);
  std::size_t packets = 0;
  while (true) {
    const std::size_t size = far.send().space.size();
    if (size == 0) break;
    ASSERT_EQ(size, chunk);
    ++packets;
  }
  EXPECT_EQ(packets, far.packets().size());
  EXPECT_GE(packets, 1u);
  EXPECT_EQ(far.send().space.size(), chunk) << "the socket has taken all";
}

TEST(Send, NeverIntoTheRoomOfControlMessages) {
  FarEnd far(Role::server);
  const ChannelId id = far.open(1, ~0u, 1);
  far.connection().source_ready(id, Stream::data, true);
  while (far.send().space.size() != 0) {
  }
  EXPECT_LE(far.writer().unsent(), profile.transmit_ahead);
  EXPECT_TRUE(far.writer().room(1'000, transport::Lane::control));
}

TEST(Send, BothStreamsOfAChannelTakeTurns) {
  FarEnd far(Role::server);
  const ChannelId id = far.open(1, ~0u, ~0u);
  for (const Stream stream : {Stream::data, Stream::error}) far.connection().source_ready(id, stream, true);
  Stream last = Stream::error;
  for (int i = 0; i < 10; ++i) {
    const SendSlot slot = far.send();
    ASSERT_FALSE(slot.space.empty());
    EXPECT_NE(slot.stream, last);
    last = slot.stream;
    far.packets();
  }
}

// Deficit round robin: whatever their peers' packets are, channels that always have data send as much
// as each other.
TEST(Fairness, ChannelsThatAlwaysHaveDataShareByBytes) {
  FarEnd far(Role::server);
  const std::uint32_t packets[] = {100, 32'768, 1'000};
  std::vector<ChannelId> ids;
  for (std::uint32_t i = 0; i < 3; ++i) {
    ids.push_back(far.open(i, ~0u, packets[i]));
    far.connection().source_ready(ids.back(), Stream::data, true);
  }
  std::uint64_t sent[3] = {};
  std::uint64_t all = 0;
  while (all < 100u * chunk) {
    const SendSlot slot = far.send();
    ASSERT_FALSE(slot.space.empty());
    sent[number(slot.channel)] += slot.space.size();
    all += slot.space.size();
    far.packets();
    const auto [least, most] = std::minmax({sent[0], sent[1], sent[2]});
    ASSERT_LE(most - least, 2 * chunk);
  }
}

TEST(Fairness, AnInteractiveChannelGoesFirst) {
  FarEnd far(Role::server);
  const ChannelId bulk = far.open(1, ~0u, ~0u);
  const ChannelId shell = far.open(2, ~0u, ~0u);
  ASSERT_TRUE(far.request(number(shell), "pty-req", false, [](wire::Writer& m) {
    m.string(std::string_view("xterm")).uint32(80).uint32(24).uint32(0).uint32(0).string(Bytes{});
  }));
  for (const ChannelId id : {bulk, shell}) far.connection().source_ready(id, Stream::data, true);
  EXPECT_EQ(far.send(10).channel, shell);
  EXPECT_EQ(far.send(10).channel, shell);
}

TEST(Fairness, AChannelWhoseReadsAreShortGoesFirst) {
  FarEnd far(Role::server);
  const ChannelId bulk = far.open(1, ~0u, ~0u);
  const ChannelId talk = far.open(2, ~0u, ~0u);
  far.connection().source_ready(talk, Stream::data, true);
  EXPECT_EQ(far.send(10).channel, talk);
  far.connection().source_ready(bulk, Stream::data, true);
  EXPECT_EQ(far.send(10).channel, talk);
  far.packets();
}

TEST(Fairness, ATerminalThatNeverStopsDoesNotStarveTheOthers) {
  FarEnd far(Role::server);
  const ChannelId bulk = far.open(1, ~0u, ~0u);
  const ChannelId flood = far.open(2, ~0u, ~0u);
  ASSERT_TRUE(far.request(number(flood), "pty-req", false, [](wire::Writer& m) {
    m.string(std::string_view("xterm")).uint32(80).uint32(24).uint32(0).uint32(0).string(Bytes{});
  }));
  for (const ChannelId id : {bulk, flood}) far.connection().source_ready(id, Stream::data, true);
  std::uint64_t sent[2] = {};
  for (int i = 0; i < 1'000; ++i) {
    const bool short_reads = i % 7 != 0;
    const SendSlot slot = far.send(short_reads ? 4'000 : ~std::size_t{0});
    sent[slot.channel == flood] += slot.space.size();
    far.packets();
  }
  EXPECT_GT(3 * sent[0], sent[1]) << "bulk " << sent[0] << ", flood " << sent[1];
}

TEST(Fairness, AChannelThatCannotSendNowHoldsUpNobody) {
  FarEnd far(Role::server);
  const ChannelId stuck = far.open(1, 10, ~0u);
  const ChannelId free = far.open(2, ~0u, ~0u);
  for (const ChannelId id : {stuck, free}) far.connection().source_ready(id, Stream::data, true);
  std::uint32_t sent[2] = {};
  for (int i = 0; i < 20; ++i) {
    const SendSlot slot = far.send();
    ++sent[slot.channel == free];
    far.packets();
  }
  EXPECT_EQ(sent[0], 1u);
  EXPECT_EQ(sent[1], 19u);
}

TEST(Rfc4254_5_3, NoDataIsSentAfterEofOrClose) {
  for (const int how : {0, 1, 2}) {
    FarEnd far(Role::server);
    const ChannelId id = far.open();
    far.connection().source_ready(id, Stream::data, true);
    if (how == 0) {
      ASSERT_TRUE(far.connection().end_of_output(id));
    } else if (how == 1) {
      ASSERT_TRUE(far.connection().close(id));
    } else {
      ASSERT_TRUE(far.receive(Message::channel_close, number(id)));
    }
    EXPECT_FALSE(far.connection().sendable(id, far.writer()));
    EXPECT_TRUE(far.connection().next_send(far.writer()).space.empty());
  }
}

TEST(Send, AChannelThatWentAwayBetweenReadAndProducedIsForgotten) {
  FarEnd far(Role::server);
  const ChannelId id = far.open();
  far.connection().source_ready(id, Stream::data, true);
  ASSERT_FALSE(far.connection().next_send(far.writer()).space.empty());
  ASSERT_TRUE(far.connection().close(id));
  far.pump();
  ASSERT_TRUE(far.receive(Message::channel_close, number(id)));
  while (!nothing(far.pending())) {
  }
  far.connection().produced(5, far.writer());
  EXPECT_TRUE(far.packets().empty());
}

}  // namespace
}  // namespace sshape::test

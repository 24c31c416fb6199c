// What a peer can make us keep: never more blocks than the profile's formula counts.
#include <cstdlib>

#include "tests/unit/connection/far_end.hpp"

namespace sshape::test {
namespace {

constexpr std::size_t limit = backlog_blocks(active::profile);

std::size_t blocks(const FarEnd& far) { return const_cast<FarEnd&>(far).memory().in_use() / profile.backlog_block; }

std::uint64_t seed() {
  const char* given = std::getenv("SSHAPE_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 0) : 20'261'201;
}

struct Open {
  ChannelId id;
  std::uint32_t credit;
  std::uint32_t packet;
  std::uint64_t buffered = 0;
};

std::vector<Open> open_all(FarEnd& far) {
  std::vector<Open> all;
  for (std::uint32_t i = 0; i < profile.channels; ++i) {
    const ChannelId id = far.open(i);
    all.push_back({id, far.offered_window(), far.offered_packet()});
  }
  return all;
}

// A client: its two streams can both be filled.
TEST(Blocks, OneBytePacketsThatAlternateStreamsOnEveryChannelStayWithinTheBudget) {
  const std::uint32_t wish = std::min<std::uint32_t>(profile.window, profile.pool / profile.channels);
  // A packet a byte: windows of 16 KiB, so that even sanitizers see the whole of it.
  constexpr std::uint32_t window = 16 * 1'024;
  FarEnd far(Role::client, std::min(wish, window));
  std::vector<Open> channels = open_all(far);
  std::size_t most = 0;
  for (bool any = true; any;) {
    any = false;
    for (Open& channel : channels) {
      for (const bool error : {false, true}) {
        if (channel.credit == 0) continue;
        ASSERT_TRUE(error ? far.extended(number(channel.id), 1, "e") : far.data(number(channel.id), "d"));
        --channel.credit;
        any = true;
      }
    }
    most = std::max(most, blocks(far));
    ASSERT_LE(most, limit);
  }
  ASSERT_TRUE(far.connection().settle());
  EXPECT_LE(blocks(far), limit);
  for (const Open& channel : channels) EXPECT_FALSE(far.data(number(channel.id), "one past the window"));
}

TEST(Blocks, AllTheCreditOfThePoolUsedAtOnceStaysWithinTheBudget) {
  FarEnd far(Role::client, profile.window);
  std::vector<Open> channels = open_all(far);
  std::uint64_t granted = 0;
  for (Open& channel : channels) {
    granted += channel.credit;
    for (bool error = false; channel.credit > 0; error = !error) {
      const std::uint32_t n = std::min(channel.credit, channel.packet);
      const std::string data(n, 'x');
      ASSERT_TRUE(error ? far.extended(number(channel.id), 1, data) : far.data(number(channel.id), data));
      channel.credit -= n;
    }
  }
  ASSERT_TRUE(far.connection().settle());
  EXPECT_LE(granted, profile.pool);
  EXPECT_GE(granted, profile.pool - profile.window) << "the pool can be used";
  EXPECT_LE(blocks(far), limit);
}

TEST(Blocks, RandomHistoriesStayWithinTheBudgetAndNoByteOfCreditIsLost) {
  const std::uint64_t first = seed();
  const int histories = std::getenv("SSHAPE_SEED") != nullptr ? 1 : 40;
  for (int h = 0; h < histories; ++h) {
    SCOPED_TRACE(testing::Message() << "replay with SSHAPE_SEED=" << first + static_cast<std::uint64_t>(h));
    Seeded dice(first + static_cast<std::uint64_t>(h));
    const std::uint32_t window = 1 + static_cast<std::uint32_t>(dice.below(dice.one_in(2) ? 100 : 20'000));
    FarEnd far(Role::client, window);
    std::vector<Open> channels;
    const std::size_t most_channels = std::min<std::size_t>(profile.channels, 6);
    for (int step = 0; step < 3'000; ++step) {
      if (channels.size() < most_channels && dice.one_in(50)) {
        const ChannelId id = far.open(static_cast<std::uint32_t>(dice.below(1'000)));
        channels.push_back({id, far.offered_window(), far.offered_packet()});
        continue;
      }
      if (channels.empty()) continue;
      const std::size_t at = dice.below(channels.size());
      Open& channel = channels[at];
      const Stream stream = dice.one_in(2) ? Stream::data : Stream::error;
      switch (dice.below(8)) {
        case 0:  // the peer closes, we close
          ASSERT_TRUE(far.receive(Message::channel_close, number(channel.id)));
          ASSERT_TRUE(far.connection().close(channel.id));
          for (const Stream s : {Stream::data, Stream::error}) far.connection().discard(channel.id, s);
          far.pump();
          while (!nothing(far.pending())) {
          }
          channels.erase(channels.begin() + static_cast<std::ptrdiff_t>(at));
          break;
        case 1: case 2: {  // a sink takes some of its backlog
          ASSERT_TRUE(far.connection().settle());
          const std::size_t n = far.connection().backlog(channel.id, stream).size();
          far.connection().consumed(channel.id, stream, dice.below(n + 1));
          break;
        }
        default: {
          const std::uint32_t n = static_cast<std::uint32_t>(dice.below(1 + std::min(channel.credit, channel.packet)));
          const std::string data(dice.one_in(2) ? std::min(n, 1u) : n, 'x');
          const auto event = stream == Stream::error ? far.extended(number(channel.id), 1, data) : far.data(number(channel.id), data);
          ASSERT_TRUE(event) << fault_of(event);
          channel.credit -= static_cast<std::uint32_t>(data.size());
          if (const auto* lent = as<event::ChannelData>(event))
            far.connection().consumed(channel.id, stream, dice.below(lent->data.size() + 1));
        }
      }
      for (const Sent& sent : far.pump()) {
        if (sent.number() != Message::channel_window_adjust) continue;
        wire::Reader in = sent.fields();
        in.uint32();
        const std::uint32_t bytes = in.uint32();
        if (!channels.empty() && at < channels.size()) channels[at].credit += bytes;
        ASSERT_LE(channels[at].credit, window);
      }
      ASSERT_LE(blocks(far), limit);
    }
    // Once the sinks have taken everything, every window is nearly whole again.
    for (Open& channel : channels) {
      ASSERT_TRUE(far.connection().settle());
      for (const Stream s : {Stream::data, Stream::error})
        while (!far.connection().backlog(channel.id, s).empty())
          far.connection().consumed(channel.id, s, far.connection().backlog(channel.id, s).size());
      for (const Sent& sent : far.pump()) {
        wire::Reader in = sent.fields();
        in.uint32();
        channel.credit += in.uint32();
      }
      EXPECT_GT(3 * std::uint64_t{channel.credit}, 2 * std::uint64_t{window});
      EXPECT_LE(channel.credit, window);
    }
    EXPECT_EQ(far.memory().in_use(), 0u);
  }
}

}  // namespace
}  // namespace sshape::test

// What a window does to a path: one channel that receives over links of every delay and rate, in virtual
// time. The table is committed beside this file, one a profile; SSHAPE_WRITE_TABLE=1 writes it anew.
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <queue>
#include <sstream>

#include "tests/unit/connection/far_end.hpp"

namespace sshape::test {
namespace {

struct Path {
  double round_trip;  // seconds, when idle
  double rate;        // bytes a second
  double queue;       // bytes that the sender's socket takes beyond the window's knowledge
};

struct Reached {
  double share;          // of the rate, in the second half of the time
  std::uint32_t window;  // at the end, bytes
  std::uint32_t packet;
};

// A sender that has always more, and sends whole packets only; a sink that takes all at once.
Reached transfer(const Path& path) {
  FarEnd end(Role::server, profile.window, true);
  const ChannelId id = end.open();
  const std::uint32_t packet = end.offered_packet();
  std::vector<std::byte> space(packet + 8);
  wire::Writer data{MutableBytes(space)};
  data.uint32(number(id)).string(Bytes(std::vector<std::byte>(packet)));
  const auto microseconds = [](double seconds) { return static_cast<Instant>(seconds * 1e6); };
  end.connection().round_trip(microseconds(path.round_trip));

  std::queue<double> arrivals;                             // of packets
  std::queue<std::pair<double, std::uint32_t>> adjusts;    // when the sender has them
  std::uint64_t credit = end.offered_window();
  std::uint64_t granted = credit, delivered = 0, delivered_half = 0;
  double link_free = 0;
  const double until = std::max({2.0, 40 * path.round_trip, 1'000 * packet / path.rate});
  for (double now = 0; now < until;) {
    while (!adjusts.empty() && adjusts.front().first <= now) {
      credit += adjusts.front().second;
      adjusts.pop();
    }
    double next = until;
    if (credit >= packet) {
      const double room_at = link_free - (path.queue - packet) / path.rate;
      if (room_at <= now) {
        link_free = std::max(link_free, now) + packet / path.rate;
        arrivals.push(link_free + path.round_trip / 2);
        credit -= packet;
        continue;
      }
      next = std::min(next, room_at);
    }
    if (!arrivals.empty()) next = std::min(next, arrivals.front());
    if (!adjusts.empty()) next = std::min(next, adjusts.front().first);
    now = std::max(now, next);
    while (!arrivals.empty() && arrivals.front() <= now) {
      arrivals.pop();
      end.connection().time(microseconds(now));
      wire::Reader message(data.written());
      if (!as<event::ChannelData>(end.connection().on_data(message))) throw std::runtime_error("the window did not hold");
      end.connection().consumed(id, Stream::data, packet);
      delivered += packet;
      if (now >= until / 2) delivered_half += packet;
    }
    for (const Sent& sent : end.pump()) {
      wire::Reader adjust = sent.fields();
      adjust.uint32();
      const std::uint32_t bytes = adjust.uint32();
      adjusts.emplace(now + path.round_trip / 2, bytes);
      granted += bytes;
    }
  }
  // Everything is taken: the window is what is granted and not used, but for what is owed.
  return {delivered_half / (until / 2) / path.rate, static_cast<std::uint32_t>(granted - delivered), packet};
}

class Windows : public testing::Test {
 protected:
  // One row after another, as Markdown.
  std::ostringstream table;
  void row(const Path& path, const Reached& reached) {
    char line[160];
    std::snprintf(line, sizeof line, "| %g | %g | %s | %.0f | %u |\n", path.round_trip * 1e3, path.rate * 8 / 1e6,
                  path.queue > 1e6 ? "4 MB" : "-", reached.share * 100, (reached.window + 512) / 1024);
    table << line;
  }
};

constexpr double round_trips[] = {0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3};
constexpr double rates[] = {1e6 / 8, 1e7 / 8, 1e8 / 8, 1e9 / 8, 1e10 / 8};
constexpr bool grows = active::profile.window_ceiling > active::profile.window;

TEST_F(Windows, Design4GrowToWhatThePathNeedsAndAQueueAloneInflatesNone) {
  table << "# The window over paths, profile " << profile.name << "\n\n"
        << "A sender that has always more; the receiver's window as the connection protocol makes it; virtual time.\n"
        << "Made by tests/sim/window_test.cpp. The window is what is granted and unused at the end.\n\n"
        << "| RTT ms | link Mbit/s | queue in the sender | share of the link % | window KiB |\n|---|---|---|---|---|\n";
  for (const double queue : {128e3, 4e6})
    for (const double round_trip : round_trips)
      for (const double rate : rates) {
        const Path path{round_trip, rate, queue};
        const Reached reached = transfer(path);
        row(path, reached);
        SCOPED_TRACE(testing::Message() << round_trip * 1e3 << " ms, " << rate * 8 / 1e6 << " Mbit/s, queue " << queue);
        // TARGETS: W / (RTT + P/C), at the largest window that there may be.
        const double most = grows ? profile.window_ceiling : profile.window;
        const double bound = std::min(1.0, most / (round_trip + reached.packet / rate) / rate);
        EXPECT_GE(reached.share, 0.95 * bound);
        const double needed = 4 * rate * round_trip;
        EXPECT_LE(reached.window, std::max<double>(profile.window, std::min<double>(2 * needed, most)))
            << "more than twice what growth aims at";
      }
  const std::string file = std::string(SSHAPE_SOURCE_DIR) + "/tests/sim/window-" + std::string(profile.name) + ".md";
  if (std::getenv("SSHAPE_WRITE_TABLE") != nullptr) std::ofstream(file) << table.str();
  std::ifstream committed(file);
  std::stringstream text;
  text << committed.rdbuf();
  EXPECT_EQ(text.str(), table.str()) << "the committed table is another: SSHAPE_WRITE_TABLE=1 writes it";
}

}  // namespace
}  // namespace sshape::test

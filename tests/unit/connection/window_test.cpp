// The arithmetic of credit, exhaustively over small windows.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <vector>

#include "core/connection/window.hpp"
#include "profiles/active.hpp"

namespace sshape::connection {
namespace {

// Every state that a window of `size` with packets of `packet` can come to, by data that arrives, bytes
// that leave and adjusts that are composed at any moment.
template <class Check>
void visit_all(std::uint32_t size, std::uint32_t packet, Check check) {
  using Key = std::pair<std::uint32_t, std::uint32_t>;
  std::vector<ReceiveWindow> open{ReceiveWindow(size, packet)};
  std::set<Key> seen{{size, 0}};
  const auto reach = [&](const ReceiveWindow& window) {
    if (seen.insert({window.credit(), window.buffered()}).second) open.push_back(window);
  };
  while (!open.empty()) {
    const ReceiveWindow window = open.back();
    open.pop_back();
    check(window);
    for (std::uint32_t n = 0; n <= std::min(window.credit(), packet); ++n) {
      ReceiveWindow next = window;
      ASSERT_TRUE(next.arrived(n));
      reach(next);
    }
    for (std::uint32_t n = 0; n <= window.buffered(); ++n) {
      ReceiveWindow next = window;
      next.left(n);
      reach(next);
    }
    ReceiveWindow next = window;
    next.returned(window.due());
    reach(next);
  }
}

template <class Check>
void for_small_windows(Check check) {
  for (std::uint32_t size = 1; size <= 24; ++size)
    for (std::uint32_t packet = 1; packet <= size; ++packet)
      visit_all(size, packet, [&](const ReceiveWindow& window) {
        SCOPED_TRACE(testing::Message() << "window " << size << " packet " << packet << " credit " << window.credit()
                                        << " buffered " << window.buffered() << " due " << window.due());
        check(window);
      });
}

TEST(Rfc4254_5_2, CreditBufferedAndOwedAreTheWindowInEveryState) {
  for_small_windows([](const ReceiveWindow& window) {
    const std::uint32_t owed = window.window() - window.credit() - window.buffered();
    ASSERT_LE(window.credit() + window.buffered(), window.window());
    ASSERT_TRUE(window.due() == 0 || window.due() == owed) << "all that is owed, or nothing yet";
  });
}

TEST(Rfc4254_5_2, ASenderWhoseDataLeavesAlwaysHasRoomForAWholePacket) {
  for_small_windows([](ReceiveWindow window) {
    window.returned(window.due());
    if (window.buffered() == 0) {
      ASSERT_GE(window.credit(), window.packet());
    }
  });
}

TEST(Rfc4254_5_2, LessThanAThirdOfTheWindowIsEverHeldBack) {
  for_small_windows([](ReceiveWindow window) {
    window.returned(window.due());
    const std::uint32_t owed = window.window() - window.credit() - window.buffered();
    ASSERT_LT(3 * owed, window.window());
  });
}

TEST(FieldReport4, DataPastTheCreditOrThePacketIsRefusedAndChangesNothing) {
  for_small_windows([](const ReceiveWindow& window) {
    for (const std::uint32_t size : {window.credit() + 1, window.packet() + 1, ~std::uint32_t{0}}) {
      ReceiveWindow tried = window;
      ASSERT_FALSE(tried.arrived(size));
      ASSERT_EQ(tried.credit(), window.credit());
      ASSERT_EQ(tried.buffered(), window.buffered());
    }
  });
}

TEST(FieldReport6, AMillionSmallPacketsKeepTheWindowWhole) {
  const std::uint32_t size = active::profile.window;
  ReceiveWindow window(size, advertised_packet(active::profile, size));
  std::uint32_t sender = size;
  for (int i = 0; i < 1'000'000; ++i) {
    ASSERT_GT(sender, 0u);
    ASSERT_TRUE(window.arrived(1));
    --sender;
    window.left(1);
    const std::uint32_t due = window.due();
    window.returned(due);
    sender += due;
    ASSERT_EQ(sender, window.credit());
  }
  window.left(0);
  EXPECT_EQ(window.buffered(), 0u);
  EXPECT_GT(sender, size / 3 * 2);
}

TEST(Adjusts, AreFewerThanPacketsAndAtMostSixteenAWindow) {
  for (const std::uint32_t size : {active::profile.window, active::profile.window_floor}) {
    const std::uint32_t packet = advertised_packet(active::profile, size);
    ReceiveWindow window(size, packet);
    std::uint32_t adjusts = 0;
    for (std::uint32_t moved = 0; moved < 10 * size; ++moved) {
      ASSERT_TRUE(window.arrived(1));
      window.left(1);
      if (const std::uint32_t due = window.due(); due != 0) {
        window.returned(due);
        ++adjusts;
      }
    }
    EXPECT_LE(adjusts, 10u * 16u);
  }
}

TEST(Adjusts, AWindowOfOneByteWorks) {
  ReceiveWindow window(1, 1);
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(window.arrived(1));
    ASSERT_FALSE(window.arrived(1));
    EXPECT_EQ(window.due(), 0u);
    window.left(1);
    ASSERT_EQ(window.due(), 1u);
    window.returned(1);
  }
}

TEST(FieldReport1, TheWholeUint32IsHonouredAndOnePastItRefused) {
  constexpr std::uint32_t most = ~std::uint32_t{0};
  for (const std::uint32_t credit : {0u, 1u, 1u << 31, most - 1, most}) {
    SendWindow window(credit, 32'768);
    ASSERT_TRUE(window.adjust(most - credit));
    EXPECT_EQ(window.credit(), most);
    EXPECT_FALSE(window.adjust(1));
    EXPECT_FALSE(window.adjust(most));
    EXPECT_EQ(window.credit(), most) << "a refused adjust changes nothing";
    window.sent(10);
    EXPECT_TRUE(window.adjust(10));
  }
}

TEST(FieldReport5, AWindowThatBeginsAtZeroSendsNothingUntilItIsAdjusted) {
  SendWindow window(0, 32'768);
  EXPECT_EQ(window.sendable(1'000), 0u);
  ASSERT_TRUE(window.adjust(5));
  EXPECT_EQ(window.sendable(1'000), 5u);
}

TEST(SendWindow, SendsTheLeastOfCreditPacketAndLimitForEverySmallValue) {
  for (std::uint32_t credit = 0; credit < 8; ++credit)
    for (std::uint32_t packet = 0; packet < 8; ++packet)
      for (std::uint32_t limit = 0; limit < 8; ++limit)
        EXPECT_EQ(SendWindow(credit, packet).sendable(limit), std::min({credit, packet, limit}));
  EXPECT_EQ(SendWindow(~0u, ~0u).sendable(32'768), 32'768u);
}

}  // namespace
}  // namespace sshape::connection

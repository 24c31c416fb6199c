// The receive budget, exhaustively over small pools: every order of opening, growing and closing.
#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <vector>

#include "core/connection/budget.hpp"
#include "profiles/active.hpp"

namespace sshape::connection {
namespace {

struct State {
  Budget budget;
  std::vector<std::uint32_t> windows;  // of the open channels
};

std::uint32_t sum(const std::vector<std::uint32_t>& windows) {
  return std::accumulate(windows.begin(), windows.end(), 0u);
}

void explore(std::uint32_t pool, std::uint32_t floor, std::uint32_t slots) {
  SCOPED_TRACE(testing::Message() << "pool " << pool << " floor " << floor << " slots " << slots);
  std::set<std::vector<std::uint32_t>> seen;
  std::vector<State> open{{Budget(pool, floor, slots), {}}};
  while (!open.empty()) {
    const State state = open.back();
    open.pop_back();
    std::vector<std::uint32_t> key = state.windows;
    std::ranges::sort(key);
    if (!seen.insert(key).second) continue;

    ASSERT_LE(sum(state.windows), pool) << "granted more than there is";
    if (state.windows.empty()) {
      ASSERT_EQ(state.budget.charged(), 0u);
    }
    const auto unopened = slots - static_cast<std::uint32_t>(state.windows.size());
    ASSERT_LE(state.budget.charged() + unopened * floor, pool) << "a floor was given away";
    ASSERT_EQ(state.budget.available(), pool - state.budget.charged() - unopened * floor);

    for (std::uint32_t wanted = 1; wanted <= pool + 1; ++wanted) {
      State next = state;
      const std::uint32_t got = next.budget.open(wanted);
      if (unopened == 0) {
        ASSERT_EQ(got, 0u);
        break;
      }
      ASSERT_LE(got, wanted);
      ASSERT_GE(got, std::min(wanted, floor)) << "a slot has its floor whatever the others have";
      next.windows.push_back(got);
      open.push_back(next);
    }
    for (std::size_t i = 0; i < state.windows.size(); ++i) {
      State closed = state;
      closed.budget.close(closed.windows[i]);
      closed.windows.erase(closed.windows.begin() + static_cast<std::ptrdiff_t>(i));
      open.push_back(closed);
      for (std::uint32_t wanted = 0; wanted <= pool; ++wanted) {
        State grown = state;
        const std::uint32_t got = grown.budget.grow(grown.windows[i], wanted);
        ASSERT_LE(got, wanted);
        if (grown.windows[i] + wanted <= floor) {
          ASSERT_EQ(got, wanted) << "up to its floor every channel may grow";
        }
        grown.windows[i] += got;
        open.push_back(grown);
      }
    }
  }
}

TEST(Budget, NeverGrantsMoreThanThePoolAndAlwaysKeepsTheFloors) {
  for (std::uint32_t slots = 1; slots <= 3; ++slots)
    for (std::uint32_t floor = 1; floor <= 3; ++floor)
      for (std::uint32_t pool = slots * floor; pool <= 10; ++pool) explore(pool, floor, slots);
}

TEST(Budget, OfTheProfileOpensItsWholeTableOfChannels) {
  const Profile& p = active::profile;
  Budget budget(p.pool, p.window_floor, p.channels);
  std::uint64_t granted = 0;
  for (std::uint32_t i = 0; i < p.channels; ++i) {
    const std::uint32_t window = budget.open(p.window_ceiling);
    ASSERT_GE(window, p.window_floor);
    granted += window;
    ASSERT_LE(granted, p.pool);
  }
  EXPECT_EQ(budget.open(1), 0u);
  EXPECT_EQ(budget.available(), p.pool - granted);
}

}  // namespace
}  // namespace sshape::connection

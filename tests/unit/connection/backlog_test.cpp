// The chain of blocks that keeps what a sink did not take.
#include <gtest/gtest.h>

#include <deque>
#include <vector>

#include "core/connection/backlog.hpp"
#include "tests/support/seeded.hpp"

namespace sshape::test {
namespace {

using connection::Backlog;

constexpr std::size_t capacity = active::profile.backlog_block - backlog_block_header;

TEST(Backlog, GivesBackWhatItTookInOrderAndAllItsBlocks) {
  const std::uint64_t seed = 20'261'201;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  Seeded dice(seed);
  MappedPages pages;
  const auto memory = std::make_unique<active::Allocator>(pages);
  Backlog backlog;
  std::deque<std::byte> model;
  std::byte next{};
  for (int i = 0; i < 20'000; ++i) {
    if (dice.one_in(2) && model.size() < 4 * capacity) {
      std::vector<std::byte> bytes(dice.below(dice.one_in(3) ? 2 * capacity : 3));
      for (std::byte& b : bytes) b = next = static_cast<std::byte>(std::to_integer<int>(next) * 5 + 1);
      ASSERT_TRUE(backlog.append(bytes, *memory));
      model.insert(model.end(), bytes.begin(), bytes.end());
    } else {
      const Bytes front = backlog.front();
      ASSERT_EQ(front.empty(), model.empty());
      for (std::size_t k = 0; k < front.size(); ++k) ASSERT_EQ(front[k], model[k]);
      const std::size_t n = dice.below(model.size() + 1);
      backlog.drop(n, *memory);
      model.erase(model.begin(), model.begin() + static_cast<std::ptrdiff_t>(n));
    }
    ASSERT_EQ(backlog.size(), model.size());
    ASSERT_LE(memory->in_use() / active::profile.backlog_block, model.size() / capacity + 2);
    ASSERT_EQ(memory->in_use() == 0, model.empty()) << "an empty backlog holds no block";
  }
}

TEST(Backlog, SaysWhenThereIsNoBlockAndKeepsWhatFitted) {
  MappedPages pages;
  const auto memory = std::make_unique<active::Allocator>(pages);
  while (!memory->take(Use::block).empty()) {
  }
  Backlog backlog;
  const std::byte one[1] = {};
  EXPECT_FALSE(backlog.append(one, *memory));
  EXPECT_TRUE(backlog.empty());
  EXPECT_TRUE(backlog.front().empty());
}

TEST(Backlog, DropsNoMoreThanThereIs) {
  MappedPages pages;
  const auto memory = std::make_unique<active::Allocator>(pages);
  Backlog backlog;
  ASSERT_TRUE(backlog.append(bytes_of("abc"), *memory));
  backlog.drop(1'000, *memory);
  EXPECT_TRUE(backlog.empty());
  EXPECT_EQ(memory->in_use(), 0u);
}

}  // namespace
}  // namespace sshape::test

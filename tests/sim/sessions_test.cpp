// Whole sessions with no socket. A failure prints the seed; `--seed=N` or SSHAPE_SEED=N replays it.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/sim/simulation.hpp"

namespace sshape::test {
namespace {

std::uint64_t base_seed() {
  const char* given = std::getenv("SSHAPE_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 0) : 20'261'201;
}

// SSHAPE_SIM_SESSIONS: fewer where each takes longer, under the sanitizers.
int session_count(int wanted) {
  if (std::getenv("SSHAPE_SEED") != nullptr) return 1;
  const char* most = std::getenv("SSHAPE_SIM_SESSIONS");
  return most != nullptr ? std::min(wanted, std::atoi(most)) : wanted;
}

constexpr std::string_view ciphers[] = {"chacha20-poly1305@openssh.com", "aes128-gcm@openssh.com",
                                        "aes256-gcm@openssh.com", "aes128-ctr", "aes256-ctr"};
constexpr std::string_view kexes[] = {"curve25519-sha256", "mlkem768x25519-sha256"};

Plan short_plan(Seeded& dice) {
  Plan plan;
  plan.up = dice.below(20'000);
  plan.down = dice.below(20'000);
  plan.error = dice.below(5'000);
  plan.password = dice.one_in(3);
  plan.wrong_first = dice.one_in(4);
  plan.exit_status = static_cast<std::uint32_t>(dice.below(256));
  plan.late = dice.one_in(2) ? 2 : 0;
  plan.cipher = ciphers[dice.below(std::size(ciphers))];
  plan.kex = kexes[dice.one_in(8) ? 1 : 0];
  if (dice.one_in(4)) plan.client_rekey = 256 + dice.below(20'000);
  if (dice.one_in(4)) plan.server_rekey = 256 + dice.below(20'000);
  if (dice.one_in(8)) plan.window = 1 + static_cast<std::uint32_t>(dice.below(4'096));
  return plan;
}

LinkShape any_link(Seeded& dice) {
  LinkShape shape;
  shape.delay = dice.below(50'000);
  shape.jitter = dice.below(5'000);
  shape.stall = dice.one_in(3) ? dice.below(2 * second) : 0;
  shape.chunk = 1 + dice.below(dice.one_in(4) ? 40 : 3'000);
  shape.capacity = 1'000 + dice.below(100'000);
  return shape;
}

TEST(Sim, TenThousandShortSessionsLoseNothing) {
  const std::uint64_t base = base_seed();
  int rekeyed = 0;
  for (int i = 0; i < session_count(10'000); ++i) {
    const std::uint64_t seed = base + static_cast<std::uint64_t>(i);
    Seeded dice(seed ^ 0x5eed);
    const Plan plan = short_plan(dice);
    const Outcome outcome = simulate(seed, plan, any_link(dice));
    ASSERT_TRUE(outcome.whole) << "replay with SSHAPE_SEED=" << seed << ": " << outcome.why;
    rekeyed += outcome.rekeys > 0;
  }
  EXPECT_TRUE(rekeyed > 0 || session_count(2) == 1) << "no session changed its keys: the plan tests less than it says";
}

TEST(Sim, LongSessionsWithRekeysFromEitherSideLoseNothing) {
  const std::uint64_t base = base_seed() + 1'000'000;
  for (int i = 0; i < session_count(10); ++i) {
    const std::uint64_t seed = base + static_cast<std::uint64_t>(i);
    Plan plan;
    plan.up = 4'000'000;
    plan.down = 4'000'000;
    plan.error = 100'000;
    plan.late = 3;
    plan.cipher = ciphers[i % std::size(ciphers)];
    plan.kex = kexes[i % 2];
    (i % 2 != 0 ? plan.client_rekey : plan.server_rekey) = 100'000;
    LinkShape shape;
    shape.chunk = 20'000;
    const Outcome outcome = simulate(seed, plan, shape);
    ASSERT_TRUE(outcome.whole) << "replay with SSHAPE_SEED=" << seed << ": " << outcome.why;
    // Each exchange lets what is in flight and what the window allows go by: fewer than 8,000,000 / 100,000.
    EXPECT_GE(outcome.rekeys, 5);
  }
}

}  // namespace
}  // namespace sshape::test

#include "tests/sim/simulation.hpp"

namespace sshape::test {

namespace {

bool carry(Session& from, Direction& link, Session& to, Instant now) {
  bool moved = false;
  while (true) {
    const Bytes ready = from.transmit_ready(now);
    if (ready.empty()) break;
    const std::size_t sent = link.send(ready, now);
    if (sent == 0) break;
    from.transmitted(sent, now);
    moved = true;
  }
  const MutableBytes space = to.receive_space();
  if (const std::size_t n = link.receive(space, now); n != 0) {
    to.received(n, now);
    moved = true;
  }
  return moved;
}

}  // namespace

Outcome simulate(std::uint64_t seed, const Plan& plan, const LinkShape& shape) {
  Seeded dice(seed);
  const Key host_key(dice);
  const Key user_key(dice);
  Direction up(shape, dice);
  Direction down(shape, dice);
  ServerEnd server(dice, plan, host_key, user_key);
  ClientEnd client(dice, plan, host_key, user_key);
  Instant now = 0;
  Outcome outcome;

  while (!client.closed() && !client.ended() && !server.ended()) {
    bool moved = client.run(now);
    moved |= server.run(now);
    moved |= carry(client.session(), up, server.session(), now);
    moved |= carry(server.session(), down, client.session(), now);
    if (moved) continue;
    const Instant next = std::min({up.next_arrival(), down.next_arrival(), client.late_at(), server.late_at(),
                                   client.session().wake_at(), server.session().wake_at()});
    if (next == never || next > now + 3600 * second) {
      // The dice may only have said "nothing now" to a sink: time goes on a little.
      if (++outcome.took > 1000) {
        outcome.why = "nothing moves any more";
        return outcome;
      }
      now += 1'000;
      continue;
    }
    outcome.took = 0;
    now = std::max(next, now + 1);
  }
  outcome.took = now;
  outcome.rekeys = std::max(client.rekeys(), 0);
  outcome.whole = client.complete() && server.complete();
  if (!outcome.whole)
    outcome.why = "client ended: '" + client.end_text() + "', server ended: '" + server.end_text() + "'";
  return outcome;
}

}  // namespace sshape::test

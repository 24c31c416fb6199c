// Randomness that replays, keys made from it, and pages from the test's heap.
#pragma once

#include <cstdlib>
#include <cstring>
#include <random>

#include "core/crypto/private_key.hpp"
#include "core/crypto/random.hpp"
#include "profiles/allocators/allocator.hpp"

namespace sshape::test {

// Both the test's dice and a session's randomness. Never for anything but tests.
class Seeded final : public crypto::Random {
 public:
  explicit Seeded(std::uint64_t seed) : engine_(seed) {}

  void fill(MutableBytes space) override {
    for (std::byte& byte : space) byte = static_cast<std::byte>(engine_() & 0xff);
  }
  // 0 .. bound - 1
  std::uint64_t below(std::uint64_t bound) { return bound == 0 ? 0 : engine_() % bound; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

 private:
  std::mt19937_64 engine_;
};

class HeapPages final : public Pages {
 public:
  std::byte* map(std::size_t bytes) override {
    const std::size_t whole = (bytes + 4095) / 4096 * 4096;
    auto* at = static_cast<std::byte*>(std::aligned_alloc(4096, whole));
    std::memset(at, 0, whole);
    return at;
  }
  void unmap(std::byte* at, std::size_t) override { std::free(at); }
  void discard(std::byte*, std::size_t) override {}
};

struct Key {
  crypto::PrivateKey key;
  std::array<std::byte, 128> space{};
  Bytes blob;

  explicit Key(crypto::Random& random) {
    if (!crypto::PrivateKey::generate(crypto::KeyType::ed25519, random, key)) std::abort();
    wire::Writer out(space);
    key.public_blob(out);
    blob = out.written();
  }
};

}  // namespace sshape::test

// Randomness that replays, keys made from it, and pages.
#pragma once

#include <sys/mman.h>

#include <cstdlib>
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

// Pages from the system: zeroed, and touched only as far as a session uses them.
class MappedPages final : public Pages {
 public:
  std::byte* map(std::size_t bytes) override {
    void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return nullptr;
    mapped_ += bytes;
    most_ = mapped_ > most_ ? mapped_ : most_;
    return static_cast<std::byte*>(at);
  }
  void unmap(std::byte* at, std::size_t bytes) override {
    ::munmap(at, bytes);
    mapped_ -= bytes;
  }
  void discard(std::byte*, std::size_t) override {}
  std::size_t mapped() const { return mapped_; }  // bytes now
  std::size_t most() const { return most_; }      // bytes at the highest

 private:
  std::size_t mapped_ = 0;
  std::size_t most_ = 0;
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

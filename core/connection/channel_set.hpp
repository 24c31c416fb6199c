// Channels by their number, one bit each: who has something due is found without looking at the others.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "profiles/active.hpp"

namespace sshape::connection {

class ChannelSet {
 public:
  static constexpr std::size_t none = active::profile.channels;

  void add(std::size_t number) { words_[number / 64] |= bit(number); }
  void remove(std::size_t number) { words_[number / 64] &= ~bit(number); }
  bool contains(std::size_t number) const { return (words_[number / 64] & bit(number)) != 0; }
  bool empty() const { return next(0) == none; }

  // The first member that is not below `from`, or `none`.
  std::size_t next(std::size_t from) const {
    if (from >= none) return none;
    std::uint64_t word = words_[from / 64] & ~std::uint64_t{0} << from % 64;
    for (std::size_t i = from / 64;; word = words_[i]) {
      if (word != 0) return i * 64 + static_cast<std::size_t>(std::countr_zero(word));
      if (++i == words_.size()) return none;
    }
  }

 private:
  static std::uint64_t bit(std::size_t number) { return std::uint64_t{1} << number % 64; }

  std::array<std::uint64_t, (none + 63) / 64> words_{};
};

}  // namespace sshape::connection

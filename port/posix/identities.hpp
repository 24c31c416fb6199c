// The user's private keys, from files. Small tables: a user has few.
#pragma once

#include <array>

#include "core/crypto/private_key.hpp"
#include "profiles/active.hpp"

namespace sshape::posix {

class Identities {
 public:
  static constexpr std::size_t capacity = 18;  // 16 of -i, and two default ones

  enum class Loaded : unsigned char { yes, missing, unusable };
  // A key that is there already is not loaded again. `why`, if unusable: a literal, or strerror()'s.
  Loaded load(const char* path, const char*& why);

  std::size_t size() const { return size_; }
  const crypto::PrivateKey& key(std::size_t i) const { return keys_[i]; }
  Bytes blob(std::size_t i) const { return Bytes(blobs_[i]).first(blob_sizes_[i]); }
  const crypto::PrivateKey* find(Bytes blob) const;  // null: none of ours

  void forget();  // wipes them all

 private:
  std::array<crypto::PrivateKey, capacity> keys_;
  std::array<std::array<std::byte, active::profile.key_blob>, capacity> blobs_;
  std::array<std::size_t, capacity> blob_sizes_{};
  std::size_t size_ = 0;
};

}  // namespace sshape::posix

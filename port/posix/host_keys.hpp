// The server's private keys, from files (COMPAT: host keys).
#pragma once

#include <array>
#include <span>

#include "core/crypto/private_key.hpp"
#include "port/posix/text.hpp"

namespace sshape::posix {

class HostKeys {
 public:
  static constexpr std::size_t capacity = 4;  // at most one of each type

  enum class Loaded : std::uint8_t { yes, missing, unusable, second_of_its_type };
  // Logs what is wrong, a missing file only if `expected`. A file that others may read is a warning.
  Loaded load(const char* path, bool expected);

  std::span<const Bytes> blobs() const { return {blobs_.data(), size_}; }
  const crypto::PrivateKey* find(Bytes blob) const;  // null: not ours
  bool has(crypto::KeyType type) const;
  bool empty() const { return size_ == 0; }
  void forget();  // wipes the keys

 private:
  std::array<crypto::PrivateKey, capacity> keys_;
  std::array<std::array<std::byte, 1024>, capacity> blob_space_;
  std::array<Bytes, capacity> blobs_;
  std::size_t size_ = 0;
};

struct DefaultHostKey {
  crypto::KeyType type;
  const char* path;
};
std::span<const DefaultHostKey> default_host_keys();

// -R: makes the default key that is missing, in dropbear's format, so that going back to it works;
// another process may be making it just now.
void make_default_host_key(const DefaultHostKey& key, crypto::Random& random);

}  // namespace sshape::posix

#include "port/posix/identities.hpp"

#include <errno.h>
#include <string.h>

#include <new>

#include "core/crypto/key_files.hpp"
#include "port/posix/small_file.hpp"

namespace sshape::posix {

namespace {

constexpr std::size_t largest_file = 16 * 1024;  // bytes

}  // namespace

Identities::Loaded Identities::load(const char* path, const char*& why) {
  if (size_ == capacity) {
    why = "too many keys";
    return Loaded::unusable;
  }
  crypto::Secret<largest_file> text, scratch;
  const SmallFile file = read_small_file(path, {reinterpret_cast<char*>(text.space().data()), text.capacity()});
  if (file.error != 0) {
    why = file.error == EINVAL  ? "not a regular file"
          : file.error == EFBIG ? "too large for a key"
                                : ::strerror(file.error);
    return file.error == ENOENT ? Loaded::missing : Loaded::unusable;
  }
  crypto::PrivateKey& key = keys_[size_];
  if (const auto read = crypto::read_private_key(file.text, scratch.space(), key); !read) {
    why = read.error().text;
    return Loaded::unusable;
  }
  wire::Writer blob(blobs_[size_]);
  key.public_blob(blob);
  if (!blob.ok()) {
    why = "the key is larger than this build allows";
    return Loaded::unusable;
  }
  if (find(blob.written()) == nullptr) blob_sizes_[size_++] = blob.size();
  return Loaded::yes;
}

const crypto::PrivateKey* Identities::find(Bytes blob) const {
  for (std::size_t i = 0; i < size_; ++i)
    if (same_bytes(this->blob(i), blob)) return &keys_[i];
  return nullptr;
}

void Identities::forget() {
  for (crypto::PrivateKey& key : keys_) {
    key.~PrivateKey();
    new (&key) crypto::PrivateKey();
  }
  size_ = 0;
}

}  // namespace sshape::posix

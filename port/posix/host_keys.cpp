#include "port/posix/host_keys.hpp"

#include <errno.h>

#include <new>

#include "core/crypto/key_files.hpp"
#include "port/posix/log.hpp"
#include "port/posix/small_file.hpp"

namespace sshape::posix {

namespace {

constexpr std::size_t largest_file = 8 * 1024;  // bytes; an RSA key of 8,192 bits has 6.5 kB

constexpr DefaultHostKey defaults[] = {
    {crypto::KeyType::ed25519, "/etc/dropbear/dropbear_ed25519_host_key"},
};

void complain(const char* path, std::string_view what) {
  log_warning(LogLine("Host key ").add_escaped(path).add(": ").add(what));
}

}  // namespace

std::span<const DefaultHostKey> default_host_keys() { return defaults; }

HostKeys::Loaded HostKeys::load(const char* path, bool expected) {
  crypto::Secret<largest_file> text, scratch;
  const SmallFile file = read_small_file(
      path, {reinterpret_cast<char*>(text.space().data()), text.space().size()});
  if (file.error == ENOENT && !expected) return Loaded::missing;
  if (file.error != 0) {
    complain(path, file.error == EFBIG ? "too large" : file.error == EINVAL ? "not a regular file" : error_text(file.error));
    return file.error == ENOENT ? Loaded::missing : Loaded::unusable;
  }
  if (file.readable_by_others) complain(path, "warning: others may read this file");
  if (size_ == capacity) return Loaded::unusable;
  crypto::PrivateKey& key = keys_[size_];
  if (const auto read = crypto::read_private_key(file.text, scratch.space(), key); !read) {
    complain(path, read.error().text);
    return Loaded::unusable;
  }
  for (std::size_t i = 0; i < size_; ++i)
    if (keys_[i].type() == key.type()) return Loaded::second_of_its_type;
  wire::Writer blob(blob_space_[size_]);
  key.public_blob(blob);
  if (!blob.ok()) return Loaded::unusable;
  blobs_[size_++] = blob.written();
  return Loaded::yes;
}

const crypto::PrivateKey* HostKeys::find(Bytes blob) const {
  for (std::size_t i = 0; i < size_; ++i)
    if (same_bytes(blobs_[i], blob)) return &keys_[i];
  return nullptr;
}

void HostKeys::forget() {
  for (crypto::PrivateKey& key : keys_) {
    key.~PrivateKey();  // wipes itself
    new (&key) crypto::PrivateKey();
  }
  size_ = 0;
}

bool HostKeys::has(crypto::KeyType type) const {
  for (std::size_t i = 0; i < size_; ++i)
    if (keys_[i].type() == type) return true;
  return false;
}

void make_default_host_key(const DefaultHostKey& wanted, crypto::Random& random) {
  crypto::PrivateKey key;
  crypto::Secret<largest_file> text;
  wire::Writer out(text.space());
  if (!crypto::PrivateKey::generate(wanted.type, random, key) || !crypto::write_dropbear_key(key, out) ||
      !out.ok())
    return complain(wanted.path, "cannot be made");
  const int error = write_new_file(wanted.path, out.written());
  if (error == EEXIST) return;  // made by another connection meanwhile
  if (error != 0) return complain(wanted.path, error_text(error));
  log_notice(LogLine("Generated hostkey ").add(wanted.path));
}

}  // namespace sshape::posix

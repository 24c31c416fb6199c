#include "core/crypto/hash.hpp"

#include "core/crypto/must.hpp"
#include "core/wire/writer.hpp"

namespace sshape::crypto {

namespace {

std::size_t size_of(HashAlgorithm algorithm) {
  switch (algorithm) {
    case HashAlgorithm::sha256: return 32;
    case HashAlgorithm::sha384: return 48;
    case HashAlgorithm::sha512: return 64;
  }
  return 0;
}

}  // namespace

Hash::Hash(HashAlgorithm algorithm) : algorithm_(algorithm), sha512_{} {
  switch (algorithm_) {
    case HashAlgorithm::sha256: must_succeed(wc_InitSha256(&sha256_)); return;
    case HashAlgorithm::sha384: must_succeed(wc_InitSha384(&sha512_)); return;
    case HashAlgorithm::sha512: must_succeed(wc_InitSha512(&sha512_)); return;
  }
}

Hash::~Hash() { wipe(std::as_writable_bytes(std::span(&sha512_, 1))); }

Hash& Hash::update(Bytes bytes) {
  const auto size = static_cast<word32>(bytes.size());
  switch (algorithm_) {
    case HashAlgorithm::sha256: must_succeed(wc_Sha256Update(&sha256_, uchars(bytes), size)); break;
    case HashAlgorithm::sha384: must_succeed(wc_Sha384Update(&sha512_, uchars(bytes), size)); break;
    case HashAlgorithm::sha512: must_succeed(wc_Sha512Update(&sha512_, uchars(bytes), size)); break;
  }
  return *this;
}

Hash& Hash::string(Bytes value) {
  std::array<std::byte, 4> length;
  wire::store_uint32(length.data(), static_cast<std::uint32_t>(value.size()));
  return update(length).update(value);
}

Hash& Hash::mpint(Bytes magnitude) {
  while (!magnitude.empty() && magnitude[0] == std::byte{0}) magnitude = magnitude.subspan(1);
  const bool sign_bit = !magnitude.empty() && (magnitude[0] & std::byte{0x80}) != std::byte{0};
  std::array<std::byte, 5> head{};  // length, and a zero that keeps the number positive
  wire::store_uint32(head.data(), static_cast<std::uint32_t>(magnitude.size() + (sign_bit ? 1 : 0)));
  return update(Bytes(head).first(sign_bit ? 5 : 4)).update(magnitude);
}

Digest Hash::finish() {
  Digest digest;
  digest.size = size_of(algorithm_);
  switch (algorithm_) {
    case HashAlgorithm::sha256: must_succeed(wc_Sha256Final(&sha256_, uchars(MutableBytes(digest.value)))); break;
    case HashAlgorithm::sha384: must_succeed(wc_Sha384Final(&sha512_, uchars(MutableBytes(digest.value)))); break;
    case HashAlgorithm::sha512: must_succeed(wc_Sha512Final(&sha512_, uchars(MutableBytes(digest.value)))); break;
  }
  return digest;
}

Digest hash(HashAlgorithm algorithm, Bytes bytes) { return Hash(algorithm).update(bytes).finish(); }

}  // namespace sshape::crypto

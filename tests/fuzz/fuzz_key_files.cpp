// Private key files, base64, fingerprints, signatures of strangers.
#include "core/crypto/key_files.hpp"
#include "core/crypto/public_key.hpp"
#include "tests/fuzz/input.hpp"

using namespace sshape;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  std::byte space[4096];
  char comment[64];
  const std::uint8_t choice = input.byte();
  if (choice == 0) {
    const Bytes blob = input.take(51);
    (void)crypto::verify("ssh-ed25519", blob, bytes_of("message"), input.rest());
    (void)crypto::fingerprint(blob);
    return 0;
  }
  const Bytes rest = input.rest();
  crypto::PrivateKey key;
  if (choice == 1) {
    (void)crypto::read_private_key(text_of(rest), space, key, comment);
    return 0;
  }
  // The binary inside, armoured here so that mutation reaches it.
  static std::byte text[70'000];
  wire::Writer out(text);
  out.raw(bytes_of("-----BEGIN OPENSSH PRIVATE KEY-----\n"));
  crypto::base64_encode(rest.first(std::min<std::size_t>(rest.size(), 3'000)), out);
  out.raw(bytes_of("\n-----END OPENSSH PRIVATE KEY-----\n"));
  (void)crypto::read_private_key(text_of(out.written()), space, key, comment);
  return 0;
}

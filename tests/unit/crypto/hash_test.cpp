#include <gtest/gtest.h>

#include <string>

#include "core/crypto/hash.hpp"
#include "core/crypto/hmac_sha1.hpp"
#include "tests/support/hex.hpp"

namespace sshape::crypto {
namespace {

using test::hex;

struct Example {
  HashAlgorithm algorithm;
  std::string message;
  const char* digest;
};

// The examples that NIST publishes for FIPS 180-4, and the empty message.
const std::string two_blocks_256 = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
const std::string two_blocks_512 =
    "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu";
const Example examples[] = {
    {HashAlgorithm::sha256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {HashAlgorithm::sha256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {HashAlgorithm::sha256, two_blocks_256, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    {HashAlgorithm::sha256, std::string(1'000'000, 'a'),
     "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
    {HashAlgorithm::sha384, "",
     "38b060a751ac96384cd9327eb1b1e36a21fdb71114be07434c0cc7bf63f6e1da274edebfe76f65fbd51ad2f14898b95b"},
    {HashAlgorithm::sha384, "abc",
     "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"},
    {HashAlgorithm::sha384, two_blocks_512,
     "09330c33f71147e83d192fc782cd1b4753111b173b3b05d22fa08086e3b0f712fcc7c71a557e2db966c3e9fa91746039"},
    {HashAlgorithm::sha384, std::string(1'000'000, 'a'),
     "9d0e1809716474cb086e834e310a4a1ced149e9c00f248527972cec5704c2a5b07b8b3dc38ecc4ebae97ddd87f3d8985"},
    {HashAlgorithm::sha512, "",
     "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d2877eec2f63b931bd"
     "47417a81a538327af927da3e"},
    {HashAlgorithm::sha512, "abc",
     "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423"
     "643ce80e2a9ac94fa54ca49f"},
    {HashAlgorithm::sha512, two_blocks_512,
     "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018501d289e4900f7e4331b99dec4b5433ac7d329ee"
     "b6dd26545e96e55b874be909"},
    {HashAlgorithm::sha512, std::string(1'000'000, 'a'),
     "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973ebde0ff244877ea60a4cb0432ce577c31beb009c5c"
     "2c49aa2e4eadb217ad8cc09b"},
};

TEST(Fips180_4, DigestsAreThoseOfTheExamples) {
  for (const Example& example : examples)
    EXPECT_TRUE(same_bytes(hash(example.algorithm, bytes_of(example.message)).bytes(), hex(example.digest)))
        << example.digest;
}

TEST(Fips180_4, DigestsAreTheSameInPieces) {
  for (const Example& example : examples) {
    Hash pieces(example.algorithm);
    Bytes rest = bytes_of(example.message);
    for (std::size_t size = 0; !rest.empty(); size = size * 2 + 1) {
      const std::size_t now = std::min(size, rest.size());
      pieces.update(rest.first(now));
      rest = rest.subspan(now);
    }
    EXPECT_TRUE(same_bytes(pieces.finish().bytes(), hex(example.digest))) << example.digest;
  }
}

TEST(Rfc2202_3, HmacSha1IsThatOfTheTestCases) {
  const auto key = hex("0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b");
  EXPECT_TRUE(same_bytes(hmac_sha1(key, bytes_of("Hi There")), hex("b617318655057264e28bc0b6fb378c8ef146be00")));
  EXPECT_TRUE(same_bytes(hmac_sha1(bytes_of("Jefe"), bytes_of("what do ya want for nothing?")),
                         hex("effcdf6ae5eb2fa2d27416d5f184df9c259a7c79")));
  const std::vector<std::byte> long_key(80, std::byte{0xaa});
  EXPECT_TRUE(same_bytes(hmac_sha1(long_key, bytes_of("Test Using Larger Than Block-Size Key - Hash Key First")),
                         hex("aa4ae5e15272d00e95705637ce8a3b55ed402112")));
  // Of nothing, by Python's hmac: a file may say so.
  EXPECT_TRUE(same_bytes(hmac_sha1({}, {}), hex("fbdb1d1b18aa6c08324b7d64b71fb76370690e1d")));
}

TEST(Rfc4251_5, AHashTakesStringsAndMpintsAsTheWireHasThem) {
  Hash typed(HashAlgorithm::sha256), wire(HashAlgorithm::sha256);
  typed.string(bytes_of("testing")).string({});
  typed.mpint({}).mpint(hex("0000")).mpint(hex("09a378f9b2e332a7")).mpint(hex("80")).mpint(hex("000080"));
  wire.update(hex("00000007 74657374696e67 00000000"));
  wire.update(hex("00000000 00000000 00000008 09a378f9b2e332a7 00000002 0080 00000002 0080"));
  EXPECT_TRUE(same_bytes(typed.finish().bytes(), wire.finish().bytes()));
}

}  // namespace
}  // namespace sshape::crypto

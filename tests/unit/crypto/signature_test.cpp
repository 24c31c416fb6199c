#include <gtest/gtest.h>

#include <array>

#include "core/crypto/private_key.hpp"
#include "core/crypto/public_key.hpp"
#include "core/wire/reader.hpp"
#include "tests/support/hex.hpp"
#include "tests/support/seeded.hpp"

namespace sshape::crypto {
namespace {

using test::hex;
using Blob = std::vector<std::byte>;

// RFC 8032, 7.1, tests 1 to 3 and SHA(abc).
struct Signature {
  const char* seed;
  const char* public_key;
  const char* message;
  const char* signature;
};
constexpr Signature signatures[] = {
    {"9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
     "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
     "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
     "d25bf5f0595bbe24655141438e7a100b"},
    {"4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
     "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
     "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c"
     "387b2eaeb4302aeeb00d291612bb0c00"},
    {"c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
     "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
     "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc659"
     "4a7c15e9716ed28dc027beceea1ec40a"},
    {"833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
     "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
     "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd"
     "454d4423643ce80e2a9ac94fa54ca49f",
     "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e030"
     "3dca179c138ac17ad9bef1177331a704"},
};

Blob blob_of(Bytes public_key) {
  std::array<std::byte, 64> space;
  wire::Writer out(space);
  out.string(std::string_view("ssh-ed25519")).string(public_key);
  return {out.written().begin(), out.written().end()};
}

Blob signature_blob(std::string_view algorithm, Bytes signature) {
  std::array<std::byte, 128> space;
  wire::Writer out(space);
  out.string(algorithm).string(signature);
  return {out.written().begin(), out.written().end()};
}

TEST(Rfc8032_7_1, SignaturesAreAsPublishedAndVerify) {
  for (const Signature& example : signatures) {
    PrivateKey key;
    ASSERT_TRUE(PrivateKey::from_ed25519_seed(hex(example.seed), key));
    EXPECT_TRUE(same_bytes(key.ed25519_public(), hex(example.public_key)));
    std::array<std::byte, 83> signature_space;
    std::array<std::byte, 51> blob_space;
    wire::Writer signature(signature_space), blob(blob_space);
    const auto message = hex(example.message);
    ASSERT_TRUE(key.sign("ssh-ed25519", message, signature));
    key.public_blob(blob);
    EXPECT_TRUE(same_bytes(blob.written(), blob_of(hex(example.public_key))));
    EXPECT_TRUE(same_bytes(signature.written(), signature_blob("ssh-ed25519", hex(example.signature))));
    EXPECT_TRUE(verify("ssh-ed25519", blob.written(), message, signature.written()));
  }
}

TEST(Rfc8709_6, ASignatureWithAnyByteChangedIsRefused) {
  const Signature& example = signatures[2];
  const auto message = hex(example.message);
  const auto key = blob_of(hex(example.public_key));
  const auto good = signature_blob("ssh-ed25519", hex(example.signature));
  for (std::size_t i = 0; i < good.size(); ++i) {
    auto forged = good;
    forged[i] ^= std::byte{1};
    EXPECT_FALSE(verify("ssh-ed25519", key, message, forged)) << i;
  }
  for (std::size_t i = 0; i < key.size(); ++i) {
    auto other = key;
    other[i] ^= std::byte{1};
    EXPECT_FALSE(verify("ssh-ed25519", other, message, good)) << i;
  }
  EXPECT_FALSE(verify("ssh-ed25519", key, hex("af83"), good));
  EXPECT_FALSE(verify("ssh-ed25519", key, {}, good));
}

TEST(Rfc8709_6, BlobsCutShortOrProlongedAreRefused) {
  const Signature& example = signatures[2];
  const auto message = hex(example.message);
  auto key = blob_of(hex(example.public_key));
  auto good = signature_blob("ssh-ed25519", hex(example.signature));
  for (std::size_t cut = 0; cut < key.size(); ++cut)
    EXPECT_FALSE(verify("ssh-ed25519", Bytes(key).first(cut), message, good)) << cut;
  for (std::size_t cut = 0; cut < good.size(); ++cut)
    EXPECT_FALSE(verify("ssh-ed25519", key, message, Bytes(good).first(cut))) << cut;
  key.push_back(std::byte{0});
  EXPECT_STREQ(verify("ssh-ed25519", key, message, good).error().text, "malformed public key");
  key.pop_back();
  good.push_back(std::byte{0});
  EXPECT_STREQ(verify("ssh-ed25519", key, message, good).error().text, "malformed signature");
}

TEST(Rfc8709_4, KeysAre32BytesAndSignatures64) {
  const auto key = hex(signatures[0].public_key), signature = hex(signatures[0].signature);
  auto long_key = key, long_signature = signature;
  long_key.push_back(std::byte{0});
  long_signature.push_back(std::byte{0});
  const auto text = [](Bytes key_blob, Bytes signature) {
    const Status status = verify("ssh-ed25519", key_blob, {}, signature);
    return std::string_view(status ? "accepted" : status.error().text);
  };
  const auto good = signature_blob("ssh-ed25519", signature);
  for (const Bytes wrong : {Bytes(key).first(31), Bytes(long_key), Bytes()})
    EXPECT_EQ(text(blob_of(wrong), good), "ssh-ed25519: the public key is not 32 bytes long");
  for (const Bytes wrong : {Bytes(signature).first(63), Bytes(long_signature), Bytes()})
    EXPECT_EQ(text(blob_of(key), signature_blob("ssh-ed25519", wrong)), "ssh-ed25519: the signature is not 64 bytes long");
}

TEST(Rfc4253_6_6, TheFaultSaysWhichNameWasWrong) {
  const auto key = blob_of(hex(signatures[0].public_key));
  const auto good = signature_blob("ssh-ed25519", hex(signatures[0].signature));
  const auto text = [](const Status& status) { return std::string_view(status ? "accepted" : status.error().text); };
  auto rsa = key;
  rsa[10] = std::byte{'x'};
  EXPECT_EQ(text(verify("ssh-ed25519", rsa, {}, good)), "the key's type is not that of the signature algorithm agreed on");
  EXPECT_EQ(text(verify("ssh-ed25519", key, {}, signature_blob("ssh-rsa", hex(signatures[0].signature)))),
            "the signature's algorithm is not the one agreed on");
  for (const char* unknown : {"ssh-dss", "ssh-rsa", "ssh-ed448", "", "ssh-ed25519 "})
    EXPECT_EQ(text(verify(unknown, key, {}, good)), "signature algorithm not in this build") << unknown;
  auto forged = good;
  forged.back() ^= std::byte{1};
  EXPECT_EQ(text(verify("ssh-ed25519", key, {}, forged)), "the signature is wrong");
}

// S + L is the same number to a lax verifier: one signature would have two forms.
TEST(Rfc8032_5_1_7, ASignatureWhoseSIsNotBelowTheOrderIsRefused) {
  const auto order = hex("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010");
  for (const Signature& example : signatures) {
    auto signature = hex(example.signature);
    unsigned carry = 0;
    for (std::size_t i = 0; i < 32; ++i) {
      carry += std::to_integer<unsigned>(signature[32 + i]) + std::to_integer<unsigned>(order[i]);
      signature[32 + i] = static_cast<std::byte>(carry);
      carry >>= 8;
    }
    EXPECT_FALSE(verify("ssh-ed25519", blob_of(hex(example.public_key)), hex(example.message),
                        signature_blob("ssh-ed25519", signature)));
  }
}

// With a key of small order one signature fits many messages.
TEST(Ed25519, AKeyOfSmallOrderVerifiesNothing) {
  Blob signature(64);
  signature[0] = std::byte{1};  // R the neutral element, S zero
  for (const char* point : {"0100000000000000000000000000000000000000000000000000000000000000",
                            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
                            "0000000000000000000000000000000000000000000000000000000000000000",
                            "0000000000000000000000000000000000000000000000000000000000000080",
                            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
                            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"})
    for (const char* message : {"", "00", "01", "02", "03", "04", "05", "06", "07"})
      EXPECT_FALSE(verify("ssh-ed25519", blob_of(hex(point)), hex(message), signature_blob("ssh-ed25519", signature)))
          << point;
}

TEST(PrivateKey, IsMadeFrom32BytesOfRandomness) {
  test::Seeded random(6), again(6);
  PrivateKey key;
  ASSERT_TRUE(PrivateKey::generate(KeyType::ed25519, random, key));
  EXPECT_EQ(key.type_name(), "ssh-ed25519");
  std::array<std::byte, 32> drawn;
  again.fill(drawn);
  EXPECT_TRUE(same_bytes(key.ed25519_seed(), drawn));
  EXPECT_FALSE(PrivateKey::generate(KeyType::none, random, key));
}

TEST(PrivateKey, OfAnotherSizeIsRefused) {
  PrivateKey key;
  for (const std::size_t size : {0u, 31u, 33u, 64u}) EXPECT_FALSE(PrivateKey::from_ed25519_seed(Blob(size), key)) << size;
  EXPECT_EQ(key.type(), KeyType::none);
  std::array<std::byte, 83> space;
  wire::Writer out(space);
  EXPECT_FALSE(key.sign("ssh-ed25519", {}, out)) << "no key";
}

TEST(PrivateKey, SignsWithItsOwnAlgorithmAloneAndOnlyIntoEnoughSpace) {
  PrivateKey key;
  ASSERT_TRUE(PrivateKey::from_ed25519_seed(hex(signatures[0].seed), key));
  std::array<std::byte, 83> space;
  for (const char* other : {"ssh-rsa", "rsa-sha2-256", ""}) {
    wire::Writer out(space);
    EXPECT_FALSE(key.sign(other, {}, out)) << other;
  }
  for (std::size_t size = 0; size < space.size(); ++size) {
    wire::Writer out(MutableBytes(space).first(size));
    EXPECT_FALSE(key.sign("ssh-ed25519", {}, out)) << size;
  }
}

TEST(Secret, IsWipedWhenItEndsAndWhenItIsCleared) {
  using Password = Secret<40>;
  alignas(Password) std::array<std::byte, sizeof(Password)> storage{};
  auto* secret = ::new (storage.data()) Password;
  const auto holds = [&] { return text_of(storage).find("hunter2") != std::string_view::npos; };
  ASSERT_TRUE(secret->assign(bytes_of("hunter2")));
  EXPECT_TRUE(holds());
  secret->clear();
  EXPECT_FALSE(holds());
  ASSERT_TRUE(secret->assign(bytes_of("hunter2")));
  EXPECT_FALSE(secret->assign(Blob(41)));
  EXPECT_EQ(text_of(secret->bytes()), "hunter2") << "one byte too many changes nothing";
  secret->~Password();
  EXPECT_FALSE(holds());
}

TEST(Secret, AreTheSameOnlyIfEveryByteIs) {
  for (std::size_t size = 0; size < 70; ++size) {
    Blob a(size, std::byte{0x5a}), b = a;
    EXPECT_TRUE(same_secret(a, b));
    for (std::size_t i = 0; i < size; ++i) {
      b[i] ^= std::byte{0x80};
      EXPECT_FALSE(same_secret(a, b)) << i;
      b[i] = a[i];
    }
    b.push_back(std::byte{0});
    EXPECT_FALSE(same_secret(a, b));
  }
}

}  // namespace
}  // namespace sshape::crypto

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "core/crypto/key_agreement.hpp"
#include "core/crypto/key_files.hpp"
#include "core/crypto/packet_cipher.hpp"
#include "core/crypto/public_key.hpp"
#include "core/wire/reader.hpp"
#include "tests/support/hex.hpp"
#include "tests/support/seeded.hpp"
#include "tests/unit/crypto/openssh_key.hpp"
#include "tests/unit/crypto/packet_vectors.inc"

namespace sshape::crypto {
namespace {

using test::hex;

std::vector<std::byte> bytes(std::span<const unsigned char> from) {
  const auto span = std::as_bytes(from);
  return {span.begin(), span.end()};
}

TEST(Fips180, ShaOfAbc) {
  const Bytes abc = bytes_of("abc");
  EXPECT_TRUE(same_bytes(hash(HashAlgorithm::sha256, abc).bytes(),
                         hex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")));
  EXPECT_TRUE(same_bytes(hash(HashAlgorithm::sha384, abc).bytes(),
                         hex("cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed"
                             "8086072ba1e7cc2358baeca134c825a7")));
  EXPECT_TRUE(same_bytes(hash(HashAlgorithm::sha512, abc).bytes(),
                         hex("ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                             "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f")));
}

// --- packets --------------------------------------------------------------------------------------

struct Sealed {
  const char* name;
  CipherAlgorithm algorithm;
  std::uint32_t sequence;
  int invocations_before;
  std::span<const unsigned char> sealed;
  std::span<const unsigned char> clear;
};
const Sealed packets[] = {
    {"chacha 0", CipherAlgorithm::chacha20_poly1305, 0, 0, chacha_0, clear_8},
    {"chacha 7", CipherAlgorithm::chacha20_poly1305, 7, 0, chacha_7, clear_8},
    {"chacha 2^32-1", CipherAlgorithm::chacha20_poly1305, 0xffffffff, 0, chacha_4294967295, clear_8},
    {"gcm128 first", CipherAlgorithm::aes128_gcm, 0, 0, gcm128_0, clear_16},
    {"gcm128 second", CipherAlgorithm::aes128_gcm, 1, 1, gcm128_1, clear_16},
    {"gcm256 first", CipherAlgorithm::aes256_gcm, 0, 0, gcm256_0, clear_16},
    {"gcm256 second", CipherAlgorithm::aes256_gcm, 1, 1, gcm256_1, clear_16},
};

void start(PacketCipher& cipher, const Sealed& packet) {
  std::array<std::byte, 64> key;
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::byte>(i);
  std::array<std::byte, 12> iv;
  for (std::size_t i = 0; i < iv.size(); ++i) iv[i] = static_cast<std::byte>(100 + i);
  const CipherShape shape = shape_of(packet.algorithm);
  cipher.start(packet.algorithm, Bytes(key).first(shape.key), Bytes(iv).first(shape.iv));
  for (int i = 0; i < packet.invocations_before; ++i) {
    std::array<std::byte, 36> other{};
    cipher.seal(0, other);
  }
}

TEST(PacketCipher, SealsAsAnIndependentImplementationDoes) {
  for (const Sealed& packet : packets) {
    PacketCipher cipher;
    start(cipher, packet);
    auto work = bytes(packet.clear);
    work.resize(work.size() + cipher.shape().tag);
    cipher.seal(packet.sequence, work);
    EXPECT_TRUE(same_bytes(work, bytes(packet.sealed))) << packet.name;
  }
}

TEST(PacketCipher, OpensWhatAnIndependentImplementationSealed) {
  for (const Sealed& packet : packets) {
    PacketCipher cipher;
    start(cipher, packet);
    auto work = bytes(packet.sealed);
    EXPECT_EQ(cipher.length(packet.sequence, Bytes(work).first<4>()), packet.clear.size() - 4) << packet.name;
    ASSERT_TRUE(cipher.open(packet.sequence, work)) << packet.name;
    EXPECT_TRUE(same_bytes(Bytes(work).subspan(4, packet.clear.size() - 4), bytes(packet.clear.subspan(4))));
  }
}

TEST(PacketCipher, RefusesAPacketWithAnyByteChanged) {
  for (const Sealed& packet : packets) {
    for (std::size_t i = 0; i < packet.sealed.size(); ++i) {
      PacketCipher cipher;
      start(cipher, packet);
      auto work = bytes(packet.sealed);
      work[i] ^= std::byte{1};
      const auto forged = work;
      EXPECT_FALSE(cipher.open(packet.sequence, work)) << packet.name << " byte " << i;
      if (packet.algorithm == CipherAlgorithm::chacha20_poly1305) {
        EXPECT_EQ(work, forged) << "the tag is checked before a byte changes";
      }
    }
  }
}

// --- signatures (RFC 8032, 7.1, tests 1 to 3) -------------------------------------------------------

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
};

TEST(Rfc8032_7_1, SignaturesAreAsPublishedAndVerify) {
  for (const Signature& example : signatures) {
    PrivateKey key;
    ASSERT_TRUE(PrivateKey::from_ed25519_seed(hex(example.seed), key));
    EXPECT_TRUE(same_bytes(key.ed25519_public(), hex(example.public_key)));
    std::array<std::byte, 128> signature_space, blob_space;
    wire::Writer signature(signature_space), blob(blob_space);
    const auto message = hex(example.message);
    ASSERT_TRUE(key.sign("ssh-ed25519", message, signature));
    key.public_blob(blob);
    wire::Reader parts(signature.written());
    EXPECT_EQ(parts.text(), "ssh-ed25519");
    EXPECT_TRUE(same_bytes(parts.string(), hex(example.signature)));
    EXPECT_TRUE(verify("ssh-ed25519", blob.written(), message, signature.written()));

    for (std::size_t i = 0; i < signature.size(); ++i) {
      auto forged = std::vector<std::byte>(signature.written().begin(), signature.written().end());
      forged[i] ^= std::byte{1};
      EXPECT_FALSE(verify("ssh-ed25519", blob.written(), message, forged)) << i;
    }
    for (std::size_t cut = 0; cut < blob.size(); ++cut)
      EXPECT_FALSE(verify("ssh-ed25519", blob.written().first(cut), message, signature.written()));
  }
}

// --- key agreement --------------------------------------------------------------------------------

class Fixed final : public Random {
 public:
  explicit Fixed(std::vector<std::byte> value) : value_(std::move(value)) {}
  void fill(MutableBytes space) override {
    for (std::size_t i = 0; i < space.size(); ++i) space[i] = value_[i % value_.size()];
  }

 private:
  std::vector<std::byte> value_;
};

// RFC 7748, 6.1: Alice's and Bob's keys and their shared secret.
TEST(Rfc7748_6_1, BothSidesReachThePublishedSecret) {
  const auto alice_public = hex("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a");
  const auto bob_public = hex("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f");
  const auto shared = hex("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742");
  Fixed bob(hex("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb"));
  std::array<std::byte, 32> space;
  wire::Writer share(space);
  SharedSecret secret;
  ASSERT_TRUE(KeyAgreement::respond(KexAlgorithm::curve25519_sha256, alice_public, bob, share, secret));
  EXPECT_TRUE(same_bytes(share.written(), bob_public));
  EXPECT_TRUE(same_bytes(secret.value.bytes(), shared));
  EXPECT_FALSE(secret.as_string);

  KeyAgreement client;
  Fixed bob_as_client(hex("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb"));
  wire::Writer client_share(space);
  ASSERT_TRUE(client.start_client(KexAlgorithm::curve25519_sha256, bob_as_client, client_share));
  EXPECT_TRUE(same_bytes(client_share.written(), bob_public));
  ASSERT_TRUE(client.finish_client(alice_public, secret));
  EXPECT_TRUE(same_bytes(secret.value.bytes(), shared));
}

TEST(Rfc8731_3, AnAllZeroSecretIsRefused) {
  test::Seeded random(1);
  std::array<std::byte, 32> space;
  for (const char* point : {"0000000000000000000000000000000000000000000000000000000000000000",
                            "0100000000000000000000000000000000000000000000000000000000000000",
                            "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"}) {
    wire::Writer share(space);
    SharedSecret secret;
    EXPECT_FALSE(KeyAgreement::respond(KexAlgorithm::curve25519_sha256, hex(point), random, share, secret)) << point;
  }
}

TEST(HybridExchange, BothSidesAgreeAndTheSecretIsAString_FieldReport27) {
  test::Seeded random(2);
  std::array<std::byte, KeyAgreement::client_share_limit> client_space;
  std::array<std::byte, KeyAgreement::server_share_limit> server_space;
  wire::Writer client_share(client_space), server_share(server_space);
  KeyAgreement client;
  SharedSecret at_client, at_server;
  ASSERT_TRUE(client.start_client(KexAlgorithm::mlkem768x25519_sha256, random, client_share));
  EXPECT_EQ(client_share.size(), 1184u + 32u);
  ASSERT_TRUE(KeyAgreement::respond(KexAlgorithm::mlkem768x25519_sha256, client_share.written(), random, server_share,
                                    at_server));
  EXPECT_EQ(server_share.size(), 1088u + 32u);
  ASSERT_TRUE(client.finish_client(server_share.written(), at_client));
  EXPECT_TRUE(same_bytes(at_client.value.bytes(), at_server.value.bytes()));
  EXPECT_TRUE(at_client.as_string && at_server.as_string);

  // As a string: its length, then 32 bytes, whatever the first bit is.
  Hash expected(HashAlgorithm::sha256), got(HashAlgorithm::sha256);
  expected.update(hex("00000020")).update(at_client.value.bytes());
  at_client.add_to(got);
  EXPECT_TRUE(same_bytes(expected.finish().bytes(), got.finish().bytes()));
}

TEST(HybridExchange, SharesOneByteOffAreRefused) {
  test::Seeded random(3);
  std::array<std::byte, 2000> client_space{}, server_space;
  KeyAgreement client;
  wire::Writer share{MutableBytes(client_space)};
  ASSERT_TRUE(client.start_client(KexAlgorithm::mlkem768x25519_sha256, random, share));
  SharedSecret secret;
  for (const std::size_t size : {0u, 32u, 1215u, 1217u}) {
    wire::Writer out{MutableBytes(server_space)};
    EXPECT_FALSE(KeyAgreement::respond(KexAlgorithm::mlkem768x25519_sha256, Bytes(client_space).first(size), random, out,
                                       secret)) << size;
  }
  for (const std::size_t size : {0u, 32u, 1119u, 1121u})
    EXPECT_FALSE(client.finish_client(Bytes(server_space).first(size), secret)) << size;
  for (const std::size_t size : {0u, 31u, 33u}) {
    wire::Writer out{MutableBytes(server_space)};
    EXPECT_FALSE(KeyAgreement::respond(KexAlgorithm::curve25519_sha256, Bytes(client_space).first(size), random, out, secret));
  }
}

TEST(Fips203_7_2, AnEncapsulationKeyThatIsNotReducedIsRefused) {
  test::Seeded random(4);
  std::array<std::byte, 2000> space, server_space;
  KeyAgreement client;
  wire::Writer share{MutableBytes(space)};
  ASSERT_TRUE(client.start_client(KexAlgorithm::mlkem768x25519_sha256, random, share));
  SharedSecret secret;
  // The first coefficient: 3328 is the largest, 3329 one past it.
  const auto with = [&](unsigned coefficient) {
    space[0] = static_cast<std::byte>(coefficient & 0xff);
    space[1] = static_cast<std::byte>((std::to_integer<unsigned>(space[1]) & 0xf0) | coefficient >> 8);
    wire::Writer out{MutableBytes(server_space)};
    return KeyAgreement::respond(KexAlgorithm::mlkem768x25519_sha256, share.written(), random, out, secret).has_value();
  };
  EXPECT_TRUE(with(3328));
  EXPECT_FALSE(with(3329));
  EXPECT_FALSE(with(4095));
}

// --- key files ------------------------------------------------------------------------------------

TEST(KeyFiles, AKeyMadeBySshKeygenIsRead) {
  std::array<std::byte, 1024> scratch;
  std::array<char, 32> comment{};
  PrivateKey key;
  const auto size = read_private_key(openssh_private, scratch, key, comment);
  ASSERT_TRUE(size) << size.error().text;
  EXPECT_EQ(std::string_view(comment.data(), *size), "ada@example");
  std::array<std::byte, 64> blob_space;
  wire::Writer blob(blob_space);
  key.public_blob(blob);
  EXPECT_EQ(fingerprint(blob.written()).text(), openssh_fingerprint);
  std::array<std::byte, 256> line_space;
  wire::Writer line(line_space);
  ASSERT_TRUE(write_public_line(blob.written(), "ada@example", line));
  EXPECT_EQ(text_of(line.written()), openssh_public);
}

TEST(KeyFiles, LineEndsOfAnyKindAndNoFinalNewlineAreRead) {
  std::string crlf;
  for (const char c : std::string_view(openssh_private)) crlf += c == '\n' ? "\r\n" : std::string(1, c);
  std::string bare(openssh_private);
  bare.pop_back();
  for (const std::string& text : {crlf, bare}) {
    std::array<std::byte, 1024> scratch;
    PrivateKey key;
    EXPECT_TRUE(read_private_key(text, scratch, key));
  }
}

TEST(KeyFiles, WhatIsWrittenIsReadAgain) {
  test::Seeded random(5);
  PrivateKey key, again;
  ASSERT_TRUE(PrivateKey::generate(KeyType::ed25519, random, key));
  std::array<std::byte, 2048> space, scratch;
  wire::Writer out{MutableBytes(space)};
  ASSERT_TRUE(write_private_key(key, "a comment", random, out));
  ASSERT_TRUE(read_private_key(text_of(out.written()), scratch, again));
  EXPECT_TRUE(same_bytes(key.ed25519_seed(), again.ed25519_seed()));
}

TEST(KeyFiles, LyingLengthsAnywhereGiveAClearError_FieldReport22) {
  const std::string_view text(openssh_private);
  const auto begin = text.find('\n') + 1;
  std::string base64;
  for (const char c : text.substr(begin, text.rfind("-----END") - begin))
    if (c != '\n') base64 += c;
  std::array<std::byte, 1024> binary;
  const auto size = base64_decode(base64, binary);
  ASSERT_TRUE(size);
  int refused = 0;
  for (std::size_t at = 15; at + 4 <= *size; ++at) {
    for (const std::uint32_t lie : {0u, 1u, 0x7fffffffu, 0xffffffffu}) {
      auto damaged = binary;
      wire::store_uint32(damaged.data() + at, lie);
      std::array<std::byte, 2048> armoured_space, scratch;
      wire::Writer armoured{MutableBytes(armoured_space)};
      armoured.raw(bytes_of("-----BEGIN OPENSSH PRIVATE KEY-----\n"));
      base64_encode(Bytes(damaged).first(*size), armoured);
      armoured.raw(bytes_of("\n-----END OPENSSH PRIVATE KEY-----\n"));
      PrivateKey key;
      const auto read = read_private_key(text_of(armoured.written()), scratch, key);
      if (!read) {
        EXPECT_STRNE(read.error().text, "");
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 400);
}

TEST(KeyFiles, AFileCutAnywhereIsRefused) {
  const std::string_view text(openssh_private);
  for (std::size_t cut = 0; cut + 2 < text.size(); ++cut) {
    std::array<std::byte, 1024> scratch;
    PrivateKey key;
    EXPECT_FALSE(read_private_key(text.substr(0, cut), scratch, key)) << cut;
  }
}

TEST(Rfc4648_10, Base64AsInTheTestVectors) {
  constexpr std::pair<std::string_view, std::string_view> examples[] = {
      {"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"fooba", "Zm9vYmE="}, {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, encoded] : examples) {
    std::array<std::byte, 16> space;
    wire::Writer out(space);
    base64_encode(bytes_of(plain), out);
    EXPECT_EQ(text_of(out.written()), encoded);
    std::array<std::byte, 16> decoded;
    const auto size = base64_decode(encoded, decoded);
    ASSERT_TRUE(size);
    EXPECT_EQ(text_of(Bytes(decoded).first(*size)), plain);
  }
  std::array<std::byte, 16> into;
  for (const char* bad : {"Zg=", "Zg", "Z===", "Zh==", "Zm9=", "Zm9v=", "Zm 9", "Zm9v\n"}) EXPECT_FALSE(base64_decode(bad, into)) << bad;
}

}  // namespace
}  // namespace sshape::crypto

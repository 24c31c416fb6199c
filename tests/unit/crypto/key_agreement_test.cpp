#include <gtest/gtest.h>

#include <wolfssl/wolfcrypt/sha3.h>
#include <wolfssl/wolfcrypt/wc_mlkem.h>

#include <array>

#include "core/crypto/key_agreement.hpp"
#include "core/crypto/offers.hpp"
#include "tests/support/hex.hpp"
#include "tests/support/seeded.hpp"
#include "tests/unit/crypto/hybrid_vectors.inc"

namespace sshape::crypto {
namespace {

using test::hex;
using Share = std::vector<std::byte>;

constexpr auto curve25519 = KexAlgorithm::curve25519_sha256;
constexpr auto hybrid = KexAlgorithm::mlkem768x25519_sha256;

// The client's and the server's messages.
struct Sizes {
  KexAlgorithm algorithm;
  std::size_t client;
  std::size_t server;
};
constexpr Sizes exchanges[] = {{curve25519, 32, 32}, {hybrid, 1184 + 32, 1088 + 32}};

class Fixed final : public Random {
 public:
  explicit Fixed(Bytes value) : value_(value.begin(), value.end()) {}
  void fill(MutableBytes space) override {
    for (std::byte& byte : space) byte = value_[next_++ % value_.size()];
  }

 private:
  std::vector<std::byte> value_;
  std::size_t next_ = 0;
};

Share start(KeyAgreement& client, KexAlgorithm algorithm, Random& random) {
  Share space(KeyAgreement::client_share_limit);
  wire::Writer out{MutableBytes(space)};
  EXPECT_TRUE(client.start_client(algorithm, random, out));
  space.resize(out.size());
  return space;
}

struct Answer {
  Share share;
  SharedSecret secret;
  std::string_view fault;
};

void answer(KexAlgorithm algorithm, Bytes client_share, Random& random, Answer& into) {
  into.share.resize(KeyAgreement::server_share_limit);
  wire::Writer out{MutableBytes(into.share)};
  const Status status = KeyAgreement::respond(algorithm, client_share, random, out, into.secret);
  into.share.resize(out.size());
  into.fault = status ? "" : status.error().text;
}

// --- curve25519-sha256 ------------------------------------------------------------------------------

// RFC 7748, 6.1: Alice's and Bob's keys and their shared secret.
TEST(Rfc7748_6_1, BothSidesReachThePublishedSecret) {
  const auto alice_public = hex("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a");
  const auto bob_public = hex("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f");
  const auto shared = hex("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742");
  const auto bob = hex("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb");
  Fixed as_server(bob), as_client(bob);
  Answer server;
  answer(curve25519, alice_public, as_server, server);
  EXPECT_EQ(server.fault, "");
  EXPECT_EQ(server.share, bob_public);
  EXPECT_TRUE(same_bytes(server.secret.value.bytes(), shared));
  EXPECT_FALSE(server.secret.as_string);

  KeyAgreement client;
  SharedSecret secret;
  EXPECT_EQ(start(client, curve25519, as_client), bob_public);
  ASSERT_TRUE(client.finish_client(alice_public, secret));
  EXPECT_TRUE(same_bytes(secret.value.bytes(), shared));
}

// RFC 7748, 5.2: the second point has its highest bit set, which is not part of the number.
TEST(Rfc7748_5_2, ScalarMultiplicationsAreThoseOfTheTestVectors) {
  constexpr const char* vectors[][3] = {
      {"a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
       "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
       "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552"},
      {"4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
       "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
       "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957"}};
  for (const auto& [scalar, point, product] : vectors) {
    Fixed random(hex(scalar));
    Answer server;
    answer(curve25519, hex(point), random, server);
    EXPECT_TRUE(same_bytes(server.secret.value.bytes(), hex(product))) << server.fault;
  }
}

// --- both ---------------------------------------------------------------------------------------------

TEST(KeyAgreement, BothSidesReachTheSameSecret) {
  test::Seeded random(2);
  for (const auto& [algorithm, client_size, server_size] : exchanges) {
    for (int i = 0; i < 50; ++i) {
      KeyAgreement client;
      SharedSecret secret;
      Answer server;
      const Share share = start(client, algorithm, random);
      EXPECT_EQ(share.size(), client_size);
      answer(algorithm, share, random, server);
      EXPECT_EQ(server.fault, "");
      EXPECT_EQ(server.share.size(), server_size);
      ASSERT_TRUE(client.finish_client(server.share, secret));
      EXPECT_EQ(secret.value.size(), 32u);
      EXPECT_TRUE(same_bytes(secret.value.bytes(), server.secret.value.bytes()));
      EXPECT_EQ(secret.as_string, algorithm == hybrid);
      EXPECT_EQ(server.secret.as_string, algorithm == hybrid);
    }
  }
}

// RFC 8731, 3; RFC 7748, 6.1: the points of small order, as they are and with the bit that does not count.
TEST(Rfc8731_3, AnAllZeroSecretIsRefusedByEitherSide) {
  test::Seeded random(1);
  for (const char* small : {"0000000000000000000000000000000000000000000000000000000000000000",
                            "0100000000000000000000000000000000000000000000000000000000000000",
                            "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
                            "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
                            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
                            "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
                            "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"}) {
    for (const unsigned top : {0x00u, 0x80u}) {
      auto point = hex(small);
      point.back() |= static_cast<std::byte>(top);
      for (const auto& [algorithm, client_size, server_size] : exchanges) {
        KeyAgreement client;
        SharedSecret secret;
        Answer server;
        Share share = start(client, algorithm, random);
        std::copy(point.begin(), point.end(), share.end() - 32);
        answer(algorithm, share, random, server);
        EXPECT_NE(server.fault, "") << small;
        EXPECT_EQ(server.secret.value.size(), 0u);

        Share from_server(server_size);
        std::copy(point.begin(), point.end(), from_server.end() - 32);
        const Status status = client.finish_client(from_server, secret);
        ASSERT_FALSE(status) << small;
        EXPECT_EQ(status.error().reason, Disconnect::key_exchange_failed);
        EXPECT_EQ(secret.value.size(), 0u);
      }
    }
  }
}

TEST(KeyAgreement, SharesOneByteOffAreRefusedWithTheirRightLength) {
  test::Seeded random(3);
  constexpr std::string_view texts[][2] = {
      {"curve25519: the client's public key is not 32 bytes long", "curve25519: the server's public key is not 32 bytes long"},
      {"mlkem768x25519: the client's share is not 1,216 bytes long",
       "mlkem768x25519: the server's share is not 1,120 bytes long"}};
  for (const auto& [algorithm, client_size, server_size] : exchanges) {
    const auto& [client_text, server_text] = texts[algorithm == hybrid];
    for (const std::size_t size : {std::size_t{0}, client_size - 1, client_size + 1, client_size + 32}) {
      Answer server;
      answer(algorithm, Share(size, std::byte{9}), random, server);
      EXPECT_EQ(server.fault, client_text) << size;
      EXPECT_TRUE(server.share.empty());
    }
    for (const std::size_t size : {std::size_t{0}, server_size - 1, server_size + 1, server_size + 32}) {
      KeyAgreement client;
      SharedSecret secret;
      start(client, algorithm, random);
      const Status status = client.finish_client(Share(size, std::byte{9}), secret);
      ASSERT_FALSE(status);
      EXPECT_EQ(status.error().text, server_text) << size;
    }
  }
}

TEST(KeyAgreement, FinishesOnceForEachStart) {
  test::Seeded random(7);
  for (const auto& [algorithm, client_size, server_size] : exchanges) {
    KeyAgreement client;
    SharedSecret secret;
    const Share nine(server_size, std::byte{9});
    EXPECT_FALSE(client.finish_client(nine, secret)) << "never started";
    start(client, algorithm, random);
    ASSERT_TRUE(client.finish_client(nine, secret));
    EXPECT_FALSE(client.finish_client(nine, secret)) << "its keys are gone";
    start(client, algorithm, random);
    client.clear();
    EXPECT_FALSE(client.finish_client(nine, secret));
  }
}

TEST(KeyAgreement, SaysWhenASharesSpaceIsTooSmall) {
  test::Seeded random(8);
  for (const auto& [algorithm, client_size, server_size] : exchanges) {
    Share space(KeyAgreement::client_share_limit);
    KeyAgreement client;
    wire::Writer small(MutableBytes(space).first(client_size - 1)), enough(MutableBytes(space).first(client_size));
    EXPECT_FALSE(client.start_client(algorithm, random, small));
    ASSERT_TRUE(client.start_client(algorithm, random, enough));
    SharedSecret secret;
    Share answer_space(server_size);
    wire::Writer too_small(MutableBytes(answer_space).first(server_size - 1));
    EXPECT_FALSE(KeyAgreement::respond(algorithm, enough.written(), random, too_small, secret));
  }
}

// --- mlkem768x25519-sha256 ------------------------------------------------------------------------------

TEST(HybridExchange, AClientIsAnsweredByAnIndependentImplementation) {
  const auto as_bytes = [](auto& array) { return std::as_bytes(std::span(array)); };
  Fixed random(as_bytes(hybrid_random)), again(as_bytes(hybrid_random));
  KeyAgreement client;
  SharedSecret secret;
  const Share share = start(client, hybrid, random);
  EXPECT_TRUE(same_bytes(hash(HashAlgorithm::sha256, share).bytes(), as_bytes(hybrid_client_share_sha256)));
  ASSERT_TRUE(client.finish_client(as_bytes(hybrid_server_share), secret));
  EXPECT_TRUE(same_bytes(secret.value.bytes(), as_bytes(hybrid_secret)));

  // FIPS 203, 6.3: a damaged ciphertext is not noticed, but gives a secret that nobody else has.
  Share damaged(as_bytes(hybrid_server_share).begin(), as_bytes(hybrid_server_share).end());
  damaged[0] ^= std::byte{1};
  start(client, hybrid, again);
  ASSERT_TRUE(client.finish_client(damaged, secret));
  EXPECT_TRUE(same_bytes(secret.value.bytes(), as_bytes(hybrid_secret_of_damaged_share)));
}

TEST(HybridExchange, TheSecretIsAStringWhateverItsFirstBit_FieldReport27) {
  for (const unsigned first : {0x00u, 0x01u, 0x80u, 0xffu}) {
    SharedSecret secret;
    Share value(32, std::byte{0x11});
    value[0] = static_cast<std::byte>(first);
    secret.value.assign(value);
    secret.as_string = true;
    Hash expected(HashAlgorithm::sha256), got(HashAlgorithm::sha256);
    expected.update(hex("00000020")).update(value);
    secret.add_to(got);
    EXPECT_TRUE(same_bytes(expected.finish().bytes(), got.finish().bytes()));
  }
}

TEST(Rfc8731_3_1, TheSecretOfCurve25519IsAnMpint) {
  struct Case {
    const char* first;
    const char* head;
  };
  for (const auto& [first, head] : {Case{"80", "00000021 00"}, Case{"7f", "00000020"}}) {
    SharedSecret secret;
    auto value = hex(first);
    value.resize(32, std::byte{0x22});
    secret.value.assign(value);
    Hash expected(HashAlgorithm::sha256), got(HashAlgorithm::sha256);
    expected.update(hex(head)).update(value);
    secret.add_to(got);
    EXPECT_TRUE(same_bytes(expected.finish().bytes(), got.finish().bytes()));
  }
}

TEST(Fips203_7_2, AnEncapsulationKeyThatIsNotReducedIsRefused) {
  test::Seeded random(4);
  KeyAgreement client;
  const Share good = start(client, hybrid, random);
  // 3328 is the largest coefficient, 3329 one past it; two of them in three bytes.
  const auto with = [&](std::size_t index, unsigned coefficient) {
    Share share = good;
    std::byte* at = share.data() + index / 2 * 3;
    if (index % 2 == 0) {
      at[0] = static_cast<std::byte>(coefficient);
      at[1] = (at[1] & std::byte{0xf0}) | static_cast<std::byte>(coefficient >> 8);
    } else {
      at[1] = (at[1] & std::byte{0x0f}) | static_cast<std::byte>(coefficient << 4);
      at[2] = static_cast<std::byte>(coefficient >> 4);
    }
    Answer server;
    answer(hybrid, share, random, server);
    return server.fault;
  };
  for (const std::size_t index : {0u, 1u, 15u, 16u, 255u, 256u, 511u, 512u, 766u, 767u}) {
    EXPECT_EQ(with(index, 3328), "") << index;
    for (const unsigned coefficient : {3329u, 3330u, 4095u})
      EXPECT_EQ(with(index, coefficient), "mlkem768x25519: the client's ML-KEM key has a coefficient above 3,328") << index;
  }
}

// The accumulated test of Go's crypto/mlkem (TestAccumulated, short): of a hundred keys, messages and
// random ciphertexts drawn from SHAKE-128, SHAKE-128 over the encapsulation keys, ciphertexts, secrets and
// secrets of the random ciphertexts.
TEST(Fips203, KeysSecretsAndRejectionsAreThoseOfGoOverAHundredExchanges) {
  wc_Shake source, sum;
  ASSERT_EQ(wc_InitShake128(&source, nullptr, INVALID_DEVID), 0);
  ASSERT_EQ(wc_InitShake128(&sum, nullptr, INVALID_DEVID), 0);
  constexpr std::size_t block = WC_SHA3_128_BLOCK_SIZE;
  constexpr std::size_t drawn_in_all = 100 * (64 + 32 + 1088);
  std::vector<unsigned char> stream((drawn_in_all / block + 1) * block);
  ASSERT_EQ(wc_Shake128_Absorb(&source, reinterpret_cast<const byte*>(""), 0), 0);
  ASSERT_EQ(wc_Shake128_SqueezeBlocks(&source, stream.data(), static_cast<word32>(stream.size() / block)), 0);
  const unsigned char* next = stream.data();
  for (int i = 0; i < 100; ++i) {
    MlKemKey key;
    std::array<unsigned char, 1184> encapsulation_key;
    std::array<unsigned char, 1088> ciphertext;
    std::array<unsigned char, 32> secret, opened, rejected;
    ASSERT_EQ(wc_MlKemKey_Init(&key, WC_ML_KEM_768, nullptr, INVALID_DEVID), 0);
    ASSERT_EQ(wc_MlKemKey_MakeKeyWithRandom(&key, next, 64), 0);
    ASSERT_EQ(wc_MlKemKey_EncodePublicKey(&key, encapsulation_key.data(), 1184), 0);
    ASSERT_EQ(wc_MlKemKey_EncapsulateWithRandom(&key, ciphertext.data(), secret.data(), next + 64, 32), 0);
    ASSERT_EQ(wc_MlKemKey_Decapsulate(&key, opened.data(), ciphertext.data(), 1088), 0);
    EXPECT_EQ(opened, secret);
    ASSERT_EQ(wc_MlKemKey_Decapsulate(&key, rejected.data(), next + 96, 1088), 0);
    wc_MlKemKey_Free(&key);
    next += 64 + 32 + 1088;
    wc_Shake128_Update(&sum, encapsulation_key.data(), 1184);
    wc_Shake128_Update(&sum, ciphertext.data(), 1088);
    wc_Shake128_Update(&sum, secret.data(), 32);
    wc_Shake128_Update(&sum, rejected.data(), 32);
  }
  std::array<unsigned char, 32> result;
  ASSERT_EQ(wc_Shake128_Final(&sum, result.data(), 32), 0);
  EXPECT_TRUE(same_bytes(std::as_bytes(std::span(result)),
                         hex("1114b1b6699ed191734fa339376afa7e285c9e6acf6ff0177d346696ce564415")));
}

}  // namespace
}  // namespace sshape::crypto

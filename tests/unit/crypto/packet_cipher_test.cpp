#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <new>

#include "core/crypto/algorithms.hpp"
#include "core/crypto/hash.hpp"
#include "core/crypto/packet_cipher.hpp"
#include "core/wire/writer.hpp"
#include "tests/support/hex.hpp"
#include "tests/unit/crypto/packet_vectors.inc"

namespace sshape::crypto {
namespace {

using test::hex;
using Packet = std::vector<std::byte>;

constexpr auto chacha = CipherAlgorithm::chacha20_poly1305;
constexpr auto gcm128 = CipherAlgorithm::aes128_gcm;
constexpr auto gcm256 = CipherAlgorithm::aes256_gcm;
constexpr CipherAlgorithm all[] = {chacha, gcm128, gcm256};

Packet bytes(std::span<const unsigned char> from) {
  const auto span = std::as_bytes(from);
  return {span.begin(), span.end()};
}

std::array<std::byte, 64> key_of_vectors() {
  std::array<std::byte, 64> key;
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::byte>(i);
  return key;
}

std::array<std::byte, 12> iv_of_vectors() {
  std::array<std::byte, 12> iv;
  for (std::size_t i = 0; i < iv.size(); ++i) iv[i] = static_cast<std::byte>(100 + i);
  return iv;
}

void start(PacketCipher& cipher, CipherAlgorithm algorithm) {
  const CipherShape shape = shape_of(algorithm);
  cipher.start(algorithm, Bytes(key_of_vectors()).first(shape.key), Bytes(iv_of_vectors()).first(shape.iv));
}

// Packets that an independent implementation sealed.
struct Sealed {
  const char* name;
  CipherAlgorithm algorithm;
  std::uint32_t sequence;
  std::span<const unsigned char> sealed;
  std::span<const unsigned char> clear;
};
const Sealed packets[] = {
    {"chacha 0", chacha, 0, chacha_0, clear_8},
    {"chacha 7", chacha, 7, chacha_7, clear_8},
    {"chacha 2^32-1", chacha, 0xffffffff, chacha_4294967295, clear_8},
    {"gcm128 first", gcm128, 0, gcm128_0, clear_16},
    {"gcm128 second", gcm128, 1, gcm128_1, clear_16},
    {"gcm256 first", gcm256, 0, gcm256_0, clear_16},
    {"gcm256 second", gcm256, 1, gcm256_1, clear_16},
};

// As far as the packet's invocation.
void start(PacketCipher& cipher, const Sealed& packet) {
  start(cipher, packet.algorithm);
  if (packet.algorithm == chacha) return;
  for (std::uint32_t i = 0; i < packet.sequence; ++i) {
    std::array<std::byte, 36> other{};
    cipher.seal(i, other);
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
    EXPECT_EQ(work, bytes(packet.sealed)) << "the length is read without changing it";
    ASSERT_TRUE(cipher.open(packet.sequence, work)) << packet.name;
    EXPECT_TRUE(same_bytes(Bytes(work).subspan(4, packet.clear.size() - 4), bytes(packet.clear.subspan(4))));
  }
}

struct Together {
  CipherAlgorithm algorithm;
  std::span<const unsigned char> digest;  // SHA-256 of all packets as sealed
};

TEST(PacketCipher, SealsAndOpensEveryLengthAsAnIndependentImplementationDoes) {
  for (const auto& [algorithm, expected] :
       {Together{chacha, chacha_together}, Together{gcm128, gcm128_together}, Together{gcm256, gcm256_together}}) {
    PacketCipher sender, receiver;
    start(sender, algorithm);
    start(receiver, algorithm);
    const std::size_t block = sender.shape().block;
    std::vector<std::size_t> lengths;
    for (std::size_t length = block; length <= 2048; length += block) lengths.push_back(length);
    lengths.insert(lengths.end(), {32'768, 32'784, 34'992, 262'144});
    Hash whole(HashAlgorithm::sha256);
    for (std::uint32_t number = 0; number < lengths.size(); ++number) {
      Packet clear(4 + lengths[number]);
      wire::store_uint32(clear.data(), static_cast<std::uint32_t>(lengths[number]));
      for (std::size_t i = 0; i < lengths[number]; ++i) clear[4 + i] = static_cast<std::byte>(number + 5 * i);
      Packet packet = clear;
      packet.resize(clear.size() + sender.shape().tag);
      sender.seal(number, packet);
      whole.update(packet);
      ASSERT_EQ(receiver.length(number, Bytes(packet).first<4>()), lengths[number]);
      ASSERT_TRUE(receiver.open(number, packet)) << lengths[number];
      EXPECT_TRUE(same_bytes(Bytes(packet).subspan(4, lengths[number]), Bytes(clear).subspan(4)));
    }
    EXPECT_TRUE(same_bytes(whole.finish().bytes(), bytes(expected)));
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
      const MutableBytes body = MutableBytes(work).subspan(4, packet.clear.size() - 4);
      if (packet.algorithm == chacha) {
        EXPECT_EQ(work, forged) << "the tag is checked before a byte changes";
      } else {
        EXPECT_TRUE(same_bytes(body, Packet(body.size()))) << "nothing that was deciphered is left";
      }
    }
  }
}

TEST(PacketCipher, RefusesAPacketOfAnotherSequenceNumberOrInvocation) {
  for (const Sealed& packet : packets) {
    PacketCipher cipher;
    start(cipher, packet.algorithm);
    std::array<std::byte, 36> skipped{};
    for (std::uint32_t i = 0; i < 5; ++i) cipher.seal(i, skipped);
    auto work = bytes(packet.sealed);
    EXPECT_FALSE(cipher.open(packet.sequence + 1, work)) << packet.name;
  }
}

TEST(PacketCipher, RefusesAPacketThatCannotHoldATag) {
  for (const CipherAlgorithm algorithm : all) {
    PacketCipher cipher;
    start(cipher, algorithm);
    for (std::size_t size = 0; size < 20; ++size) {
      Packet packet(size, std::byte{1});
      EXPECT_FALSE(cipher.open(0, packet)) << size;
    }
  }
}

TEST(PacketCipher, LetsNothingOutInTheClearWhenItsKeyWasUnusable) {
  for (const CipherAlgorithm algorithm : all) {
    const CipherShape shape = shape_of(algorithm);
    const auto key = key_of_vectors();
    const auto iv = iv_of_vectors();
    const std::pair<Bytes, Bytes> unusable[] = {{Bytes(key).first(shape.key - 1), Bytes(iv).first(shape.iv)},
                                                {Bytes(key).first(shape.key), Bytes(iv).first(shape.iv == 0 ? 1 : 11)}};
    for (const auto& [bad_key, bad_iv] : unusable) {
      PacketCipher cipher;
      cipher.start(algorithm, bad_key, bad_iv);
      Packet packet(100, std::byte{1});
      EXPECT_EQ(cipher.length(0, Bytes(packet).first<4>()), 0u);
      EXPECT_FALSE(cipher.open(0, packet));
      cipher.seal(0, packet);
      EXPECT_EQ(packet, Packet(100));
    }
  }
}

TEST(PacketCipher, TakesANewKeyAndForgetsTheOldOne) {
  for (const CipherAlgorithm before : all) {
    alignas(PacketCipher) std::array<std::byte, sizeof(PacketCipher)> storage{};
    const auto used = [&] { return std::ranges::count_if(storage, [](std::byte b) { return b != std::byte{0}; }); };
    auto* cipher = ::new (storage.data()) PacketCipher;
    start(*cipher, before);
    EXPECT_GT(used(), 64);
    cipher->start(CipherAlgorithm::none, {}, {});
    EXPECT_LT(used(), 32) << "the key and all that was made of it";
    Packet clear(32, std::byte{7});
    cipher->seal(0, clear);
    EXPECT_EQ(clear, Packet(32, std::byte{7})) << "none: in the clear";
    for (const Sealed& packet : packets) {
      start(*cipher, packet);
      auto work = bytes(packet.sealed);
      EXPECT_TRUE(cipher->open(packet.sequence, work)) << packet.name;
    }
    cipher->~PacketCipher();
    EXPECT_LT(used(), 32);
  }
}

// RFC 8439, A.1: the key stream of a key of zeros, here for both keys of the SSH construction.
TEST(Rfc8439_A1, LengthAndPayloadAreMaskedWithThePublishedKeyStream) {
  const auto block_0 = hex("76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
                           "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586");
  const auto block_1 = hex("9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed"
                           "29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f");
  const auto nonce_2 = hex("c2c64d37");  // test vector 5: nonce 0 .. 0 2, block 0
  PacketCipher cipher;
  cipher.start(chacha, Packet(64), {});
  Packet packet(4 + 64 + 16);
  cipher.seal(0, packet);
  EXPECT_TRUE(same_bytes(Bytes(packet).first(4), Bytes(block_0).first(4)));
  EXPECT_TRUE(same_bytes(Bytes(packet).subspan(4, 64), block_1));
  packet.assign(packet.size(), std::byte{0});
  cipher.seal(2, packet);
  EXPECT_TRUE(same_bytes(Bytes(packet).first(4), nonce_2));
}

TEST(Rfc8439_2_5_2, Poly1305IsThatOfTheExample) {
  const auto key = hex("85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b");
  const Bytes message = bytes_of("Cryptographic Forum Research Group");
  Poly1305 mac;
  std::array<std::byte, 16> tag;
  ASSERT_EQ(wc_Poly1305SetKey(&mac, uchars(Bytes(key)), 32), 0);
  ASSERT_EQ(wc_Poly1305Update(&mac, uchars(message), static_cast<word32>(message.size())), 0);
  ASSERT_EQ(wc_Poly1305Final(&mac, uchars(MutableBytes(tag))), 0);
  EXPECT_TRUE(same_bytes(tag, hex("a8061dc1305136c6c22b8baf0c0127a9")));
}

// Test cases 4 and 16 of the GCM submission that NIST published with SP 800-38D. SSH's associated data is
// always four bytes, so they go past our face: what they prove is this build of wolfCrypt.
TEST(Sp800_38d, GcmIsThatOfTheTestCasesInPlace) {
  const auto half = hex("feffe9928665731c6d6a8f9467308308");
  auto whole = half;
  whole.insert(whole.end(), half.begin(), half.end());
  const auto plain = hex("d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525"
                         "b16aedf5aa0de657ba637b39");
  const auto associated = hex("feedfacedeadbeeffeedfacedeadbeefabaddad2");
  const auto iv = hex("cafebabefacedbaddecaf888");
  struct Case {
    Bytes key;
    const char* cipher;
    const char* tag;
  };
  const Case cases[] = {{half,
                         "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa05"
                         "1ba30b396a0aac973d58e091",
                         "5bc94fbc3221a5db94fae95ae7121a47"},
                        {whole,
                         "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838"
                         "c5f61e6393ba7a0abcc9f662",
                         "76fc6ece0f4e1768cddf8853bb2d551b"}};
  for (const auto& [key, cipher, expected_tag] : cases) {
    Aes aes;
    ASSERT_EQ(wc_AesInit(&aes, nullptr, INVALID_DEVID), 0);
    ASSERT_EQ(wc_AesGcmSetKey(&aes, uchars(key), static_cast<word32>(key.size())), 0);
    auto work = plain;
    std::array<std::byte, 16> tag;
    ASSERT_EQ(wc_AesGcmEncrypt(&aes, uchars(MutableBytes(work)), uchars(Bytes(work)), static_cast<word32>(work.size()),
                               uchars(Bytes(iv)), 12, uchars(MutableBytes(tag)), 16, uchars(Bytes(associated)), 20), 0);
    EXPECT_TRUE(same_bytes(work, hex(cipher)));
    EXPECT_TRUE(same_bytes(tag, hex(expected_tag)));
    ASSERT_EQ(wc_AesGcmDecrypt(&aes, uchars(MutableBytes(work)), uchars(Bytes(work)), static_cast<word32>(work.size()),
                               uchars(Bytes(iv)), 12, uchars(Bytes(tag)), 16, uchars(Bytes(associated)), 20), 0);
    EXPECT_EQ(work, plain);
    wc_AesFree(&aes);
  }
}

TEST(Rfc5647_7_1, TheInvocationCounterWrapsAndLeavesTheFixedField) {
  auto iv = iv_of_vectors();
  for (std::size_t i = 4; i < iv.size(); ++i) iv[i] = std::byte{0xff};
  PacketCipher cipher;
  cipher.start(gcm128, Bytes(key_of_vectors()).first(16), iv);
  std::array<std::byte, 36> other{};
  cipher.seal(0, other);
  auto work = bytes(clear_16);
  work.resize(work.size() + 16);
  cipher.seal(1, work);
  EXPECT_EQ(work, bytes(gcm128_wrapped));
}

TEST(Rfc4344_3_2, KeysAreReplacedInTime) {
  for (const CipherAlgorithm algorithm : all) EXPECT_EQ(shape_of(algorithm).rekey_packets, std::uint64_t{1} << 31);
  EXPECT_EQ(shape_of(gcm128).rekey_bytes, (std::uint64_t{1} << 32) * 16);
  EXPECT_EQ(shape_of(gcm256).rekey_bytes, (std::uint64_t{1} << 32) * 16);
  EXPECT_EQ(shape_of(chacha).rekey_bytes, std::uint64_t{1} << 30);
}

TEST(Algorithms, OnlyWhatTheProfileListsIsFound) {
  for (const std::string_view name : wire::NameList(active::profile.algorithms.ciphers))
    EXPECT_TRUE(cipher_algorithm(name)) << name;
  for (const std::string_view name : wire::NameList(active::profile.algorithms.kex)) EXPECT_TRUE(kex_algorithm(name)) << name;
  for (const char* name : {"", "none", "aes128-gcm", "aes128-gcm@openssh.com,", "3des-cbc", "CHACHA20-POLY1305@OPENSSH.COM"}) {
    EXPECT_FALSE(cipher_algorithm(name)) << name;
    EXPECT_FALSE(kex_algorithm(name)) << name;
  }
}

}  // namespace
}  // namespace sshape::crypto

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

// A cipher and what checks its packets.
struct Suite {
  const char* name;
  CipherAlgorithm cipher;
  MacAlgorithm mac = MacAlgorithm::none;
};
constexpr Suite chacha{"chacha20-poly1305", CipherAlgorithm::chacha20_poly1305};
constexpr Suite gcm128{"aes128-gcm", CipherAlgorithm::aes128_gcm};
constexpr Suite gcm256{"aes256-gcm", CipherAlgorithm::aes256_gcm};
constexpr Suite ctr128{"aes128-ctr", CipherAlgorithm::aes128_ctr, MacAlgorithm::hmac_sha2_256};
constexpr Suite ctr256{"aes256-ctr", CipherAlgorithm::aes256_ctr, MacAlgorithm::hmac_sha2_256};
constexpr Suite ctr128_then_mac{"aes128-ctr, etm", CipherAlgorithm::aes128_ctr, MacAlgorithm::hmac_sha2_256_etm};
constexpr Suite ctr256_then_mac{"aes256-ctr, etm", CipherAlgorithm::aes256_ctr, MacAlgorithm::hmac_sha2_256_etm};
constexpr Suite all[] = {chacha, gcm128, gcm256, ctr128, ctr256, ctr128_then_mac, ctr256_then_mac};

bool is_chacha(const Suite& suite) { return suite.cipher == CipherAlgorithm::chacha20_poly1305; }

Packet bytes(std::span<const unsigned char> from) {
  const auto span = std::as_bytes(from);
  return {span.begin(), span.end()};
}

// The keys of the vectors: 0, 1, 2 ...; the IVs: 100, 101 ...
Packet counted(std::size_t size, unsigned first) {
  Packet counted(size);
  for (std::size_t i = 0; i < size; ++i) counted[i] = static_cast<std::byte>(first + i);
  return counted;
}

void start(PacketCipher& cipher, const Suite& suite, Bytes iv) {
  const CipherShape shape = shape_of(suite.cipher, suite.mac);
  cipher.start(suite.cipher, counted(shape.key, 0), iv.first(shape.iv), suite.mac, counted(shape.mac_key, 0));
}
void start(PacketCipher& cipher, const Suite& suite) { start(cipher, suite, counted(16, 100)); }

// A packet with one block of content.
Packet smallest(const PacketCipher& cipher) {
  return Packet((cipher.shape().length_outside ? 4 : 0) + 16 + cipher.shape().tag);
}

// Packets that an independent implementation sealed.
struct Sealed {
  const char* name;
  Suite suite;
  std::uint32_t sequence;
  std::uint32_t sealed_before;
  std::span<const unsigned char> sealed;
  std::span<const unsigned char> clear;
};
const Sealed packets[] = {
    {"chacha 0", chacha, 0, 0, chacha_0, clear_8},
    {"chacha 7", chacha, 7, 0, chacha_7, clear_8},
    {"chacha 2^32-1", chacha, 0xffffffff, 0, chacha_4294967295, clear_8},
    {"gcm128 first", gcm128, 0, 0, gcm128_0, clear_16},
    {"gcm128 second", gcm128, 1, 1, gcm128_1, clear_16},
    {"gcm256 first", gcm256, 0, 0, gcm256_0, clear_16},
    {"gcm256 second", gcm256, 1, 1, gcm256_1, clear_16},
    {"ctr128", ctr128, 7, 0, ctr128_mac, clear_16_counted},
    {"ctr256", ctr256, 7, 0, ctr256_mac, clear_16_counted},
    {"ctr128 etm", ctr128_then_mac, 7, 0, ctr128_etm, clear_16},
    {"ctr256 etm", ctr256_then_mac, 7, 0, ctr256_etm, clear_16},
};

// As far as the packet's invocation.
void start(PacketCipher& cipher, const Sealed& packet) {
  start(cipher, packet.suite);
  for (std::uint32_t i = 0; i < packet.sealed_before; ++i) {
    Packet other = smallest(cipher);
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
  Suite suite;
  std::span<const unsigned char> digest;  // SHA-256 of all packets as sealed
};
const Together together[] = {{chacha, chacha_together},
                             {gcm128, gcm128_together},
                             {gcm256, gcm256_together},
                             {ctr128, ctr128_together},
                             {ctr256, ctr256_together},
                             {ctr128_then_mac, ctr128_etm_together},
                             {ctr256_then_mac, ctr256_etm_together}};

TEST(PacketCipher, SealsAndOpensEveryLengthAtAnyAddressAsAnIndependentImplementationDoes) {
  for (const auto& [suite, expected] : together) {
    PacketCipher sender, receiver;
    start(sender, suite);
    start(receiver, suite);
    const std::size_t block = sender.shape().block;
    std::vector<std::size_t> padded;
    for (std::size_t size = block; size <= 2048; size += block) padded.push_back(size);
    padded.insert(padded.end(), {32'768, 32'784, 34'992, 262'144});
    Hash whole(HashAlgorithm::sha256);
    for (std::uint32_t number = 0; number < padded.size(); ++number) {
      const std::size_t length = padded[number] - (sender.shape().length_outside ? 0 : 4);
      Packet clear(4 + length);
      wire::store_uint32(clear.data(), static_cast<std::uint32_t>(length));
      for (std::size_t i = 0; i < length; ++i) clear[4 + i] = static_cast<std::byte>(number + 5 * i);
      const std::size_t address = number % 17;
      Packet space(address + clear.size() + sender.shape().tag);
      const MutableBytes packet = MutableBytes(space).subspan(address);
      copy_bytes(packet, clear);
      sender.seal(number, packet);
      whole.update(packet);
      ASSERT_EQ(receiver.length(number, Bytes(packet).first<4>()), length);
      ASSERT_TRUE(receiver.open(number, packet)) << suite.name << ' ' << length;
      EXPECT_TRUE(same_bytes(Bytes(packet).subspan(4, length), Bytes(clear).subspan(4)));
    }
    EXPECT_TRUE(same_bytes(whole.finish().bytes(), bytes(expected))) << suite.name;
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
      if (is_chacha(packet.suite)) {
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
    start(cipher, packet.suite);
    for (std::uint32_t i = 0; i < 5; ++i) {
      Packet skipped = smallest(cipher);
      cipher.seal(i, skipped);
    }
    auto work = bytes(packet.sealed);
    EXPECT_FALSE(cipher.open(packet.sequence + 1, work)) << packet.name;
  }
}

TEST(PacketCipher, RefusesAPacketThatCannotHoldATag) {
  for (const Suite& suite : all) {
    PacketCipher cipher;
    start(cipher, suite);
    for (std::size_t size = 0; size < 4 + cipher.shape().tag; ++size) {
      Packet packet(size, std::byte{1});
      EXPECT_FALSE(cipher.open(0, packet)) << suite.name << ' ' << size;
    }
  }
}

TEST(PacketCipher, LetsNothingOutInTheClearWhenItsKeyWasUnusable) {
  const auto key = counted(64, 0), iv = counted(17, 100);
  for (const Suite& suite : all) {
    const CipherShape shape = shape_of(suite.cipher, suite.mac);
    const auto refuses = [&](std::size_t key_size, std::size_t iv_size, MacAlgorithm mac, std::size_t mac_key_size) {
      PacketCipher cipher;
      cipher.start(suite.cipher, Bytes(key).first(key_size), Bytes(iv).first(iv_size), mac, Bytes(key).first(mac_key_size));
      Packet packet(100, std::byte{1});
      EXPECT_EQ(cipher.length(0, Bytes(packet).first<4>()), 0u);
      EXPECT_FALSE(cipher.open(0, packet));
      cipher.seal(0, packet);
      EXPECT_EQ(packet, Packet(100)) << suite.name;
    };
    refuses(shape.key - 1, shape.iv, suite.mac, shape.mac_key);
    refuses(0, shape.iv, suite.mac, shape.mac_key);
    refuses(shape.key, shape.iv + 1, suite.mac, shape.mac_key);
    if (needs_mac(suite.cipher)) {
      refuses(shape.key, shape.iv, suite.mac, shape.mac_key - 1);
      refuses(shape.key, shape.iv, MacAlgorithm::none, 0);
    }
  }
}

TEST(PacketCipher, TakesANewKeyAndForgetsTheOldOne) {
  for (const Suite& before : all) {
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
  cipher.start(chacha.cipher, Packet(64), {});
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

// SP 800-38A, F.5.1 and F.5.5. The whole packet is enciphered when the MAC is of the clear one, so that the
// published blocks are a packet.
TEST(Sp800_38a, CtrIsThatOfTheExamples) {
  const auto plain = hex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
                         "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710");
  const auto counter = hex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff");
  struct Example {
    CipherAlgorithm algorithm;
    const char* key;
    const char* cipher;
  };
  for (const auto& [algorithm, key, expected] :
       {Example{CipherAlgorithm::aes128_ctr, "2b7e151628aed2a6abf7158809cf4f3c",
                "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff"
                "5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee"},
        Example{CipherAlgorithm::aes256_ctr, "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
                "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5"
                "2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6"}}) {
    PacketCipher cipher;
    cipher.start(algorithm, hex(key), counter, MacAlgorithm::hmac_sha2_256, counted(32, 0));
    auto packet = plain;
    packet.resize(plain.size() + 32);
    cipher.seal(0, packet);
    EXPECT_TRUE(same_bytes(Bytes(packet).first(plain.size()), hex(expected)));
  }
}

void expect_sealed(const Suite& suite, Bytes iv, std::uint32_t sequence, std::uint32_t before,
                   std::span<const unsigned char> clear, std::span<const unsigned char> sealed) {
  PacketCipher cipher;
  start(cipher, suite, iv);
  for (std::uint32_t i = 0; i < before; ++i) {
    Packet other = smallest(cipher);
    cipher.seal(i, other);
  }
  auto work = bytes(clear);
  work.resize(work.size() + cipher.shape().tag);
  cipher.seal(sequence, work);
  EXPECT_EQ(work, bytes(sealed)) << suite.name;
}

TEST(Rfc5647_7_1, TheInvocationCounterWrapsAndLeavesTheFixedField) {
  auto iv = counted(12, 100);
  std::fill(iv.begin() + 4, iv.end(), std::byte{0xff});
  expect_sealed(gcm128, iv, 1, 1, clear_16, gcm128_wrapped);
}

TEST(Rfc4344_4, TheCounterIs128BitsLongAndWraps) {
  auto iv = counted(16, 100);
  std::fill(iv.begin() + 8, iv.end(), std::byte{0xff});
  expect_sealed(ctr128, iv, 7, 0, clear_16_counted, ctr_carried);
  expect_sealed(ctr128, Packet(16, std::byte{0xff}), 7, 0, clear_16_counted, ctr_wrapped);
}

TEST(Rfc4344_3_2, KeysAreReplacedInTime) {
  for (const Suite& suite : all) {
    const CipherShape shape = shape_of(suite.cipher, suite.mac);
    EXPECT_EQ(shape.rekey_packets, std::uint64_t{1} << 31);
    const std::uint64_t blocks = std::uint64_t{1} << 32;
    EXPECT_EQ(shape.rekey_bytes, is_chacha(suite) ? std::uint64_t{1} << 30 : blocks * 16) << suite.name;
  }
}

TEST(Algorithms, OnlyWhatTheProfileListsIsFound) {
  for (const std::string_view name : wire::NameList(active::profile.algorithms.ciphers))
    EXPECT_TRUE(cipher_algorithm(name)) << name;
  for (const std::string_view name : wire::NameList(active::profile.algorithms.kex)) EXPECT_TRUE(kex_algorithm(name)) << name;
  for (const std::string_view name : wire::NameList(active::profile.algorithms.macs)) EXPECT_TRUE(mac_algorithm(name)) << name;
  for (const char* name : {"", "none", "aes128-gcm", "aes128-gcm@openssh.com,", "3des-cbc", "CHACHA20-POLY1305@OPENSSH.COM"}) {
    EXPECT_FALSE(cipher_algorithm(name)) << name;
    EXPECT_FALSE(kex_algorithm(name)) << name;
    EXPECT_FALSE(mac_algorithm(name)) << name;
  }
}

}  // namespace
}  // namespace sshape::crypto

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "core/crypto/key_files.hpp"
#include "core/crypto/public_key.hpp"
#include "tests/support/hex.hpp"
#include "tests/support/seeded.hpp"
#include "tests/unit/crypto/openssh_key.hpp"

namespace sshape::crypto {
namespace {

using test::hex;
using Binary = std::vector<std::byte>;

constexpr std::size_t binary_size = 242;  // of openssh_private, without its base64

class SameNumber final : public Random {
 public:
  explicit SameNumber(Bytes value) : value_(value.begin(), value.end()) {}
  void fill(MutableBytes space) override { copy_bytes(space, Bytes(value_).first(space.size())); }

 private:
  Binary value_;
};

Expected<std::size_t> read(std::string_view text, PrivateKey& key) {
  std::array<std::byte, 1024> scratch;
  return read_private_key(text, scratch, key);
}

std::string_view fault_of(std::string_view text) {
  PrivateKey key;
  const auto result = read(text, key);
  return result ? "accepted" : result.error().text;
}

Binary binary_of_openssh_key() {
  const std::string_view text(openssh_private);
  const auto begin = text.find('\n') + 1;
  std::string base64;
  for (const char c : text.substr(begin, text.rfind("-----END") - begin))
    if (c != '\n') base64 += c;
  Binary binary(1024);
  binary.resize(base64_decode(base64, binary).value());
  return binary;
}

std::string armoured(Bytes binary) {
  Binary space(base64_size(binary.size()));
  wire::Writer out{MutableBytes(space)};
  base64_encode(binary, out);
  return "-----BEGIN OPENSSH PRIVATE KEY-----\n" + std::string(text_of(out.written())) +
         "\n-----END OPENSSH PRIVATE KEY-----\n";
}

TEST(KeyFiles, AKeyMadeBySshKeygenIsRead) {
  std::array<std::byte, 1024> scratch;
  std::array<char, 32> comment{};
  PrivateKey key;
  const auto size = read_private_key(openssh_private, scratch, key, comment);
  ASSERT_TRUE(size) << size.error().text;
  EXPECT_EQ(std::string_view(comment.data(), *size), "ada@example");
  EXPECT_EQ(std::ranges::count(scratch, std::byte{0}), 1024) << "nothing secret is left in it";
  std::array<std::byte, 64> blob_space;
  wire::Writer blob(blob_space);
  key.public_blob(blob);
  EXPECT_EQ(fingerprint(blob.written()).text(), openssh_fingerprint);
  std::array<std::byte, 256> line_space;
  wire::Writer line(line_space);
  ASSERT_TRUE(write_public_line(blob.written(), "ada@example", line));
  EXPECT_EQ(text_of(line.written()), openssh_public);
}

TEST(KeyFiles, TheSameKeyIsWrittenByteForByteAsSshKeygenDoes) {
  PrivateKey key;
  ASSERT_TRUE(read(openssh_private, key));
  SameNumber random(hex(openssh_check_number));
  std::array<std::byte, 1024> space;
  wire::Writer out(space);
  ASSERT_TRUE(write_private_key(key, "ada@example", random, out));
  EXPECT_EQ(text_of(out.written()), openssh_private);

  for (std::size_t size = 0; size < out.size(); ++size) {
    wire::Writer small(MutableBytes(space).first(size));
    EXPECT_FALSE(write_private_key(key, "ada@example", random, small)) << size;
  }
}

TEST(KeyFiles, WhatIsWrittenIsReadAgainWithCommentsOfEveryLength) {
  test::Seeded random(5);
  for (std::size_t length = 0; length <= 512; ++length) {
    PrivateKey key, again;
    ASSERT_TRUE(PrivateKey::generate(KeyType::ed25519, random, key));
    std::array<std::byte, 2048> space, scratch;
    wire::Writer out{MutableBytes(space)};
    const std::string comment(length, 'c');
    ASSERT_TRUE(write_private_key(key, comment, random, out));
    std::array<char, 600> read_comment;
    const auto size = read_private_key(text_of(out.written()), scratch, again, read_comment);
    ASSERT_TRUE(size) << length << ' ' << size.error().text;
    EXPECT_EQ(std::string_view(read_comment.data(), *size), comment);
    EXPECT_TRUE(same_bytes(key.ed25519_seed(), again.ed25519_seed()));
  }
}

TEST(KeyFiles, ACommentIsCutToTheSpaceForIt) {
  for (const std::size_t room : {0u, 3u, 10u, 11u, 12u}) {
    std::array<std::byte, 1024> scratch;
    std::array<char, 12> comment{};
    PrivateKey key;
    const auto size = read_private_key(openssh_private, scratch, key, std::span(comment).first(room));
    ASSERT_TRUE(size);
    EXPECT_EQ(std::string_view(comment.data(), *size), std::string_view("ada@example").substr(0, room));
  }
}

TEST(KeyFiles, LineEndsOfAnyKindAndNoFinalNewlineAreRead) {
  std::string crlf;
  for (const char c : std::string_view(openssh_private)) crlf += c == '\n' ? "\r\n" : std::string(1, c);
  std::string bare(openssh_private);
  bare.pop_back();
  const std::string blank_lines = "\n \r\n" + std::string(openssh_private) + "\n\n";
  for (const std::string& text : {crlf, bare, blank_lines, armoured(binary_of_openssh_key())})
    EXPECT_EQ(fault_of(text), "accepted") << text;
}

TEST(KeyFiles, TextAroundTheArmourIsRefused) {
  EXPECT_EQ(fault_of(std::string(openssh_private) + "x"), "OpenSSH private key: text after its last line");
  EXPECT_EQ(fault_of(std::string(openssh_private) + openssh_private), "OpenSSH private key: text after its last line");
  EXPECT_EQ(fault_of("x" + std::string(openssh_private)), "neither OpenSSH's nor dropbear's private key format");
}

TEST(KeyFiles, WhatCannotBeReadSaysWhatItIs) {
  EXPECT_EQ(fault_of(openssh_encrypted), "the private key is protected by a passphrase: this build does not support that yet");
  EXPECT_EQ(fault_of(openssh_ecdsa), "private key type not in this build: ssh-ed25519 is");
  EXPECT_EQ(fault_of("-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n"),
            "private key in PEM: ssh-keygen -p writes it in OpenSSH's own format");
  for (const char* text : {"", "\n", "hello", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI", "PuTTY-User-Key-File-3: ssh-ed25519"})
    EXPECT_EQ(fault_of(text), "neither OpenSSH's nor dropbear's private key format") << text;
}

TEST(KeyFiles, AFileCutAnywhereIsRefused) {
  const std::string_view text(openssh_private);
  for (std::size_t cut = 0; cut + 1 < text.size(); ++cut) EXPECT_NE(fault_of(text.substr(0, cut)), "accepted") << cut;
}

TEST(KeyFiles, ABinaryCutAnywhereOrProlongedIsRefused) {
  auto binary = binary_of_openssh_key();
  ASSERT_EQ(binary.size(), binary_size);
  for (std::size_t cut = 0; cut < binary.size(); ++cut)
    EXPECT_NE(fault_of(armoured(Bytes(binary).first(cut))), "accepted") << cut;
  binary.push_back(std::byte{3});
  EXPECT_EQ(fault_of(armoured(binary)), "OpenSSH private key: cut off, or more after its end");
}

// Where the lengths of openssh_private are, and the number of keys.
constexpr std::size_t lengths[] = {15, 23, 31, 39, 43, 58, 94, 106, 121, 157, 225};
constexpr std::size_t number_of_keys = 35;

TEST(KeyFiles, EveryLyingLengthGivesAClearError_FieldReport22) {
  const auto good = binary_of_openssh_key();
  for (const std::size_t at : lengths) {
    const std::uint32_t truth = wire::load_uint32(good.data() + at);
    for (const std::uint32_t lie : {0u, 1u, truth - 1, truth + 1, truth + 8, 242u, 0x7fffffffu, 0x80000000u, 0xfffffff8u, 0xffffffffu}) {
      if (lie == truth) continue;
      auto damaged = good;
      wire::store_uint32(damaged.data() + at, lie);
      const std::string_view fault = fault_of(armoured(damaged));
      EXPECT_NE(fault, "accepted") << "length at " << at << " is " << lie;
      EXPECT_NE(fault, "");
    }
  }
  for (const std::uint32_t lie : {0u, 2u, 0xffffffffu}) {
    auto damaged = good;
    wire::store_uint32(damaged.data() + number_of_keys, lie);
    EXPECT_EQ(fault_of(armoured(damaged)), "OpenSSH private key: exactly one key in a file is expected");
  }
}

TEST(KeyFiles, AnyDamagedByteButOfTheCommentIsNoticed) {
  const auto good = binary_of_openssh_key();
  for (std::size_t at = 0; at < good.size(); ++at) {
    const bool in_comment = at >= 229 && at < 229 + 11;
    for (const unsigned bit : {0x01u, 0x80u}) {
      auto damaged = good;
      damaged[at] ^= static_cast<std::byte>(bit);
      EXPECT_EQ(fault_of(armoured(damaged)) == "accepted", in_comment) << at;
    }
  }
}

TEST(KeyFiles, TheFaultSaysWhatIsDamaged) {
  const auto with = [](std::size_t at) {
    auto damaged = binary_of_openssh_key();
    damaged[at] ^= std::byte{1};
    return fault_of(armoured(damaged));
  };
  EXPECT_EQ(with(0), "OpenSSH private key: not version 1 of the format");
  EXPECT_EQ(with(98), "OpenSSH private key: the check numbers differ (damaged, or wrongly decrypted)");
  EXPECT_EQ(with(62), "OpenSSH private key: its public half belongs to another key");
  EXPECT_EQ(with(125), "OpenSSH private key: its public half belongs to another key");
  EXPECT_EQ(with(161), "OpenSSH private key: its public half belongs to another key");
  EXPECT_EQ(with(240), "OpenSSH private key: wrong padding");
}

TEST(KeyFiles, TheScratchSpaceMustHoldTheBinary) {
  std::array<std::byte, binary_size> scratch;
  PrivateKey key;
  EXPECT_TRUE(read_private_key(openssh_private, scratch, key));
  const auto result = read_private_key(openssh_private, MutableBytes(scratch).first(binary_size - 1), key);
  ASSERT_FALSE(result);
  EXPECT_STREQ(result.error().text, "base64: longer than the space for it");
}

TEST(KeyFiles, APublicLineHasNoSpaceAfterItWithoutAComment) {
  PrivateKey key;
  ASSERT_TRUE(read(openssh_private, key));
  std::array<std::byte, 51> blob_space;
  wire::Writer blob(blob_space);
  key.public_blob(blob);
  std::array<std::byte, 80> space;
  wire::Writer line(space);
  ASSERT_TRUE(write_public_line(blob.written(), "", line));
  EXPECT_EQ(std::string(text_of(line.written())) + " ada@example", openssh_public);
  for (std::size_t size = 0; size < line.size(); ++size) {
    wire::Writer small(MutableBytes(space).first(size));
    EXPECT_FALSE(write_public_line(blob.written(), "", small)) << size;
  }
}

TEST(Rfc4648_10, Base64IsAsInTheTestVectors) {
  constexpr std::pair<std::string_view, std::string_view> examples[] = {
      {"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"fooba", "Zm9vYmE="}, {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, encoded] : examples) {
    std::array<std::byte, 16> space;
    wire::Writer out(space);
    base64_encode(bytes_of(plain), out);
    EXPECT_EQ(text_of(out.written()), encoded);
    EXPECT_EQ(base64_size(plain.size()), encoded.size());
    std::array<std::byte, 16> decoded;
    const auto size = base64_decode(encoded, decoded);
    ASSERT_TRUE(size);
    EXPECT_EQ(text_of(Bytes(decoded).first(*size)), plain);
    if (!plain.empty()) {
      EXPECT_FALSE(base64_decode(encoded, MutableBytes(decoded).first(plain.size() - 1)));
    }
  }
}

TEST(Rfc4648_3, Base64ThatIsNotCanonicalIsRefused) {
  std::array<std::byte, 16> into;
  for (const char* bad : {"Zg=", "Zg", "Z", "Z===", "====", "Zh==", "Zm9=", "Zm9v=", "Zg==Zg==", "Z=g=", "Zm 9", "Zm9v\n", "Zm9-", "Zm9_", "Zm9\x80"})
    EXPECT_FALSE(base64_decode(bad, into)) << bad;
}

}  // namespace
}  // namespace sshape::crypto

// Dropbear's private key format: what its own programs write is read, and read back from us.
#include <gtest/gtest.h>

#include "core/crypto/key_files.hpp"
#include "core/crypto/public_key.hpp"
#include "tests/support/hex.hpp"

namespace sshape {
namespace {

// Made by Debian's dropbearkey 2022.83 for this test alone, and what it printed of it.
constexpr char dropbear_private[] =
    "0000000b7373682d65643235353139000000408d1550f0e0fe3ec2188d034b65a6ea6577265b725a1eef1b80604ed78543ac42"
    "fedd900a8270ad0ef620a2c4d8b45de913d5c6d586f52003c291452708a6d2a4";
constexpr char dropbear_public[] =
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIP7dkAqCcK0O9iCixNi0XekT1cbVhvUgA8KRRScIptKk root@vm";
constexpr char dropbear_fingerprint[] = "SHA256:gvHKIsfldxkKx0JI0jjfLB2EnfADIpnSbZsv5Ixn0Pc";

Expected<std::size_t> read(Bytes file, crypto::PrivateKey& key) {
  std::byte scratch[256];
  return crypto::read_private_key(text_of(file), scratch, key);
}

TEST(DropbearKey, IsReadAsItsOwnProgramMadeIt) {
  const auto file = test::hex(dropbear_private);
  crypto::PrivateKey key;
  const auto comment = read(file, key);
  ASSERT_TRUE(comment.has_value()) << comment.error().text;
  EXPECT_EQ(*comment, 0u);

  std::byte blob_space[64], line_space[200];
  wire::Writer blob(blob_space), line(line_space);
  key.public_blob(blob);
  ASSERT_TRUE(crypto::write_public_line(blob.written(), "root@vm", line));
  EXPECT_EQ(text_of(line.written()), dropbear_public);
  EXPECT_EQ(crypto::fingerprint(blob.written()).text(), dropbear_fingerprint);
}

TEST(DropbearKey, IsWrittenByteForByte) {
  const auto file = test::hex(dropbear_private);
  crypto::PrivateKey key;
  ASSERT_TRUE(read(file, key));
  std::byte space[83];
  wire::Writer out(space);
  ASSERT_TRUE(crypto::write_dropbear_key(key, out));
  EXPECT_TRUE(same_bytes(out.written(), file));

  wire::Writer too_small(MutableBytes(space).first(82));
  EXPECT_FALSE(crypto::write_dropbear_key(key, too_small));
}

TEST(DropbearKey, CutShortOrProlongedIsRefused) {
  auto file = test::hex(dropbear_private);
  crypto::PrivateKey key;
  for (std::size_t size = 0; size < file.size(); ++size) EXPECT_FALSE(read(Bytes(file).first(size), key)) << size;
  file.push_back(std::byte{0});
  EXPECT_FALSE(read(file, key));
}

TEST(DropbearKey, WithAnotherKeysPublicHalfIsRefused) {
  auto file = test::hex(dropbear_private);
  file.back() ^= std::byte{1};
  crypto::PrivateKey key;
  EXPECT_FALSE(read(file, key));
}

TEST(DropbearKey, OfATypeThatIsNotBuiltInIsRefusedByName) {
  const auto file = test::hex("00000007 7373682d727361 00000003 010001");
  crypto::PrivateKey key;
  const auto result = read(file, key);
  ASSERT_FALSE(result);
  EXPECT_STREQ(result.error().text, "private key type not in this build: ssh-ed25519 is");
}

}  // namespace
}  // namespace sshape

// Private keys from files.
#include "port/posix/identities.hpp"

#include <gtest/gtest.h>

#include "tests/unit/client/folder.hpp"
#include "tests/unit/crypto/openssh_key.hpp"

namespace sshape::posix {
namespace {

using enum Identities::Loaded;

TEST(Identities, AKeyIsLoadedOnceHoweverOftenItIsNamed) {
  const test::Folder folder;
  Identities identities;
  const char* why = nullptr;
  EXPECT_EQ(identities.load(folder.write("one", openssh_private).c_str(), why), yes);
  EXPECT_EQ(identities.load(folder.write("two", openssh_private).c_str(), why), yes);
  ASSERT_EQ(identities.size(), 1u);
  EXPECT_EQ(identities.find(identities.blob(0)), &identities.key(0));
  EXPECT_EQ(identities.find(bytes_of("another")), nullptr);
}

TEST(Identities, WhatIsNoKeyIsSaidInWords) {
  const test::Folder folder;
  Identities identities;
  const char* why = nullptr;
  EXPECT_EQ(identities.load((folder / "missing").c_str(), why), missing);
  EXPECT_EQ(identities.load(folder.path().c_str(), why), unusable);
  EXPECT_STREQ(why, "not a regular file");
  EXPECT_EQ(identities.load(folder.write("text", "hello").c_str(), why), unusable);
  EXPECT_EQ(identities.load(folder.write("empty", "").c_str(), why), unusable);
  EXPECT_EQ(identities.load(folder.write("large", std::string(20'000, 'x')).c_str(), why), unusable);
  EXPECT_STREQ(why, "too large for a key");
  EXPECT_EQ(identities.size(), 0u);
}

TEST(Identities, Forgotten) {
  const test::Folder folder;
  Identities identities;
  const char* why = nullptr;
  ASSERT_EQ(identities.load(folder.write("one", openssh_private).c_str(), why), yes);
  identities.forget();
  EXPECT_EQ(identities.size(), 0u);
  EXPECT_EQ(identities.key(0).type(), crypto::KeyType::none);
}

}  // namespace
}  // namespace sshape::posix

// known_hosts files: looked up by both names of a host, and added to.
#include "port/posix/known_hosts_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/crypto/base64.hpp"
#include "profiles/active.hpp"
#include "tests/unit/client/folder.hpp"

namespace sshape::posix {
namespace {

using Naming = KnownHostsFiles::Naming;

const std::string ada = "AAAAC3NzaC1lZDI1NTE5AAAAIM+RwwaL/B90Weh+2fsglnnF/Bw345k5JUgZL9B/qwXx";
const std::string bob = "AAAAC3NzaC1lZDI1NTE5AAAAIP7dkAqCcK0O9iCixNi0XekT1cbVhvUgA8KRRScIptKk";

struct Blob {
  explicit Blob(const std::string& text) : size(crypto::base64_decode(text, space).value()) {}
  std::byte space[64];
  std::size_t size;
  operator Bytes() const { return Bytes(space).first(size); }
};

KnownHostFinding find(const KnownHostsFiles& files, const std::string& key = ada) {
  return files.find("ssh-ed25519", Blob(key));
}

mode_t mode_of(const std::string& path) {
  struct stat about{};
  return ::stat(path.c_str(), &about) == 0 ? about.st_mode & 07777 : 0;
}

TEST(KnownHostsFile, TellsTheFileAndTheLineThatDecided) {
  const test::Folder folder;
  const std::string path =
      folder.write("known", "# one\n\nhost ssh-ed25519 " + bob + "\nhost ssh-ed25519 " + ada + "\n");
  KnownHostsFiles files("Host", 22, Naming::openssh);
  ASSERT_TRUE(files.add_file(path));
  EXPECT_EQ(find(files).verdict, KnownHost::match) << "several keys of one type";
  EXPECT_EQ(find(files).line, 4u);
  EXPECT_EQ(find(files, bob).line, 3u);
  EXPECT_EQ(find(files).file, path);
}

TEST(KnownHostsFile, EveryFileIsAskedAndTheStrongestStatementWins) {
  const test::Folder folder;
  KnownHostsFiles files("host", 22, Naming::openssh);
  ASSERT_TRUE(files.add_file(folder / "missing"));
  ASSERT_TRUE(files.add_file(folder.write("one", "host ssh-ed25519 " + bob + "\n")));
  EXPECT_EQ(find(files).verdict, KnownHost::mismatch);
  ASSERT_TRUE(files.add_file(folder.write("two", "host ssh-ed25519 " + ada)));
  EXPECT_EQ(find(files).verdict, KnownHost::match);
  ASSERT_TRUE(files.add_file(folder.write("three", "@revoked * ssh-ed25519 " + ada + "\n")));
  EXPECT_EQ(find(files).verdict, KnownHost::revoked);
  EXPECT_FALSE(files.add_file(folder / "four"));
}

TEST(KnownHostsFile, ALineThatIsTooLongIsSkippedWhole) {
  const test::Folder folder;
  const std::string filler(active::profile.authorized_keys_line * 3, 'x');
  KnownHostsFiles files("host", 22, Naming::openssh);
  ASSERT_TRUE(files.add_file(folder.write("known", filler + " host ssh-ed25519 " + bob + "\nhost ssh-ed25519 " + ada)));
  EXPECT_EQ(find(files).verdict, KnownHost::match);
  EXPECT_EQ(find(files).line, 2u);
}

TEST(KnownHostsFile, AFileWithoutAnEndIsNone) {
  KnownHostsFiles files("host", 22, Naming::openssh);
  ASSERT_TRUE(files.add_file("/dev/zero"));
  EXPECT_EQ(find(files).verdict, KnownHost::other);
}

TEST(KnownHostsFile, TypesOfBothNamesOrderTheOffer) {
  const test::Folder folder;
  KnownHostsFiles files("host", 2222, Naming::dropbear);
  ASSERT_TRUE(files.add_file(
      folder.write("known", "[host]:2222 ssh-rsa AAAA\nhost ssh-ed25519 " + ada + "\nhost ssh-rsa AAAA\nother x y\n")));
  EXPECT_EQ(files.key_types().view(), "ssh-rsa,ssh-ed25519");
}

TEST(KnownHostsFile, AnEntryIsWrittenAsTheDialectWritesIt) {
  for (const auto& [naming, name] : {std::pair(Naming::dropbear, "host"), std::pair(Naming::openssh, "[host]:2222")}) {
    const test::Folder folder;
    KnownHostsFiles files("HOST", 2222, naming);
    ASSERT_TRUE(files.add_file(folder / "new/known"));
    EXPECT_EQ(files.remember(Blob(ada)), 0);
    EXPECT_EQ(folder.read("new/known"), name + (" ssh-ed25519 " + ada) + "\n");
    EXPECT_EQ(mode_of(folder / "new"), 0700u);
    EXPECT_EQ(mode_of(folder / "new/known"), 0600u);
    EXPECT_EQ(find(files).verdict, KnownHost::match);
  }
}

TEST(KnownHostsFile, ALastLineWithoutAnEndStaysALine) {
  const test::Folder folder;
  KnownHostsFiles files("host", 22, Naming::openssh);
  ASSERT_TRUE(files.add_file(folder.write("known", "other ssh-ed25519 " + bob)));
  EXPECT_EQ(files.remember(Blob(ada)), 0);
  EXPECT_EQ(files.remember(Blob(bob)), 0);
  EXPECT_EQ(folder.read("known"),
            "other ssh-ed25519 " + bob + "\nhost ssh-ed25519 " + ada + "\nhost ssh-ed25519 " + bob + "\n");
}

TEST(KnownHostsFile, WhatCannotBeWrittenIsSaid) {
  KnownHostsFiles nowhere("host", 22, Naming::openssh);
  ASSERT_TRUE(nowhere.add_file("/proc/no-such-folder/known"));
  EXPECT_EQ(nowhere.remember(Blob(ada)), ENOENT);
  KnownHostsFiles full("host", 22, Naming::openssh);
  ASSERT_TRUE(full.add_file("/dev/full"));
  EXPECT_EQ(full.remember(Blob(ada)), ENOSPC);
  EXPECT_EQ(KnownHostsFiles("host", 22, Naming::openssh).remember(Blob(ada)), 0) << "UserKnownHostsFile=none";
}

}  // namespace
}  // namespace sshape::posix

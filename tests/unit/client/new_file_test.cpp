// Key files are made whole or not at all, and replace nothing.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "port/posix/small_file.hpp"
#include "tests/unit/client/folder.hpp"

namespace sshape::posix {
namespace {

std::size_t entries(const test::Folder& folder) {
  const std::filesystem::directory_iterator all(folder.path());
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

TEST(NewFile, IsMadeWithItsModeAndLeavesNothingElse) {
  const test::Folder folder;
  ASSERT_EQ(write_new_file((folder / "key").c_str(), bytes_of("secret")), 0);
  ASSERT_EQ(write_new_file((folder / "key.pub").c_str(), bytes_of("public"), 0644), 0);
  EXPECT_EQ(folder.read("key"), "secret");
  struct stat about{};
  ASSERT_EQ(::stat((folder / "key").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 07777, 0600u);
  ASSERT_EQ(::stat((folder / "key.pub").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0600, 0600u);
  EXPECT_EQ(entries(folder), 2u);
}

TEST(NewFile, NeverReplacesAFile) {
  const test::Folder folder;
  folder.write("key", "old");
  EXPECT_EQ(write_new_file((folder / "key").c_str(), bytes_of("new")), EEXIST);
  EXPECT_EQ(folder.read("key"), "old");
  EXPECT_EQ(entries(folder), 1u);
}

TEST(NewFile, FollowsNoSymbolicLink) {
  const test::Folder folder;
  for (const char* const target : {"elsewhere", "key"}) {  // to nothing yet, and to itself
    ASSERT_EQ(::symlink(target, (folder / "key").c_str()), 0);
    EXPECT_EQ(write_new_file((folder / "key").c_str(), bytes_of("secret")), EEXIST);
    EXPECT_EQ(entries(folder), 1u) << target;
    ASSERT_EQ(::unlink((folder / "key").c_str()), 0);
  }
}

TEST(NewFile, WithoutItsFolderIsAnError) {
  const test::Folder folder;
  EXPECT_EQ(write_new_file((folder / "none/key").c_str(), bytes_of("secret")), ENOENT);
}

}  // namespace
}  // namespace sshape::posix

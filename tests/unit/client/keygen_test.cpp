// sshape-keygen and dropbearkey, run whole: what they print is parsed by others.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "core/crypto/key_files.hpp"
#include "core/crypto/public_key.hpp"
#include "port/posix/programs/programs.hpp"
#include "tests/unit/client/folder.hpp"
#include "tests/unit/crypto/openssh_key.hpp"

namespace sshape::posix {
namespace {

struct Result {
  int status = -1;
  std::string out, err;
};

Result keygen(const std::vector<std::string>& words) {
  const test::Folder folder;
  const std::string out = folder.write("out", ""), err = folder.write("err", "");
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(::open(out.c_str(), O_WRONLY), STDOUT_FILENO);
    ::dup2(::open(err.c_str(), O_WRONLY), STDERR_FILENO);
    std::vector<std::string> copy = words;
    std::vector<char*> argv;
    for (std::string& word : copy) argv.push_back(word.data());
    argv.push_back(nullptr);
    ::_exit(keygen_main(static_cast<int>(copy.size()), argv.data()));
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, folder.read("out"), folder.read("err")};
}

mode_t mode_of(const std::string& path) {
  struct stat about{};
  return ::stat(path.c_str(), &about) == 0 ? about.st_mode & 07777 : 0;
}

// "Public key portion is:", the public line, "Fingerprint: ...", and no other byte.
void expect_lines(const Result& result, const std::string& public_line) {
  EXPECT_EQ(result.status, 0) << result.err;
  const std::string begin = "Public key portion is:\n" + public_line + "\nFingerprint: SHA256:";
  EXPECT_EQ(result.out.substr(0, begin.size()), begin);
  EXPECT_EQ(result.out.size(), begin.size() + 43 + 1);
  EXPECT_EQ(result.out.back(), '\n');
}

TEST(Keygen, MakesAKeyItsPublicHalfAndTheLinesThatOthersParse) {
  const test::Folder folder;
  const std::string file = folder / "key";
  const Result made = keygen({"sshape-keygen", "-t", "ed25519", "-f", file, "-C", "ada@example"});
  std::string public_line = folder.read("key.pub");
  ASSERT_FALSE(public_line.empty());
  EXPECT_EQ(public_line.back(), '\n');
  public_line.pop_back();
  EXPECT_TRUE(public_line.starts_with("ssh-ed25519 AAAA"));
  EXPECT_TRUE(public_line.ends_with(" ada@example"));
  expect_lines(made, public_line);
  EXPECT_EQ(mode_of(file), 0600u);
  EXPECT_TRUE(folder.read("key").starts_with("-----BEGIN OPENSSH PRIVATE KEY-----\n"));
  expect_lines(keygen({"sshape-keygen", "-y", "-f", file}), public_line);
}

TEST(Keygen, CalledByDropbearsNameItWritesDropbearsFormat) {
  for (const char* const name : {"dropbearkey", "/usr/bin/ssh-keygen"}) {
    const test::Folder folder;
    EXPECT_EQ(keygen({name, "-f", folder / "key", "-s", "256"}).status, 0) << "ed25519 is the default";
    EXPECT_EQ(folder.read("key").substr(0, 19), std::string("\0\0\0\x0bssh-ed25519\0\0\0\x40", 19));
    EXPECT_EQ(folder.read("key").size(), 83u);
    EXPECT_EQ(keygen({name, "-y", "-f", folder / "key"}).status, 0);
  }
}

TEST(Keygen, PrintsThePublicHalfOfAKeyOfOpenSshs) {
  const test::Folder folder;
  const std::string file = folder.write("key", openssh_private);
  const Result printed = keygen({"dropbearkey", "-y", "-f", file});
  expect_lines(printed, openssh_public);
  EXPECT_NE(printed.out.find(openssh_fingerprint), std::string::npos);
  expect_lines(keygen({"dropbearkey", "-y", "-f", file, "-C", "other"}),
               std::string(openssh_public).substr(0, std::string(openssh_public).rfind(' ')) + " other");
  EXPECT_FALSE(std::filesystem::exists(file + ".pub")) << "-y writes nothing";
}

TEST(Keygen, TheStatusOfYSaysWhetherItIsAKey) {
  const test::Folder folder;
  for (const std::string& content :
       {std::string(), std::string("hello"), std::string(openssh_private).substr(0, 200)}) {
    const Result result = keygen({"dropbearkey", "-y", "-f", folder.write("key", content)});
    EXPECT_EQ(result.status, 1);
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err, "");
  }
  EXPECT_EQ(keygen({"dropbearkey", "-y", "-f", folder / "missing"}).status, 1);
}

TEST(Keygen, ReplacesNothing) {
  const test::Folder folder;
  const Result refused = keygen({"sshape-keygen", "-f", folder.write("key", "old")});
  EXPECT_EQ(refused.status, 1);
  EXPECT_EQ(refused.out, "");
  EXPECT_EQ(folder.read("key"), "old");
  EXPECT_FALSE(std::filesystem::exists(folder / "key.pub"));

  folder.write("other.pub", "old public half");
  EXPECT_EQ(keygen({"sshape-keygen", "-f", folder / "other"}).status, 0);
  EXPECT_EQ(folder.read("other.pub"), "old public half");
}

TEST(Keygen, WhatItCannotMakeLeavesNoFile) {
  const test::Folder folder;
  const std::string file = folder / "key";
  for (const std::vector<std::string>& words :
       std::initializer_list<std::vector<std::string>>{{"dropbearkey", "-f", file, "-t", "rsa", "-s", "1024"},
                                                       {"dropbearkey", "-f", file, "-t", "nonsense"},
                                                       {"dropbearkey", "-f", file, "-s", "1024"},
                                                       {"dropbearkey", "-f", file, "-s", "x"},
                                                       {"dropbearkey", "-f", file, "-N", "secret"},
                                                       {"dropbearkey", "-f", file, "word"},
                                                       {"dropbearkey", "-f", file, "-Z"},
                                                       {"dropbearkey", "-f"},
                                                       {"dropbearkey"},
                                                       {"dropbearkey", "-f", folder / "none/key"}}) {
    const Result result = keygen(words);
    EXPECT_EQ(result.status, 1) << words.back();
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err, "");
    EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << words.back();
  }
}

TEST(Keygen, QuietAndWithoutAPassphraseAsSshKeygenIsCalled) {
  const test::Folder folder;
  const Result made = keygen({"ssh-keygen", "-q", "-N", "", "-t", "ed25519", "-f", folder / "key"});
  EXPECT_EQ(made.status, 0);
  EXPECT_EQ(made.out + made.err, "");
}

TEST(Keygen, ACommentIsOneLine) {
  const test::Folder folder;
  const Result made = keygen({"sshape-keygen", "-f", folder / "key", "-C", "one\nssh-ed25519 AAAA two"});
  const std::string file = folder.read("key.pub");
  ASSERT_TRUE(file.ends_with(" one\n")) << file;
  expect_lines(made, file.substr(0, file.size() - 1));
}

TEST(Keygen, VersionAndHelp) {
  const Result version = keygen({"dropbearkey", "-V"});
  EXPECT_EQ(version.status, 0);
  EXPECT_TRUE(version.err.starts_with("Dropbear v"));
  EXPECT_EQ(version.out, "");
  EXPECT_EQ(keygen({"sshape-keygen", "-h"}).status, 0);
}

}  // namespace
}  // namespace sshape::posix

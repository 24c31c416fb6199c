// Where the client is told to go, and which names it takes.
#include "port/posix/destination.hpp"

#include <gtest/gtest.h>

namespace sshape::posix {
namespace {

void expect(std::string_view word, std::string_view user, std::string_view host, std::string_view port) {
  const Destination to = split_destination(word);
  EXPECT_EQ(to.user, user) << word;
  EXPECT_EQ(to.host, host) << word;
  EXPECT_EQ(to.port, port) << word;
}

TEST(Destination, UserHostAndPort) {
  expect("host", "", "host", "");
  expect("ada@host", "ada", "host", "");
  expect("ada@host^2222", "ada", "host", "2222");
  expect("host/2222", "", "host", "2222");
  expect("a@b@host", "a@b", "host", "");
  expect("2001:db8::1", "", "2001:db8::1", "");
  expect("ada@[2001:db8::1]^22", "ada", "2001:db8::1", "22");
  expect("fe80::1%eth0", "", "fe80::1%eth0", "");
  expect("", "", "", "");
  expect("@", "", "", "");
  expect("[]", "", "[]", "");
}

TEST(Destination, NamesThatWouldBeSomethingElseInAShellAreRefused) {
  for (const char* const good : {"host", "host.example", "192.0.2.1", "2001:db8::1", "fe80::1%eth0", "a_b-c",
                                 "b\xc3\xbc"
                                 "cher.example"})
    EXPECT_TRUE(is_host_name(good)) << good;
  for (const char* const bad :
       {"", "-oProxyCommand=x", "a b", "a;b", "$(x)", "`x`", "a|b", "a\nb", "a'b", "a,b", "a\\b", "a\x7f"})
    EXPECT_FALSE(is_host_name(bad)) << bad;
  for (const char* const good : {"ada", "ada.l", "DOMAIN\\ada", "ada@example.org", "a b"})
    EXPECT_TRUE(is_user_name(good)) << good;
  for (const char* const bad : {"", "-l", "a;b", "a`b", "a\rb", "a\\", "a(b"}) EXPECT_FALSE(is_user_name(bad)) << bad;
}

}  // namespace
}  // namespace sshape::posix

// Small parts of the server that decide without I/O.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "port/posix/environment.hpp"
#include "port/posix/listener.hpp"
#include "port/posix/password.hpp"
#include "port/posix/program_names.hpp"
#include "port/posix/signal_names.hpp"
#include "port/posix/socket.hpp"
#include "port/posix/strangers.hpp"

namespace sshape::posix {
namespace {

std::string split(std::string_view text) {
  ListenAddress address;
  if (!parse_listen_address(text, address)) return "refused";
  return std::string(address.host.view()) + "|" + std::string(address.port.view());
}

TEST(ListenAddress, EveryFormOfP) {
  EXPECT_EQ(split("2222"), "|2222");
  EXPECT_EQ(split("192.0.2.1:2222"), "192.0.2.1|2222");
  EXPECT_EQ(split("[2001:db8::1]:2222"), "2001:db8::1|2222");
  EXPECT_EQ(split("[2001:db8::1]"), "2001:db8::1|22");
  EXPECT_EQ(split("2001:db8::1:2222"), "2001:db8::1|2222");
  EXPECT_EQ(split("192.0.2.1:"), "192.0.2.1|22");
  EXPECT_EQ(split("*:2222"), "|2222");
  for (const char* bad : {"", "[::1", "[::1]x", "[]:22"}) EXPECT_EQ(split(bad), "refused") << bad;
  EXPECT_EQ(split(std::string(300, 'x') + ":22"), "refused");
}

Address v4(const char* text, std::uint16_t port) {
  sockaddr_in in{};
  in.sin_family = AF_INET;
  in.sin_port = htons(port);
  inet_pton(AF_INET, text, &in.sin_addr);
  Address address;
  std::memcpy(&address.storage, &in, sizeof in);
  return address;
}

Address v6(const char* text, std::uint16_t port) {
  sockaddr_in6 in{};
  in.sin6_family = AF_INET6;
  in.sin6_port = htons(port);
  inet_pton(AF_INET6, text, &in.sin6_addr);
  Address address;
  std::memcpy(&address.storage, &in, sizeof in);
  return address;
}

TEST(Address, AsTheLogHasIt) {
  EXPECT_EQ(v4("192.0.2.1", 22).host_and_port().view(), "192.0.2.1:22");
  EXPECT_EQ(v6("2001:db8::1", 65535).host_and_port().view(), "[2001:db8::1]:65535");
  EXPECT_EQ(v6("::ffff:192.0.2.1", 1).host_and_port().view(), "192.0.2.1:1");
  EXPECT_EQ(Address{}.host_and_port().view(), "unknown");
}

Descriptor some_descriptor() { return Descriptor(::dup(0)); }

TEST(Strangers, FiveOfOneSourceThirtyInAll) {
  Strangers strangers;
  const Source one = source_of(v4("192.0.2.1", 1));
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(strangers.admits(one));
    strangers.add(one, some_descriptor());
  }
  EXPECT_FALSE(strangers.admits(source_of(v4("192.0.2.1", 9))));
  EXPECT_TRUE(strangers.admits(source_of(v4("192.0.2.2", 1))));
  strangers.remove(2);
  EXPECT_TRUE(strangers.admits(one));
  for (int i = 0; i < 26; ++i)
    strangers.add(source_of(v4(("198.51.100." + std::to_string(i)).c_str(), 1)), some_descriptor());
  EXPECT_FALSE(strangers.admits(source_of(v4("203.0.113.1", 1))));
  strangers.remove(7);
  EXPECT_TRUE(strangers.admits(source_of(v4("203.0.113.1", 1))));
}

TEST(Strangers, AnIpv6SourceIsA64) {
  EXPECT_EQ(source_of(v6("2001:db8:0:1::1", 1)), source_of(v6("2001:db8:0:1:ffff::2", 2)));
  EXPECT_NE(source_of(v6("2001:db8:0:1::1", 1)), source_of(v6("2001:db8:0:2::1", 1)));
}

TEST(Environment, SetsReplacesAndIsBounded) {
  const auto environment = std::make_unique<Environment>();
  EXPECT_TRUE(environment->set("A", "1"));
  EXPECT_TRUE(environment->set("AB", "2"));
  EXPECT_TRUE(environment->set("A", "3"));
  EXPECT_EQ(environment->value("A"), "3");
  EXPECT_EQ(environment->value("AB"), "2");
  EXPECT_STREQ(environment->get()[0], "A=3");
  EXPECT_EQ(environment->get()[2], nullptr);
  EXPECT_FALSE(environment->set("B", std::string(Environment::bytes, 'x')));
  EXPECT_FALSE(environment->set("B", std::string_view("a\0b", 3)));
  EXPECT_FALSE(environment->set("B=", "x"));
  for (std::size_t i = 2; i < Environment::most; ++i) EXPECT_TRUE(environment->set("N" + std::to_string(i), ""));
  EXPECT_FALSE(environment->set("ONE_MORE", ""));
}

TEST(Environment, OursNeverReachesAChild) {
  ::setenv("DROPBEAR_PASSWORD", "secret", 1);
  ::setenv("INTEROP_SEEN", "seen", 1);
  const auto environment = std::make_unique<Environment>();
  environment->take_own();
  EXPECT_EQ(environment->value("INTEROP_SEEN"), "seen");
  EXPECT_EQ(environment->value("DROPBEAR_PASSWORD"), "");
  ::unsetenv("DROPBEAR_PASSWORD");
}

TEST(Environment, WhatAPeerMaySet) {
  for (const char* name : {"LANG", "LC_ALL", "LC_TIME", "COLORTERM", "GIT_PROTOCOL"}) EXPECT_TRUE(peer_may_set(name)) << name;
  for (const char* name : {"", "LANGUAGE", "LC", "LD_PRELOAD", "PATH", "ENV", "BASH_ENV", "IFS", "TERM"})
    EXPECT_FALSE(peer_may_set(name)) << name;
}

TEST(SignalNames, ThoseOfTheRfc) {
  EXPECT_EQ(signal_of_name("TERM"), SIGTERM);
  EXPECT_EQ(signal_of_name("SIGTERM"), 0);
  EXPECT_EQ(signal_of_name("STOP"), 0);
  EXPECT_EQ(name_of_signal(SIGSEGV), "SEGV");
  EXPECT_EQ(name_of_signal(SIGBUS), "SIG@openssh.com");
}

TEST(Password, MatchesItsHashOnly) {
  // crypt(3) of libxcrypt: "password" with the salt "salt".
  constexpr std::string_view hash =
      "$6$salt$IxDD3jeSOb5eB1CX5LBsqZFVkJdido3OUILO5Ifz5iwMuTS4XMS130MTSuDDl3aCI6WouIL9AjRbLCelDCy.g.";
  constexpr std::string_view stand_in = "$6$nobody$";
  EXPECT_TRUE(password_matches("password", hash, stand_in));
  EXPECT_FALSE(password_matches("passwore", hash, stand_in));
  EXPECT_FALSE(password_matches("", hash, stand_in));
  EXPECT_FALSE(password_matches(std::string_view("password\0x", 10), hash, stand_in));
  EXPECT_FALSE(password_matches("password", "!" + std::string(hash), stand_in));
  for (const char* locked : {"", "!", "*", "!!", "*LK*", "x"}) {
    EXPECT_FALSE(password_matches("", locked, stand_in)) << locked;
    EXPECT_FALSE(password_matches(locked, locked, stand_in)) << locked;
  }
}

TEST(ProgramNames, VersionOfADropbearNameIsDropbearsLine) {
  EXPECT_EQ(version_line("/usr/sbin/dropbear").view(), "Dropbear v2026.94");
  EXPECT_TRUE(version_line("sshaped").view().starts_with("sshaped 0."));
  EXPECT_EQ(program_of_name(program_name("/x/y/-dbclient")), Program::client);
  EXPECT_EQ(program_of_name("nonsense"), Program::none);
}

}  // namespace
}  // namespace sshape::posix

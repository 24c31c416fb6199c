// One line of a known_hosts file (sshd(8), "SSH_KNOWN_HOSTS FILE FORMAT").
#include "port/posix/known_hosts.hpp"

#include <gtest/gtest.h>

#include <string>

#include "core/crypto/base64.hpp"

namespace sshape::posix {
namespace {

using enum KnownHost;

constexpr std::string_view ada = "AAAAC3NzaC1lZDI1NTE5AAAAIM+RwwaL/B90Weh+2fsglnnF/Bw345k5JUgZL9B/qwXx";
constexpr std::string_view bob = "AAAAC3NzaC1lZDI1NTE5AAAAIP7dkAqCcK0O9iCixNi0XekT1cbVhvUgA8KRRScIptKk";

KnownHost judge(const std::string& line, std::string_view name = "host.example", std::string_view key = ada) {
  std::byte blob[64];
  const auto size = crypto::base64_decode(key, blob);
  return judge_known_host(line, name, "ssh-ed25519", Bytes(blob).first(size.value()));
}

std::string entry(std::string_view hosts, std::string_view key = ada) {
  return std::string(hosts) + " ssh-ed25519 " + std::string(key);
}

TEST(KnownHosts, PlainNamesMatchWithoutRegardToCase) {
  EXPECT_EQ(judge(entry("host.example")), match);
  EXPECT_EQ(judge(entry("HOST.Example")), match);
  EXPECT_EQ(judge(entry("a,host.example,b")), match);
  EXPECT_EQ(judge(entry("host.example", bob)), mismatch);
  EXPECT_EQ(judge(entry("host.exampl")), other);
  EXPECT_EQ(judge(entry("host.example.org")), other);
  EXPECT_EQ(judge(entry("[host.example]:2222")), other);
  EXPECT_EQ(judge(entry("[host.example]:2222"), "[host.example]:2222"), match);
}

TEST(KnownHosts, BlanksCommentsAndLineEndsOfAnyKind) {
  EXPECT_EQ(judge("  " + entry("host.example") + " a comment"), match);
  EXPECT_EQ(judge("host.example\tssh-ed25519\t" + std::string(ada) + "\r"), match);
  EXPECT_EQ(judge("#" + entry("host.example")), other);
  EXPECT_EQ(judge("# " + entry("host.example")), other);
  EXPECT_EQ(judge(""), other);
  EXPECT_EQ(judge("   "), other);
  EXPECT_EQ(judge("host.example"), other);
  EXPECT_EQ(judge("host.example ssh-ed25519"), other);
  EXPECT_EQ(judge("host.example 1024 35 1234567"), other) << "protocol 1";
  EXPECT_EQ(judge("host.example ssh-ed25519 AAAA?"), other);
}

TEST(KnownHosts, WildcardsAndNegation) {
  EXPECT_EQ(judge(entry("*.example")), match);
  EXPECT_EQ(judge(entry("h?st.*")), match);
  EXPECT_EQ(judge(entry("*")), match);
  EXPECT_EQ(judge(entry("**h*e**")), match);
  EXPECT_EQ(judge(entry("*.example?")), other);
  EXPECT_EQ(judge(entry("*,!host.example")), other);
  EXPECT_EQ(judge(entry("!host.example,*")), other);
  EXPECT_EQ(judge(entry("*,!other.example")), match);
  EXPECT_EQ(judge(entry("!other.example")), other) << "a negation alone names nobody";
  EXPECT_EQ(judge(entry("!")), other);
  EXPECT_EQ(judge(entry(",,")), other);
}

TEST(KnownHosts, APatternCannotMakeItSlow) {
  std::string stars;
  for (int i = 0; i < 2000; ++i) stars += "*a";
  EXPECT_EQ(judge(entry(stars + "b"), std::string(255, 'a')), other);
}

// Hashed by OpenSSH 9.2's ssh-keygen -H.
constexpr char hashed[] = 
    "|1|pt4wzXmTTlPGqnP9H4zBY/F8EWc=|Ss3altYy+/EMhAA0vmnyGh4wBQ4= "
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIM+RwwaL/B90Weh+2fsglnnF/Bw345k5JUgZL9B/qwXx";
constexpr char hashed_with_port[] = 
    "|1|H71GvMAAP8rg/E7B+rlLDqXSG5I=|6dxkrxkOSzwMBMpuYYU2451AhEQ= "
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIP7dkAqCcK0O9iCixNi0XekT1cbVhvUgA8KRRScIptKk";

TEST(KnownHosts, HashedNames) {
  EXPECT_EQ(judge(hashed), match);
  EXPECT_EQ(judge(hashed, "other.example"), other);
  EXPECT_EQ(judge(hashed, "host.example", bob), mismatch);
  EXPECT_EQ(judge(hashed_with_port, "[host.example]:2222", bob), match);
  EXPECT_EQ(judge(hashed_with_port, "host.example", bob), other);
  std::string broken = hashed;
  broken[10] = broken[10] == 'A' ? 'B' : 'A';
  EXPECT_EQ(judge(broken), other);
  EXPECT_EQ(judge("|1| ssh-ed25519 " + std::string(ada)), other);
  EXPECT_EQ(judge("|1|| ssh-ed25519 " + std::string(ada)), other);
  EXPECT_EQ(judge("|2|" + std::string(hashed + 3)), other);
}

TEST(KnownHosts, ARevokedKeyIsRevokedAndACertificateAuthorityIsNoHost) {
  EXPECT_EQ(judge("@revoked " + entry("*")), revoked);
  EXPECT_EQ(judge("@revoked " + entry("*", bob)), other);
  EXPECT_EQ(judge("@revoked " + entry("other.example")), other);
  EXPECT_EQ(judge("@cert-authority " + entry("*")), other);
  EXPECT_EQ(judge("@unheard-of " + entry("*")), other);
}

TEST(KnownHosts, AKeyOfAnotherTypeIsNoMismatch) {
  EXPECT_EQ(judge("host.example ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAAQM="), other_type);
  EXPECT_EQ(known_key_type("host.example ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAAQM=", "host.example"), "ssh-rsa");
  EXPECT_EQ(known_key_type(entry("other.example"), "host.example"), "");
  EXPECT_EQ(known_key_type("@revoked " + entry("host.example"), "host.example"), "");
}

TEST(KnownHosts, TwoNamesOfAHostAtAnotherPort) {
  const auto found = [](KnownHost verdict) { return KnownHostFinding{verdict, "file", 1}; };
  const auto weighed = [&](KnownHost with_port, KnownHost bare, bool bare_binds) {
    return weigh(found(with_port), found(bare), bare_binds).verdict;
  };
  for (const bool binds : {false, true}) {
    EXPECT_EQ(weighed(match, mismatch, binds), match);
    EXPECT_EQ(weighed(mismatch, match, binds), match);
    EXPECT_EQ(weighed(other, match, binds), match);
    EXPECT_EQ(weighed(mismatch, other, binds), mismatch);
    EXPECT_EQ(weighed(match, revoked, binds), revoked);
    EXPECT_EQ(weighed(revoked, match, binds), revoked);
    EXPECT_EQ(weighed(other, other, binds), other);
  }
  EXPECT_EQ(weighed(other, mismatch, true), mismatch) << "dropbear wrote the bare name, and it binds";
  EXPECT_EQ(weighed(other, mismatch, false), other) << "for OpenSSH it is the host at port 22";
  EXPECT_EQ(weighed(other_type, mismatch, true), mismatch);
  EXPECT_EQ(weighed(other, other_type, true), other_type);
}

}  // namespace
}  // namespace sshape::posix

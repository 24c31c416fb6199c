// authorized_keys as COMPAT.md has it, and field report 21 of PEERS.md.
#include "port/posix/authorized_keys.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/crypto/key_files.hpp"

namespace sshape::posix {
namespace {

using Verdict = KeyLine::Verdict;

// A key blob of ssh-ed25519 whose 32 bytes are all `fill`.
std::vector<std::byte> blob_of(unsigned char fill) {
  std::vector<std::byte> blob(4 + 11 + 4 + 32, std::byte{fill});
  wire::Writer(blob).string(std::string_view("ssh-ed25519")).uint32(32);
  return blob;
}

std::string base64(const std::vector<std::byte>& blob) {
  std::vector<std::byte> text(200);
  wire::Writer out(text);
  crypto::base64_encode(blob, out);
  return std::string(text_of(out.written()));
}

class AuthorizedKeys : public testing::Test {
 protected:
  const std::vector<std::byte> ours = blob_of(1), other = blob_of(2);
  const std::string key = "ssh-ed25519 " + base64(ours);
  KeyCandidate candidate{.type = "ssh-ed25519", .blob = ours, .host = "192.0.2.7",
                         .local_time = 20261201'120000, .utc_time = 20261201'110000};
  std::unique_ptr<KeyOptions> options = std::make_unique<KeyOptions>();
  KeyLine last;

  Verdict judge(const std::string& line) {
    last = judge_key_line(line, candidate, *options);
    return last.verdict;
  }
  std::string why(const std::string& line) {
    EXPECT_EQ(judge(line), Verdict::refused) << line;
    return last.why;
  }
};

TEST_F(AuthorizedKeys, PlainLineAdmitsItsKeyAndNoOther) {
  EXPECT_EQ(judge(key), Verdict::admits);
  EXPECT_EQ(judge(key + " a comment, with \"anything\" in it"), Verdict::admits);
  EXPECT_EQ(judge("ssh-ed25519 " + base64(other)), Verdict::other);
  EXPECT_EQ(judge("ssh-rsa " + base64(ours)), Verdict::other);
  EXPECT_EQ(judge("ssh-ed25519"), Verdict::other);
  EXPECT_EQ(judge("ssh-ed25519 " + base64(ours).substr(0, 40)), Verdict::other);
}

TEST_F(AuthorizedKeys, EmptyLinesAndCommentsAreNothing) {
  for (const char* line : {"", " ", "\t \t", "\r", "# ssh-ed25519 AAAA", "  # x"}) EXPECT_EQ(judge(line), Verdict::other) << line;
}

TEST_F(AuthorizedKeys, BlanksOfEveryKindSeparateReport21) {
  const std::string blob = base64(ours);
  for (const std::string& line : {"ssh-ed25519\t" + blob, "ssh-ed25519  " + blob, " \tssh-ed25519 " + blob, key + "\r",
                                  "ssh-ed25519 \t " + blob + "\tcomment\r", "no-pty\tssh-ed25519 " + blob})
    EXPECT_EQ(judge(line), Verdict::admits) << line;
}

TEST_F(AuthorizedKeys, EachRestrictionRestricts) {
  EXPECT_EQ(judge("no-pty,no-port-forwarding,no-agent-forwarding,no-X11-forwarding,no-user-rc " + key), Verdict::admits);
  EXPECT_FALSE(options->pty || options->port_forwarding || options->agent_forwarding || options->x11_forwarding || options->user_rc);
  EXPECT_EQ(judge("NO-PTY " + key), Verdict::admits);  // case does not matter
  EXPECT_FALSE(options->pty);
  EXPECT_TRUE(options->port_forwarding);
  EXPECT_EQ(judge("restrict " + key), Verdict::admits);
  EXPECT_FALSE(options->pty || options->port_forwarding || options->agent_forwarding || options->x11_forwarding);
  EXPECT_EQ(judge("restrict,pty " + key), Verdict::admits);
  EXPECT_TRUE(options->pty);
  EXPECT_FALSE(options->port_forwarding);
  EXPECT_EQ(judge("permitopen=\"host:22\",permitlisten=\"8080\",verify-required,no-touch-required " + key), Verdict::admits);
  EXPECT_TRUE(options->permitopen && options->permitlisten && options->verify_required && options->no_touch_required);
}

TEST_F(AuthorizedKeys, OptionsOfOneLineDoNotReachTheNext) {
  EXPECT_EQ(judge("restrict,command=\"a\" " + key), Verdict::admits);
  EXPECT_EQ(judge(key), Verdict::admits);
  EXPECT_TRUE(options->pty);
  EXPECT_FALSE(options->forced);
}

TEST_F(AuthorizedKeys, CommandKeepsItsQuotesAndBlanks) {
  EXPECT_EQ(judge("command=\"echo \\\"a  b\\\" #, x\" " + key), Verdict::admits);
  EXPECT_TRUE(options->forced);
  EXPECT_EQ(options->command.view(), "echo \"a  b\" #, x");
  EXPECT_EQ(judge("command=\"\" " + key), Verdict::admits);
  EXPECT_TRUE(options->forced);
  EXPECT_EQ(why("command=\"a\",command=\"b\" " + key), "command= twice");
}

TEST_F(AuthorizedKeys, WhatIsNotUnderstoodRefusesTheLine) {
  for (const char* bad : {"cert-authority", "principals=\"x\"", "tunnel=\"1\"", "no-such", "no-pty,,restrict", "no-pty=\"x\"",
                          "command", "from", "restrict,", ",restrict", "command=x"})
    EXPECT_EQ(judge(std::string(bad) + " " + key), Verdict::refused) << bad;
  EXPECT_EQ(why("command=\"open " + key), "a quotation does not end");
  EXPECT_EQ(judge("command=\"a\"x " + key), Verdict::refused);
}

TEST_F(AuthorizedKeys, EnvironmentIsUnderstoodAndNotHonoured) {
  EXPECT_EQ(judge("environment=\"LD_PRELOAD=/x\" " + key), Verdict::admits);
  EXPECT_STREQ(last.ignored, "environment=");
}

TEST_F(AuthorizedKeys, FromAdmitsAddressesAndNetworks) {
  for (const char* list : {"192.0.2.7", "10.0.0.0/8,192.0.2.0/24", "192.0.2.6/31", "0.0.0.0/0", "!192.0.2.8,192.0.2.0/24"})
    EXPECT_EQ(judge("from=\"" + std::string(list) + "\" " + key), Verdict::admits) << list;
  for (const char* list : {"192.0.2.8", "192.0.2.0/29,!192.0.2.7", "192.0.2.4/31", "2001:db8::/32", "!192.0.2.8"})
    EXPECT_EQ(why("from=\"" + std::string(list) + "\" " + key), "from= does not admit this address") << list;
  for (const char* list : {"example.org", "192.0.2.7,example.org", "*.0.2.7", "192.0.2.0/33", "192.0.2.0/", "", "192.0.2.7,"})
    EXPECT_EQ(why("from=\"" + std::string(list) + "\" " + key), "from= takes addresses and networks only") << list;
  candidate.host = "2001:db8::1";
  EXPECT_EQ(judge("from=\"2001:db8::/32\" " + key), Verdict::admits);
  EXPECT_EQ(judge("from=\"2001:db8:0:1::/64\" " + key), Verdict::refused);
  candidate.host = "";  // a pipe
  EXPECT_EQ(judge("from=\"0.0.0.0/0,::/0\" " + key), Verdict::refused);
}

TEST_F(AuthorizedKeys, ExpiryTimeInLocalTimeAndInUtc) {
  for (const char* time : {"20261202", "202612011201", "20261201120001", "20261201110001Z", "20991231235959"})
    EXPECT_EQ(judge("expiry-time=\"" + std::string(time) + "\" " + key), Verdict::admits) << time;
  for (const char* time : {"20261201", "202612011200", "20261201110000Z", "19700101"})
    EXPECT_EQ(why("expiry-time=\"" + std::string(time) + "\" " + key), "the key has expired") << time;
  for (const char* time : {"", "2030", "20301345", "20300100", "203001012400", "203001012360", "2030-01-01", "99999999"})
    EXPECT_EQ(why("expiry-time=\"" + std::string(time) + "\" " + key), "malformed expiry-time") << time;
}

TEST_F(AuthorizedKeys, CommentIsKeptAsFarAsItIsPlain) {
  EXPECT_EQ(judge(key + " me@host_1.example,x+y-z $(reboot)"), Verdict::admits);
  EXPECT_EQ(options->comment.view(), "me@host_1.example,x+y-z");
}

// --- lines ----------------------------------------------------------------------------------------

struct Cut {
  std::vector<std::string> lines;
  std::size_t too_long = 0;
};

// Feeds the text in pieces of `piece` bytes.
Cut cut(const std::string& text, std::size_t piece) {
  const auto lines = std::make_unique<KeyFileLines>();
  Cut result;
  std::size_t at = 0;
  for (bool end = false; !end;) {
    const MutableBytes space = lines->space();
    const std::size_t n = std::min({space.size(), piece, text.size() - at});
    copy_bytes(space, bytes_of(text).subspan(at, n));
    lines->filled(n);
    at += n;
    end = at == text.size();
    while (const auto line = lines->next(end)) result.lines.emplace_back(*line);
  }
  result.too_long = lines->too_long();
  return result;
}

TEST(KeyFileLines, LastLineCountsWithoutItsNewline) {
  for (std::size_t piece : {1u, 2u, 3u, 7u, 1000u}) {
    EXPECT_EQ(cut("a\nb\n\nc", piece).lines, (std::vector<std::string>{"a", "b", "", "c"}));
    EXPECT_EQ(cut("a\n", piece).lines, (std::vector<std::string>{"a"}));
    EXPECT_EQ(cut("", piece).lines, (std::vector<std::string>{}));
  }
}

TEST(KeyFileLines, LineAtTheLimitIsTakenOnePastItIsSkippedWhole) {
  constexpr std::size_t limit = active::profile.authorized_keys_line;
  const std::string fits(limit, 'x'), too_long(limit + 1, 'y'), far_too_long(limit * 3 + 5, 'z');
  for (std::size_t piece : {1u, 100u, 4096u, 100000u}) {
    const Cut all = cut("a\n" + fits + "\n" + too_long + "\nb\n" + far_too_long + "\nc\n" + far_too_long, piece);
    EXPECT_EQ(all.lines, (std::vector<std::string>{"a", fits, "b", "c"})) << piece;
    EXPECT_EQ(all.too_long, 3u);
  }
}

}  // namespace
}  // namespace sshape::posix

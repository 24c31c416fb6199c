// The client's command line (dropbear's, and OpenSSH's where they differ).
#include "port/posix/programs/client_options.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <memory>
#include <string>
#include <vector>

namespace sshape::posix {
namespace {

using enum CommandLine;
using Terminal = ClientOptions::Terminal;

class Client {
 public:
  Client(std::initializer_list<const char*> words) {
    for (const char* const word : words) words_.emplace_back(word);
    for (std::string& word : words_) argv_.push_back(word.data());
    argv_.push_back(nullptr);
    testing::internal::CaptureStderr();
    testing::internal::CaptureStdout();
    outcome = parse_client_options(static_cast<int>(words_.size()), argv_.data(), options());
    complaint = testing::internal::GetCapturedStderr();
    output = testing::internal::GetCapturedStdout();
  }
  ClientOptions& options() { return *options_; }
  ClientOptions* operator->() { return options_.get(); }
  CommandLine outcome;
  std::string complaint, output;

 private:
  std::vector<std::string> words_;
  std::vector<char*> argv_;
  std::unique_ptr<ClientOptions> options_ = std::make_unique<ClientOptions>();
};

TEST(ClientOptions, DestinationAndCommand) {
  Client client{"dbclient", "-p", "2222", "ada@host", "-T", "echo", "-n", "a b"};
  EXPECT_EQ(client.outcome, run);
  EXPECT_EQ(client->user.view(), "ada");
  EXPECT_EQ(client->host.view(), "host");
  EXPECT_EQ(client->port, 2222u);
  EXPECT_EQ(client->terminal, Terminal::never);
  EXPECT_EQ(client->command.view(), "echo -n a b");
  EXPECT_EQ(client.complaint, "");
}

TEST(ClientOptions, TheHostsOwnPortAndUserCountMost) {
  Client client{"sshape", "-l", "bob", "-p", "1", "ada@host^2"};
  EXPECT_EQ(client->user.view(), "ada");
  EXPECT_EQ(client->port, 2u);
}

TEST(ClientOptions, TwoDashesEndTheOptions) {
  Client client{"sshape", "--", "host", "-v", "x"};
  EXPECT_EQ(client.outcome, run);
  EXPECT_EQ(client->command.view(), "-v x");
  EXPECT_EQ(Client({"sshape", "--", "-oProxyCommand=x"}).outcome, exit_1);
}

TEST(ClientOptions, AsScpRsyncAndGitCallIt) {
  Client scp{"ssh",
             "-x",
             "-oPermitLocalCommand=no",
             "-oClearAllForwardings=yes",
             "-oRemoteCommand=none",
             "-oRequestTTY=no",
             "-oForwardX11=no",
             "-oForwardAgent=no",
             "-l",
             "ada",
             "--",
             "host",
             "scp",
             "-t",
             "."};
  EXPECT_EQ(scp.outcome, run);
  EXPECT_EQ(scp->command.view(), "scp -t .");
  EXPECT_EQ(scp.complaint, "");
  Client sftp{"ssh", "-oForwardX11", "no", "-oPort", "host", "-s", "sftp"};
  EXPECT_EQ(sftp.outcome, exit_1) << "-oPort takes its value from the same word";
  Client git{"dbclient", "-o", "SendEnv=GIT_PROTOCOL", "-p", "22", "git@host", "git-upload-pack 'x'"};
  EXPECT_EQ(git.outcome, run);
}

TEST(ClientOptions, WhatIsUnknownIsAWarningAndItGoesOn) {
  Client client{"dbclient", "-C", "-oNoSuchThing=yes", "host"};
  EXPECT_EQ(client.outcome, run);
  EXPECT_NE(client.complaint.find("unknown option -C"), std::string::npos);
  EXPECT_NE(client.complaint.find("NoSuchThing"), std::string::npos);
}

TEST(ClientOptions, ABadValueOfAKnownOneEndsIt) {
  for (const auto& words : std::initializer_list<std::initializer_list<const char*>>{
           {"dbclient", "-p", "0", "host"}, {"dbclient", "-p", "65536", "host"}, {"dbclient", "-p", "x", "host"},
           {"dbclient", "-W", "0", "host"}, {"dbclient", "-K", "-1", "host"}, {"dbclient", "-o", "Port=x", "host"},
           {"dbclient", "-o", "BatchMode=maybe", "host"}, {"dbclient", "-o", "StrictHostKeyChecking=perhaps", "host"},
           {"dbclient", "-o", "AddressFamily=ipx", "host"}, {"dbclient", "-o", "RekeyLimit=0", "host"},
           {"dbclient", "-o", "Port", "host"}, {"dbclient", "-c", "none", "host"}, {"dbclient", "-i"},
           {"dbclient", "host^x"}, {"dbclient", "a;b"}, {"dbclient", "-l", "a;b", "host"}, {"dbclient", "a,b"},
           {"dbclient", "-J", "x", "host"}, {"dbclient", "-L", "1:a:2", "host"}, {"dbclient", "-s", "host"},
           {"dbclient", "-f", "host"}, {"dbclient"}, {"dbclient", "-p"}}) {
    Client client(words);
    EXPECT_EQ(client.outcome, exit_1) << words.begin()[words.size() - 1];
    EXPECT_NE(client.complaint, "");
  }
}

TEST(ClientOptions, LettersMeanWhatTheDialectSays) {
  EXPECT_EQ(Client({"dbclient", "-W", "4096", "host"})->window, 4096u);
  EXPECT_EQ(Client({"ssh", "-W", "host:1", "host"}).outcome, exit_1);
  EXPECT_EQ(Client({"dbclient", "-K", "5", "host"})->keepalive, 5 * second);
  EXPECT_EQ(Client({"ssh", "-K", "host"}).outcome, run);
  EXPECT_EQ(Client({"dbclient", "-y", "host"})->host_keys, HostKeyPolicy::accept_new);
  EXPECT_EQ(Client({"dbclient", "-y", "-y", "host"})->host_keys, HostKeyPolicy::unchecked);
  EXPECT_EQ(Client({"ssh", "-y", "host"})->host_keys, HostKeyPolicy::ask);
  EXPECT_EQ(own_failure(Client({"ssh", "host"})->dialect), 255);
  EXPECT_EQ(own_failure(Client({"/usr/bin/dbclient", "host"})->dialect), 1);
}

TEST(ClientOptions, AWindowBeyondTheBuildsIsCutWithAWarning) {
  Client client{"dbclient", "-W", "99999999999", "host"};
  EXPECT_EQ(client.outcome, run);
  EXPECT_LE(client->window, active::profile.window_ceiling);
  EXPECT_NE(client.complaint.find("window_ceiling"), std::string::npos);
}

TEST(ClientOptions, Terminals) {
  EXPECT_EQ(Client({"ssh", "host"})->terminal, Terminal::automatic);
  EXPECT_EQ(Client({"ssh", "-t", "host"})->terminal, Terminal::wanted);
  EXPECT_EQ(Client({"ssh", "-tt", "host"})->terminal, Terminal::forced);
  EXPECT_EQ(Client({"ssh", "-tt", "-T", "host"})->terminal, Terminal::never);
  EXPECT_EQ(Client({"ssh", "-o", "RequestTTY=force", "host"})->terminal, Terminal::forced);
}

TEST(ClientOptions, Settings) {
  Client client{"ssh",
                "-oport=7",
                "-o",
                "USER = ada",
                "-oIdentityFile=/k",
                "-oConnectTimeout=3",
                "-oServerAliveInterval=4",
                "-oPasswordAuthentication=no",
                "-oBatchMode yes",
                "-oAddressFamily=inet6",
                "-oUserKnownHostsFile=/a  /b",
                "host"};
  EXPECT_EQ(client.outcome, run);
  EXPECT_EQ(client->port, 7u);
  EXPECT_EQ(client->user.view(), "ada");
  ASSERT_EQ(client->identities.size(), 1u);
  EXPECT_STREQ(client->identities[0], "/k");
  EXPECT_EQ(client->connect_limit, 3 * second);
  EXPECT_EQ(client->keepalive, 4 * second);
  EXPECT_FALSE(client->use_passwords);
  EXPECT_TRUE(client->batch);
  EXPECT_EQ(client->family, AF_INET6);
  ASSERT_EQ(client->known_hosts.size(), 2u);
  EXPECT_EQ(client->known_hosts[1], "/b");
}

TEST(ClientOptions, RekeyLimits) {
  EXPECT_EQ(Client({"ssh", "-oRekeyLimit=4096", "host"})->rekey_bytes, 4096u);
  EXPECT_EQ(Client({"ssh", "-oRekeyLimit=1M", "host"})->rekey_bytes, 1u << 20);
  EXPECT_EQ(Client({"ssh", "-oRekeyLimit=1G 1h", "host"})->rekey_after, 3600 * second);
  EXPECT_EQ(Client({"ssh", "-oRekeyLimit=default none", "host"})->rekey_bytes, active::profile.rekey_bytes);
  EXPECT_EQ(Client({"ssh", "-oRekeyLimit=99999999999999G", "host"}).outcome, exit_1);
  EXPECT_EQ(Client({"ssh", "-oRekeyLimit=1M x", "host"}).outcome, exit_1);
}

TEST(ClientOptions, StrictHostKeyChecking) {
  const auto policy = [](const char* name, const char* value) {
    return Client({name, "-o", (std::string("StrictHostKeyChecking=") + value).c_str(), "host"})->host_keys;
  };
  for (const char* const name : {"dbclient", "ssh"}) {
    EXPECT_EQ(policy(name, "ask"), HostKeyPolicy::ask);
    EXPECT_EQ(policy(name, "accept-new"), HostKeyPolicy::accept_new);
    EXPECT_EQ(policy(name, "yes"), HostKeyPolicy::only_known);
  }
  EXPECT_EQ(policy("dbclient", "no"), HostKeyPolicy::unchecked);
  EXPECT_EQ(policy("ssh", "no"), HostKeyPolicy::accept_changed);
}

TEST(ClientOptions, OurEndOfTheConnection) {
  EXPECT_STREQ(Client({"ssh", "-b", "192.0.2.1", "host"})->from_host, "192.0.2.1");
  Client port{"ssh", "-b", ":1022", "host"};
  EXPECT_EQ(port->from_host, nullptr);
  EXPECT_EQ(port->from_port, 1022u);
  Client six{"ssh", "-b", "[2001:db8::1]:22", "host"};
  EXPECT_STREQ(six->from_host, "2001:db8::1");
  EXPECT_EQ(six->from_port, 22u);
  EXPECT_STREQ(Client({"ssh", "-b", "2001:db8::1", "host"})->from_host, "2001:db8::1");
  EXPECT_EQ(Client({"ssh", "-b", "a:x", "host"}).outcome, exit_1);
}

TEST(ClientOptions, WhatPrintsAndEnds) {
  Client version{"dbclient", "-V"};
  EXPECT_EQ(version.outcome, exit_0);
  EXPECT_EQ(version.complaint.substr(0, 10), "Dropbear v");
  EXPECT_EQ(version.output, "");
  EXPECT_EQ(Client({"dbclient", "-h"}).outcome, exit_0);
  EXPECT_EQ(Client({"dbclient", "-o", "help"}).outcome, exit_0);
  EXPECT_EQ(Client({"dbclient", "-c", "help"}).outcome, exit_1);
  EXPECT_NE(Client({"dbclient", "-Q", "kex"}).output.find("curve25519-sha256"), std::string::npos);
}

}  // namespace
}  // namespace sshape::posix

// The children of one connection: one a channel, at most (RFC 4254, 6.5).
#pragma once

#include <array>
#include <optional>

#include "port/posix/authority.hpp"
#include "port/posix/authorized_keys.hpp"
#include "port/posix/account.hpp"
#include "port/posix/environment.hpp"
#include "port/posix/pty.hpp"
#include "port/posix/socket.hpp"

namespace sshape::posix {

struct StartPolicy {
  const char* forced_command = nullptr;  // of the command line; over a key's
  bool give_environment = false;
  bool message_of_the_day = true;
  // Ends of the connection; not is_tcp(): unknown, and children are not told.
  Address peer;
  Address local;
};

class Children {
 public:
  explicit Children(const StartPolicy& policy) : policy_(policy) {}

  // As the user that this process has become. Answer of kind `started`.
  Answer start(const Question& question, const Account& account, const KeyOptions& key);
  void resize(ChannelId channel, WindowSize size);
  void signal(ChannelId channel, std::string_view name, const KeyOptions& key);
  void hang_up(ChannelId channel);  // forgets the child
  bool forced(const KeyOptions& key) const { return policy_.forced_command != nullptr || key.forced; }

  void reap();  // after SIGCHLD
  std::optional<Answer> next_exited();

 private:
  struct Entry {
    ChannelId channel{};
    pid_t pid = -1;
    bool used = false;
    bool exited = false;
    bool reported = false;
    int wait_status = 0;
    Descriptor master;  // of its terminal
  };

  Entry* find(ChannelId channel);
  Entry* free_entry();
  const char* command_of(const Question& question, const KeyOptions& key);
  void build_environment(const Question& question, const Account& account, const KeyOptions& key, const Pty* pty);

  const StartPolicy& policy_;
  std::array<Entry, active::profile.channels> entries_;
  bool exited_ = false;  // some entry may have an exit to report
  Environment environment_;
  Text<active::profile.command> command_;   // what was asked for, terminated
};

}  // namespace sshape::posix

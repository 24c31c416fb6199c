// Who may answer a server session's questions: the holder of the host keys, the accounts, and the
// right to act as a user. Today in the same process (local_authority); later a monitor at the other
// end of a socketpair. So: a question is one message of plain fields, an answer likewise, with
// descriptors; answers may come at once or later, and in any order.
#pragma once

#include <sys/types.h>

#include <array>
#include <optional>
#include <string_view>

#include "core/events.hpp"
#include "core/instant.hpp"
#include "port/posix/descriptor.hpp"

namespace sshape::posix {

enum class Ask : std::uint8_t {
  sign,         // host key signature of an exchange hash
  login,        // none, password, public key query, public key
  start,        // a shell, a command or a subsystem, with or without a pty
  resize,       // window size of a pty
  signal,       // to the process group of a channel's child
  hang_up,      // the channel is closed: its child loses terminal and gets SIGHUP
};

struct Question {
  Ask ask;
  QuestionId id = QuestionId::none;
  ChannelId channel{};
  // sign
  Bytes blob{};             // also the key of a login
  Bytes exchange_hash{};
  // login
  event::Method method = event::Method::none;
  std::string_view user{};
  std::string_view password{};
  std::string_view algorithm{};
  Bytes signature{};
  Bytes signed_data{};
  // start
  event::Start start = event::Start::shell;
  std::string_view command{};
  bool pty = false;
  std::string_view term{};
  Bytes modes{};
  WindowSize size{};
  std::string_view environment{};  // NAME=VALUE, each with a NUL after it
  // signal
  std::string_view signal{};
};

enum class AnswerKind : std::uint8_t { signature, login, started, exited };

struct Answer {
  AnswerKind kind;
  QuestionId id = QuestionId::none;
  ChannelId channel{};
  bool success = false;
  Bytes signature;                 // borrowed until the next call of next()
  LoginVerdict verdict = LoginVerdict::refuse;
  bool may_have_pty = true;        // login, accepted: what requests to refuse at once; `start` is held to
  bool forced_command = false;     // the same by the authority itself
  // started: 0 input (we write), 1 output (we read), 2 error (we read); with a pty only 0, the master.
  std::array<Descriptor, 3> descriptors;
  // exited: as of waitpid()
  int wait_status = 0;
};

class Authority {
 public:
  virtual void ask(const Question& question) = 0;  // copies what it keeps
  virtual std::optional<Answer> next() = 0;        // answers that are ready
  // What the loop polls for answers, and when to look even if nothing is readable. -1: none.
  virtual int descriptor() const = 0;
  virtual Instant wake_at() const = 0;

 protected:
  ~Authority() = default;
};

}  // namespace sshape::posix

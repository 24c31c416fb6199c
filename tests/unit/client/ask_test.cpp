// Questions on the controlling terminal: a child of the test asks them in a terminal of its own.
#include "port/posix/ask.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <string>

#include "port/posix/terminal.hpp"
#include "tests/unit/client/folder.hpp"

namespace sshape::posix {
namespace {

Question::State wait_for_answer(Question& question) {
  Question::State state = question.state();
  while (state == Question::State::waiting) {
    pollfd one{question.descriptor(), POLLIN, 0};
    ::poll(&one, 1, 10'000);
    state = question.take();
  }
  return state;
}

// The user's side of a terminal in which `child` runs; what it returns is its exit status.
class Terminal {
 public:
  explicit Terminal(int (*child)()) {
    master_ = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    ::grantpt(master_);
    ::unlockpt(master_);
    const int slave = ::open(::ptsname(master_), O_RDWR | O_NOCTTY | O_CLOEXEC);
    child_ = ::fork();
    if (child_ != 0) {
      slave_ = slave;
      return;
    }
    ::setsid();
    ::ioctl(slave, TIOCSCTTY, 0);
    ::_exit(child());
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal() {
    ::close(master_);
    ::close(slave_);
    if (child_ > 0) ::kill(child_, SIGKILL), status();
  }

  bool shows(const std::string& text) {
    while (shown_.find(text) == std::string::npos) {
      pollfd one{master_, POLLIN, 0};
      char piece[256];
      if (::poll(&one, 1, 10'000) <= 0) return false;
      const ssize_t n = ::read(master_, piece, sizeof piece);
      if (n <= 0) return false;
      shown_.append(piece, static_cast<std::size_t>(n));
    }
    return true;
  }
  void type(const std::string& text) { ASSERT_EQ(::write(master_, text.data(), text.size()), ssize_t(text.size())); }
  bool echoes() const { return (terminal_settings(slave_)->c_lflag & ECHO) != 0; }
  int status() {
    int status = 0;
    if (child_ <= 0 || ::waitpid(child_, &status, 0) != child_) return -1;
    child_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  const std::string& shown() const { return shown_; }

 private:
  int master_ = -1;
  int slave_ = -1;
  pid_t child_ = -1;
  std::string shown_;
};

TEST(Question, APasswordIsNotShownAndTheTerminalIsGivenBack) {
  Terminal terminal(+[] {
    Question question;
    if (!question.ask_terminal("password: ", false)) return 1;
    return wait_for_answer(question) == Question::State::answered && question.answer() == "s3cret word" ? 0 : 2;
  });
  ASSERT_TRUE(terminal.shows("password: "));
  EXPECT_FALSE(terminal.echoes());
  terminal.type("s3cret word\n");
  EXPECT_EQ(terminal.status(), 0);
  EXPECT_TRUE(terminal.echoes());
  EXPECT_EQ(terminal.shown().find("s3cret"), std::string::npos);
}

TEST(Question, AnAnswerThatMayBeSeenIsShown) {
  Terminal terminal(+[] {
    Question question;
    if (!question.ask_terminal("really? ", true)) return 1;
    return wait_for_answer(question) == Question::State::answered && question.answer() == "yes" ? 0 : 2;
  });
  ASSERT_TRUE(terminal.shows("really? "));
  EXPECT_TRUE(terminal.echoes());
  terminal.type("yes\n");
  EXPECT_TRUE(terminal.shows("yes"));
  EXPECT_EQ(terminal.status(), 0);
}

TEST(Question, EndOfFileCancels) {
  Terminal terminal(+[] {
    Question question;
    if (!question.ask_terminal("password: ", false)) return 1;
    return wait_for_answer(question) == Question::State::cancelled ? 0 : 2;
  });
  ASSERT_TRUE(terminal.shows("password: "));
  terminal.type("\x04");
  EXPECT_EQ(terminal.status(), 0);
  EXPECT_TRUE(terminal.echoes());
}

TEST(Question, TheTerminalIsGivenBackInTheMiddleOfAQuestion) {
  Terminal terminal(+[] {
    Question question;
    if (!question.ask_terminal("password: ", false)) return 1;
    question.finish();
    return question.state() == Question::State::idle && question.descriptor() == -1 ? 0 : 2;
  });
  EXPECT_EQ(terminal.status(), 0);
  EXPECT_TRUE(terminal.echoes());
}

TEST(Question, OneAfterAnother) {
  Terminal terminal(+[] {
    Question question;
    for (const char* const expected : {"one", "two"}) {
      if (!question.ask_terminal("next: ", false)) return 1;
      if (wait_for_answer(question) != Question::State::answered || question.answer() != expected) return 2;
    }
    return 0;
  });
  ASSERT_TRUE(terminal.shows("next: "));
  terminal.type("one\n");
  ASSERT_TRUE(terminal.shows("next: \r\nnext: "));
  terminal.type("two\n");
  EXPECT_EQ(terminal.status(), 0);
}

TEST(Question, ALineLongerThanAnyPasswordIsCutAndEndsWhereItEnds) {
  Terminal terminal(+[] {
    Question question;
    if (!question.ask_terminal("password: ", false)) return 1;
    return wait_for_answer(question) == Question::State::answered && question.answer() == std::string(1024, 'x') ? 0
                                                                                                                 : 2;
  });
  ASSERT_TRUE(terminal.shows("password: "));
  terminal.type(std::string(1500, 'x') + "\n");
  EXPECT_EQ(terminal.status(), 0);
}

int in_a_session_without_a_terminal(int (*child)()) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::setsid();
    ::_exit(child());
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Question, WithoutATerminalThereIsNobodyToAsk) {
  EXPECT_EQ(in_a_session_without_a_terminal(+[] { return Question().ask_terminal("password: ", false) ? 1 : 0; }), 0);
}

TEST(Question, AProgramAnswersWhatItPrints) {
  const test::Folder folder;
  const std::string good = folder.write("good", "#!/bin/sh\necho \"$1\"\necho more\n");
  const std::string unended = folder.write("unended", "#!/bin/sh\nprintf word\n");
  const std::string failing = folder.write("failing", "#!/bin/sh\necho word\nexit 1\n");
  for (const std::string& program : {good, unended, failing})
    std::filesystem::permissions(program, std::filesystem::perms(0700));

  Question question;
  ASSERT_TRUE(question.ask_program(good.c_str(), "ada's password: "));
  EXPECT_EQ(wait_for_answer(question), Question::State::answered);
  EXPECT_EQ(question.answer(), "ada's password: ");
  ASSERT_TRUE(question.ask_program(unended.c_str(), "?"));
  EXPECT_EQ(wait_for_answer(question), Question::State::answered);
  EXPECT_EQ(question.answer(), "word");
  ASSERT_TRUE(question.ask_program(failing.c_str(), "?"));
  EXPECT_EQ(wait_for_answer(question), Question::State::cancelled);
  ASSERT_TRUE(question.ask_program("/no/such/program", "?"));
  EXPECT_EQ(wait_for_answer(question), Question::State::cancelled);
}

TEST(Question, WhichProgramAnswersPasswords) {
  EXPECT_EQ(in_a_session_without_a_terminal(+[] {
              for (const char* const name : {"SSH_ASKPASS", "SSH_ASKPASS_ALWAYS", "DISPLAY"}) ::unsetenv(name);
              if (password_program() != nullptr) return 1;
              ::setenv("SSH_ASKPASS", "/bin/ask", 1);
              if (password_program() != nullptr) return 2;
              ::setenv("DISPLAY", ":0", 1);
              if (password_program() == nullptr) return 3;
              ::unsetenv("DISPLAY");
              ::setenv("SSH_ASKPASS_ALWAYS", "1", 1);
              return password_program() == nullptr ? 4 : 0;
            }), 0);
}

// --- raw mode -------------------------------------------------------------------------------------

TEST(RawTerminal, IsAsItWasBeforeAfterEveryEnd) {
  const int master = ::posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_EQ(::grantpt(master) | ::unlockpt(master), 0);
  const int slave = ::open(::ptsname(master), O_RDWR | O_NOCTTY);
  const termios before = *terminal_settings(slave);
  const auto is_as_before = [&] {
    const termios now = *terminal_settings(slave);
    return now.c_iflag == before.c_iflag && now.c_oflag == before.c_oflag && now.c_lflag == before.c_lflag;
  };
  {
    RawTerminal raw;
    raw.enter(slave);
    EXPECT_TRUE(raw.entered());
    EXPECT_EQ(terminal_settings(slave)->c_lflag & (ICANON | ECHO | ISIG), 0u);
    EXPECT_EQ(terminal_settings(slave)->c_oflag & OPOST, 0u);
    raw.pause();
    EXPECT_TRUE(is_as_before());
    raw.restore();
    EXPECT_TRUE(is_as_before());
    raw.enter(slave);
  }
  EXPECT_TRUE(is_as_before());
  RawTerminal none;
  none.enter(-1);
  EXPECT_FALSE(none.entered());
  ::close(slave);
  ::close(master);
}

}  // namespace
}  // namespace sshape::posix

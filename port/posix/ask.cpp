#include "port/posix/ask.hpp"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "port/posix/console.hpp"
#include "port/posix/signals.hpp"

namespace sshape::posix {

namespace {

constexpr const char* terminal_path = "/dev/tty";

Descriptor open_terminal() {
  return Descriptor(::open(terminal_path, O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
}

}  // namespace

bool Question::ask_terminal(std::string_view prompt, bool echo) {
  finish();
  Descriptor terminal = open_terminal();
  if (!terminal || ::tcgetattr(terminal.get(), &before_) != 0) return false;
  from_ = std::move(terminal);
  echo_ = echo;
  prompt_.clear();
  prompt_.add(prompt);
  state_ = State::waiting;
  set_echo(echo);
  show_prompt();
  return true;
}

bool Question::ask_program(const char* program, std::string_view prompt) {
  finish();
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  Descriptor in(ends[0]), out(ends[1]);
  prompt_.clear();
  prompt_.add(prompt);
  const pid_t child = ::fork();
  if (child < 0) return false;
  if (child == 0) {
    ::dup2(out.get(), STDOUT_FILENO);
    reset_signals();
    ::execlp(program, program, prompt_.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  ::fcntl(in.get(), F_SETFL, O_NONBLOCK);
  program_ = child;
  from_ = std::move(in);
  state_ = State::waiting;
  return true;
}

Question::State Question::take() {
  while (state_ == State::waiting) {
    crypto::Secret<256> piece;
    const ssize_t n = ::read(from_.get(), piece.space().data(), piece.capacity());
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) break;
    if (n <= 0) return end(program_ > 0 && line_ended_ ? State::answered : State::cancelled);
    piece.resize(static_cast<std::size_t>(n));
    // A program is heard to its end, so that it can be reaped; a terminal gives no end.
    if (add(piece.bytes()) && program_ < 0) return end(State::answered);
  }
  return state_;
}

bool Question::add(Bytes bytes) {
  const auto end_of_line = std::ranges::find(bytes, std::byte{'\n'});
  const Bytes line = bytes.first(static_cast<std::size_t>(end_of_line - bytes.begin()));
  if (!line_ended_) {
    const Bytes fits = line.first(std::min(line.size(), answer_.capacity() - answer_.size()));
    copy_bytes(answer_.space().subspan(answer_.size()), fits);
    answer_.resize(answer_.size() + fits.size());
  }
  line_ended_ |= end_of_line != bytes.end() || program_ > 0;  // a program may leave its line without an end
  return line_ended_;
}

Question::State Question::end(State state) {
  state_ = state;
  if (program_ > 0) {
    int status = 1;
    while (::waitpid(program_, &status, 0) < 0 && errno == EINTR) {
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) state_ = State::cancelled;
    program_ = -1;
  } else {
    if (!echo_) print(from_.get(), "\n");
    set_echo(true);
  }
  if (answer().ends_with('\r')) answer_.resize(answer_.size() - 1);
  from_.reset();
  return state_;
}

void Question::pause() {
  if (state_ == State::waiting && program_ < 0) set_echo(true);
}

void Question::resume() {
  if (state_ != State::waiting || program_ > 0 || ::tcgetpgrp(from_.get()) != ::getpgrp()) return;
  set_echo(echo_);
  show_prompt();
}

void Question::finish() {
  if (state_ == State::waiting && program_ < 0) {
    set_echo(true);
    print(from_.get(), "\n");
  }
  from_.reset();
  program_ = -1;
  answer_.clear();
  line_ended_ = false;
  state_ = State::idle;
}

void Question::set_echo(bool on) {
  termios settings = before_;
  if (!on) settings.c_lflag &= ~static_cast<tcflag_t>(ECHO | ECHOE | ECHOK | ECHONL);
  // What was typed before the question is no answer to it.
  while (::tcsetattr(from_.get(), on ? TCSADRAIN : TCSAFLUSH, &settings) != 0 && errno == EINTR) {
  }
}

void Question::show_prompt() { print(from_.get(), prompt_.view()); }

const char* password_program() {
  const char* const program = ::getenv("SSH_ASKPASS");
  if (program == nullptr || program[0] == '\0') return nullptr;
  if (::getenv("SSH_ASKPASS_ALWAYS") != nullptr) return program;
  return ::getenv("DISPLAY") != nullptr && !open_terminal() ? program : nullptr;
}

}  // namespace sshape::posix

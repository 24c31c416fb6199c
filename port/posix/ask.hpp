// One question to the user at a time, on the terminal that controls us or through a program
// (SSH_ASKPASS). Nothing waits: the loop polls descriptor() and calls take() when it is readable.
#pragma once

#include <sys/types.h>
#include <termios.h>

#include <string_view>

#include "core/crypto/secret.hpp"
#include "port/posix/descriptor.hpp"
#include "port/posix/text.hpp"

namespace sshape::posix {

class Question {
 public:
  enum class State : unsigned char { idle, waiting, answered, cancelled };

  Question() = default;
  Question(const Question&) = delete;
  Question& operator=(const Question&) = delete;
  ~Question() { finish(); }

  // False: there is no terminal. `prompt` may have several lines; the peer's part of it is escaped.
  bool ask_terminal(std::string_view prompt, bool echo);
  // The program gets the prompt as its argument; what it prints is the answer.
  bool ask_program(const char* program, std::string_view prompt);

  int descriptor() const { return state_ == State::waiting ? from_.get() : -1; }
  State take();
  State state() const { return state_; }
  std::string_view answer() const { return text_of(answer_.bytes()); }  // one line, without its end

  // Our process is being stopped, and goes on: the terminal is the shell's meanwhile.
  void pause();
  void resume();

  // Wipes the answer and gives the terminal back. Also in the middle of a question.
  void finish();

 private:
  void set_echo(bool on);
  void show_prompt();
  bool add(Bytes bytes);  // true: the line is whole
  State end(State state);

  State state_ = State::idle;
  Descriptor from_;
  pid_t program_ = -1;
  bool echo_ = true;
  termios before_{};
  Text<1200> prompt_;
  crypto::Secret<1024> answer_;
  bool line_ended_ = false;
};

// The program that answers password questions here, by SSH_ASKPASS and its companions; null: the
// terminal does.
const char* password_program();

}  // namespace sshape::posix

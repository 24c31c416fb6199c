#include "port/posix/terminal.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace sshape::posix {

std::optional<termios> terminal_settings(int fd) {
  termios settings{};
  if (::tcgetattr(fd, &settings) != 0) return std::nullopt;
  return settings;
}

WindowSize terminal_size(int fd) {
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) != 0) return {};
  return {size.ws_col, size.ws_row, size.ws_xpixel, size.ws_ypixel};
}

void make_raw(termios& settings) {
  settings.c_iflag |= IGNPAR;
  settings.c_iflag &= ~static_cast<tcflag_t>(ISTRIP | INLCR | IGNCR | ICRNL | IXON | IXANY | IXOFF | BRKINT);
#ifdef IUCLC
  settings.c_iflag &= ~static_cast<tcflag_t>(IUCLC);
#endif
  settings.c_lflag &= ~static_cast<tcflag_t>(ISIG | ICANON | ECHO | ECHOE | ECHOK | ECHONL | IEXTEN);
  settings.c_oflag &= ~static_cast<tcflag_t>(OPOST);
  settings.c_cc[VMIN] = 1;
  settings.c_cc[VTIME] = 0;
}

void RawTerminal::enter(int fd) {
  const auto settings = terminal_settings(fd);
  if (terminal_ || !settings) return;
  terminal_.reset(::fcntl(fd, F_DUPFD_CLOEXEC, 3));
  before_ = raw_ = *settings;
  make_raw(raw_);
  set(raw_);
}

void RawTerminal::pause() { set(before_); }

void RawTerminal::resume() {
  // In the background the terminal is not ours to set; SIGCONT comes again when we are back.
  if (terminal_ && ::tcgetpgrp(terminal_.get()) == ::getpgrp()) set(raw_);
}

void RawTerminal::restore() {
  set(before_);
  terminal_.reset();
}

void RawTerminal::set(const termios& settings) {
  if (!terminal_) return;
  while (::tcsetattr(terminal_.get(), TCSADRAIN, &settings) != 0 && errno == EINTR) {
  }
}

}  // namespace sshape::posix

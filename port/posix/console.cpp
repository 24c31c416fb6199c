#include "port/posix/console.hpp"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>

#include "port/posix/harmless.hpp"
#include "port/posix/program_names.hpp"
#include "port/posix/terminal.hpp"

namespace sshape::posix {

namespace {

std::string_view console_name = "sshape";

// A terminal that is raw just now leaves the carriage return to us.
std::string_view line_end() {
  const auto settings = terminal_settings(STDERR_FILENO);
  return settings && (settings->c_oflag & OPOST) == 0 ? "\r\n" : "\n";
}

bool locale_is_utf8() {
  for (const char* const name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* const value = ::getenv(name);
    if (value == nullptr || value[0] == '\0') continue;
    const std::string_view locale(value);
    for (const std::string_view spelling : {"UTF-8", "utf-8", "UTF8", "utf8"})
      if (locale.find(spelling) != std::string_view::npos) return true;
    return false;
  }
  return false;
}

}  // namespace

void name_console(const char* argv0) { console_name = program_name(argv0); }

void print_line(std::string_view line) {
  Text<1600> whole(console_name.substr(0, 60));
  whole.add(": ").add(line).add(line_end());
  print(STDERR_FILENO, whole.view());
}

void print(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n > 0) {
      text.remove_prefix(static_cast<std::size_t>(n));
    } else if (n < 0 && errno == EAGAIN) {  // somebody else's non-blocking descriptor
      pollfd one{fd, POLLOUT, 0};
      if (::poll(&one, 1, 1000) <= 0) return;
    } else if (n == 0 || errno != EINTR) {
      return;
    }
  }
}

void show_peers_text(std::string_view text) {
  const TerminalText terminal{line_end(), locale_is_utf8()};
  std::array<char, 512> piece;
  bool line_open = false;
  while (!text.empty()) {
    const std::size_t size = make_harmless(text, terminal, piece.data(), piece.size());
    print(STDERR_FILENO, {piece.data(), size});
    line_open = size > 0 && piece[size - 1] != '\n';
  }
  if (line_open) print(STDERR_FILENO, terminal.line_end);
}

}  // namespace sshape::posix

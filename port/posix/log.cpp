#include "port/posix/log.hpp"

#include <string.h>
#include <syslog.h>
#include <unistd.h>

namespace sshape::posix {

namespace {

LogTarget chosen = LogTarget::standard_error;

void log(int priority, std::string_view line) {
  if (chosen == LogTarget::system) {
    ::syslog(priority, "%.*s", static_cast<int>(line.size()), line.data());
    return;
  }
  const time_t now = ::time(nullptr);
  tm parts{};
  ::localtime_r(&now, &parts);
  const auto whole = standard_error_line(::getpid(), parts, line);
  [[maybe_unused]] const ssize_t n = ::write(STDERR_FILENO, whole.c_str(), whole.size());  // one write: lines of
                                                                                           // processes do not mix
}

void add_two_digits(Text<1000>& into, int value) {
  if (value < 10) into.add('0');
  into.add_number(static_cast<std::uint64_t>(value));
}

}  // namespace

void open_log(LogTarget target) {
  chosen = target;
  if (target == LogTarget::system) ::openlog("dropbear", LOG_PID, LOG_AUTHPRIV);
}

void log_notice(std::string_view line) { log(LOG_NOTICE, line); }
void log_warning(std::string_view line) { log(LOG_WARNING, line); }

Text<1000> standard_error_line(int pid, const tm& when, std::string_view text) {
  constexpr const char* months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                    "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  Text<1000> line;
  line.add('[').add_number(static_cast<std::uint64_t>(pid)).add("] ").add(months[when.tm_mon % 12]).add(' ');
  add_two_digits(line, when.tm_mday);
  line.add(' ');
  add_two_digits(line, when.tm_hour);
  line.add(':');
  add_two_digits(line, when.tm_min);
  line.add(':');
  add_two_digits(line, when.tm_sec);
  line.add(' ').add(text.substr(0, 900)).add('\n');
  return line;
}

std::string_view error_text(int error) { return ::strerror(error); }

}  // namespace sshape::posix

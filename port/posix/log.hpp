// The server's log (COMPAT: log lines): syslog, or lines on standard error. One event, one line;
// whoever adds a peer's bytes to a line adds them escaped.
#pragma once

#include <time.h>

#include <string_view>

#include "port/posix/text.hpp"

namespace sshape::posix {

using LogLine = Text<900>;

enum class LogTarget : unsigned char {
  system,          // syslog: ident dropbear, facility authpriv
  standard_error,  // "[pid] Mon dd HH:MM:SS text"
};

void open_log(LogTarget target);
void log_notice(std::string_view line);
void log_warning(std::string_view line);
inline void log_notice(const LogLine& line) { log_notice(line.view()); }
inline void log_warning(const LogLine& line) { log_warning(line.view()); }

// "[pid] Mon dd HH:MM:SS text\n" for a time of day of the caller's.
Text<1000> standard_error_line(int pid, const tm& when, std::string_view text);

// An error of the system's as words.
std::string_view error_text(int error);

}  // namespace sshape::posix

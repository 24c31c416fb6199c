#include "port/posix/authorized_keys_file.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#include "port/posix/descriptor.hpp"
#include "port/posix/log.hpp"

namespace sshape::posix {

namespace {

using Path = Text<2047>;

std::uint64_t as_number(const tm& t) {
  const auto part = [](int value) { return static_cast<std::uint64_t>(value); };
  return ((((part(t.tm_year + 1900) * 100 + part(t.tm_mon + 1)) * 100 + part(t.tm_mday)) * 100 + part(t.tm_hour)) * 100 +
          part(t.tm_min)) * 100 + part(t.tm_sec);
}

void fill_in_times(KeyCandidate& candidate) {
  const time_t now = ::time(nullptr);
  tm parts{};
  if (::localtime_r(&now, &parts) != nullptr) candidate.local_time = as_number(parts);
  if (::gmtime_r(&now, &parts) != nullptr) candidate.utc_time = as_number(parts);
}

Path path_of(const Account& account, std::string_view folder) {
  Path path;
  if (folder == "~" || folder.starts_with("~/")) path.add(account.home.view()).add(folder.substr(1));
  else path.add(folder);
  return path.add("/authorized_keys");
}

bool well_kept(const struct stat& status, const Account& account) {
  return (status.st_uid == 0 || status.st_uid == account.uid) && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

void complain(const Account& account, std::string_view path, std::string_view what) {
  log_warning(LogLine().add_escaped(path).add(" of '").add_escaped(account.name.view()).add("' ").add(what));
}

// Every folder from the file's own up to the home, or to the root if the file is not below the home.
bool folders_are_well_kept(const Account& account, const Path& file) {
  Path path = file;
  while (true) {
    const std::size_t slash = path.view().rfind('/');
    if (slash == std::string_view::npos) return false;
    path.shorten(slash == 0 ? 1 : slash);
    struct stat status{};
    if (::stat(path.c_str(), &status) != 0) return false;
    if (!well_kept(status, account)) {
      complain(account, path.view(), "must be owned by the user or root, and not writable by group or others");
      return false;
    }
    std::string_view here = path.view(), home = account.home.view();
    while (here.size() > 1 && here.ends_with('/')) here.remove_suffix(1);
    while (home.size() > 1 && home.ends_with('/')) home.remove_suffix(1);
    if (here == home || here == "/") return true;
  }
}

Descriptor open_checked(const Account& account, const Path& path) {
  if (path.cut() || !path.view().starts_with('/')) return {};
  const AsUser as_user(account);
  if (!as_user) return {};
  // Not blocking: the user may have put a FIFO there.
  Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file) {
    if (errno != ENOENT && errno != ENOTDIR) complain(account, path.view(), error_text(errno));
    return {};
  }
  struct stat status{};
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    complain(account, path.view(), "is not a regular file");
    return {};
  }
  if (!well_kept(status, account)) {
    complain(account, path.view(), "must be owned by the user or root, and not writable by group or others");
    return {};
  }
  if (!folders_are_well_kept(account, path)) return {};
  return file;
}

void complain(const Account& account, std::string_view path, std::size_t line, std::string_view why) {
  LogLine text;
  text.add_escaped(path).add(" of '").add_escaped(account.name.view()).add("', line ").add_number(line);
  log_warning(text.add(": ").add(why));
}

std::size_t complain_of_skipped(const Account& account, std::string_view path, const KeyFileLines& lines, std::size_t before) {
  if (lines.too_long() != before) complain(account, path, lines.last_too_long(), "too long, skipped");
  return lines.too_long();
}

}  // namespace

bool find_authorized_key(const Account& account, std::string_view folder, KeyCandidate candidate, KeyOptions& options) {
  const Path path = path_of(account, folder);
  const Descriptor file = open_checked(account, path);
  if (!file) return false;
  fill_in_times(candidate);
  static KeyFileLines lines;
  lines = {};
  std::size_t skipped = 0;
  for (bool at_end = false; !at_end;) {
    const MutableBytes space = lines.space();
    const ssize_t n = ::read(file.get(), space.data(), space.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) complain(account, path.view(), error_text(errno));
    at_end = n <= 0;
    if (n > 0) lines.filled(static_cast<std::size_t>(n));
    while (const auto line = lines.next(at_end)) {
      skipped = complain_of_skipped(account, path.view(), lines, skipped);
      if (lines.number() > active::profile.authorized_keys_lines) {
        complain(account, path.view(), lines.number(), "lines from here on are not read");
        return false;
      }
      const KeyLine judged = judge_key_line(*line, candidate, options);
      if (judged.ignored[0] != '\0') complain(account, path.view(), lines.number(), "environment= is not honoured");
      if (judged.verdict == KeyLine::Verdict::admits) return true;
      if (judged.verdict == KeyLine::Verdict::refused) complain(account, path.view(), lines.number(), judged.why);
    }
    skipped = complain_of_skipped(account, path.view(), lines, skipped);
  }
  return false;
}

}  // namespace sshape::posix

#include "port/posix/known_hosts_file.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

#include "core/crypto/key_files.hpp"
#include "core/wire/name_list.hpp"
#include "port/posix/authorized_keys.hpp"
#include "port/posix/descriptor.hpp"

namespace sshape::posix {

namespace {

constexpr unsigned ssh_port = 22;

// Calls `each` with every line of the file and its number. What is no regular file has none: it may not
// end.
void for_each_line(const char* path, auto each) {
  const Descriptor file(::open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat about{};
  if (!file || ::fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode)) return;
  KeyFileLines lines;
  for (bool at_end = false; !at_end;) {
    const MutableBytes space = lines.space();
    const ssize_t n = ::read(file.get(), space.data(), space.size());
    if (n < 0 && errno == EINTR) continue;
    at_end = n <= 0;
    if (n > 0) lines.filled(static_cast<std::size_t>(n));
    while (const auto line = lines.next(at_end)) each(*line, lines.number());
  }
}

// A last line without its end gets one before ours begins.
bool ends_within_a_line(int file) {
  char last = '\n';
  const off_t size = ::lseek(file, 0, SEEK_END);
  return size > 0 && ::pread(file, &last, 1, size - 1) == 1 && last != '\n';
}

int make_folder_of(const char* path) {
  Text<1023> folder(path);
  const auto slash = folder.view().rfind('/');
  if (slash == std::string_view::npos || slash == 0) return 0;
  folder.shorten(slash);
  return ::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST ? 0 : errno;
}

}  // namespace

KnownHostsFiles::KnownHostsFiles(std::string_view host, unsigned port, Naming naming) : naming_(naming) {
  for (const char c : host) bare_.add(c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c);
  if (port == ssh_port) with_port_.add(bare_.view());
  else with_port_.add('[').add(bare_.view()).add("]:").add_number(port);
}

bool KnownHostsFiles::add_file(std::string_view path) {
  const Text<1023> file(path);
  return !file.cut() && files_.add(file);
}

KnownHostFinding KnownHostsFiles::find(std::string_view key_type, Bytes key_blob) const {
  const KnownHostFinding first = find_name(with_port_.view(), key_type, key_blob);
  if (bare_.view() == with_port_.view()) return first;
  return weigh(first, find_name(bare_.view(), key_type, key_blob), naming_ == Naming::dropbear);
}

KnownHostFinding KnownHostsFiles::find_name(std::string_view name, std::string_view key_type, Bytes key_blob) const {
  KnownHostFinding found;
  for (const auto& file : files_) {
    for_each_line(file.c_str(), [&](std::string_view line, std::size_t number) {
      const KnownHost verdict = judge_known_host(line, name, key_type, key_blob);
      if (verdict > found.verdict) found = {verdict, file.c_str(), number};
    });
  }
  return found;
}

Text<256> KnownHostsFiles::key_types() const {
  Text<256> types;
  for (const auto& file : files_) {
    for_each_line(file.c_str(), [&](std::string_view line, std::size_t) {
      std::string_view type = known_key_type(line, with_port_.view());
      if (type.empty()) type = known_key_type(line, bare_.view());
      const bool room = types.size() + 1 + type.size() <= 256;
      if (type.empty() || !room || wire::NameList(types.view()).contains(type)) return;
      if (!types.empty()) types.add(',');
      types.add(type);
    });
  }
  return types;
}

int KnownHostsFiles::remember(Bytes key_blob) const {
  if (files_.empty()) return 0;
  std::array<std::byte, 4096> space;
  wire::Writer line(space);
  line.byte('\n').raw(bytes_of(name_to_write())).byte(' ');
  if (!crypto::write_public_line(key_blob, {}, line)) return EMSGSIZE;
  line.byte('\n');
  if (!line.ok()) return EMSGSIZE;

  if (const int error = make_folder_of(written_to()); error != 0) return error;
  const Descriptor file(
      ::open(written_to(), O_RDWR | O_CREAT | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600));
  if (!file) return errno;
  const Bytes entry = ends_within_a_line(file.get()) ? line.written() : line.written().subspan(1);
  const ssize_t n = ::write(file.get(), entry.data(), entry.size());  // one write: entries of processes do not mix
  if (n < 0) return errno;
  return static_cast<std::size_t>(n) == entry.size() ? 0 : ENOSPC;
}

}  // namespace sshape::posix

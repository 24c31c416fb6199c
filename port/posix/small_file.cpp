#include "port/posix/small_file.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "port/posix/descriptor.hpp"
#include "port/posix/text.hpp"

namespace sshape::posix {

namespace {

using Path = Text<2047>;

Path folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return Path(".");
  return Path(slash == 0 ? std::string_view("/") : path.substr(0, slash));
}

int write_all(int fd, Bytes content) {
  while (!content.empty()) {
    const ssize_t n = ::write(fd, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    content = content.subspan(static_cast<std::size_t>(n));
  }
  return ::fsync(fd) == 0 ? 0 : errno;
}

int write_into(const char* path, Bytes content, mode_t mode) {
  const Descriptor file(::open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  return file ? write_all(file.get(), content) : errno;
}

// File systems without hard links, where the name has to be given at once.
bool means_no_links(int error) { return error == EPERM || error == ENOSYS || error == EOPNOTSUPP || error == EMLINK; }

int write_and_link(const Path& temporary, const char* path, Bytes content, mode_t mode) {
  ::unlink(temporary.c_str());  // of a process that died with our number
  int error = write_into(temporary.c_str(), content, mode);
  if (error == 0 && ::link(temporary.c_str(), path) != 0) error = errno;
  ::unlink(temporary.c_str());
  if (!means_no_links(error)) return error;
  error = write_into(path, content, mode);
  if (error != 0 && error != EEXIST) ::unlink(path);  // half a file is none
  return error;
}

}  // namespace

SmallFile read_small_file(const char* path, std::span<char> into) {
  SmallFile result;
  const Descriptor file(::open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat status{};
  if (!file || ::fstat(file.get(), &status) != 0) return {.error = errno};
  if (!S_ISREG(status.st_mode)) return {.error = EINVAL};
  result.readable_by_others = (status.st_mode & (S_IRWXG | S_IRWXO)) != 0;
  std::size_t size = 0;
  while (true) {
    if (size == into.size()) return {.error = EFBIG};
    const ssize_t n = ::read(file.get(), into.data() + size, into.size() - size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return {.error = errno};
    if (n == 0) break;
    size += static_cast<std::size_t>(n);
  }
  result.text = {into.data(), size};
  return result;
}

int write_new_file(const char* path, Bytes content, mode_t mode) {
  const Path temporary = Path(path).add(".").add_number(static_cast<std::uint64_t>(::getpid())).add(".new");
  if (temporary.cut()) return ENAMETOOLONG;
  if (const int error = write_and_link(temporary, path, content, mode); error != 0) return error;
  const Descriptor folder(::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder) ::fsync(folder.get());
  return 0;
}

}  // namespace sshape::posix

// Descriptors that belong to others too: nothing waits, and nothing of theirs changes.
#include "port/posix/shared_descriptor.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "tests/unit/client/folder.hpp"

namespace sshape::posix {
namespace {

using Kind = SharedEnd::Kind;
using State = Reading::State;

struct Pair {
  int in = -1;
  int out = -1;
  ~Pair() {
    ::close(in);
    ::close(out);
  }
};

void make_pipe(Pair& pair) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  pair.in = ends[0];
  pair.out = ends[1];
}

// Writes until nothing more is taken.
std::size_t fill(Kind kind, int fd) {
  const std::string block(32 * 1024, 'x');
  std::size_t all = 0;
  for (ssize_t n = 0; n >= 0; n = write_shared(kind, fd, bytes_of(block))) all += static_cast<std::size_t>(n);
  EXPECT_EQ(errno, EAGAIN);
  return all;
}

TEST(SharedDescriptor, APipeIsOpenedAnewAndItsOwnFlagsStay) {
  Pair pipe;
  make_pipe(pipe);
  const SharedEnd in = share(pipe.in, true), out = share(pipe.out, false);
  EXPECT_EQ(in.kind, Kind::own);
  EXPECT_EQ(out.kind, Kind::own);
  EXPECT_EQ(::fcntl(pipe.in, F_GETFL) & O_NONBLOCK, 0);
  EXPECT_EQ(::fcntl(pipe.out, F_GETFL) & O_NONBLOCK, 0);
  EXPECT_NE(::fcntl(in.fd.get(), F_GETFD) & FD_CLOEXEC, 0);

  std::byte space[16];
  EXPECT_EQ(read_shared(in.kind, in.fd.get(), space).state, State::later);
  EXPECT_GE(fill(out.kind, out.fd.get()), 4096u);
}

TEST(SharedDescriptor, APipeThatCannotBeOpenedAnewIsFilledWithoutWaiting) {
  Pair pipe;
  make_pipe(pipe);
  std::byte space[16];
  EXPECT_EQ(read_shared(Kind::asked, pipe.in, space).state, State::later);
  EXPECT_GE(fill(Kind::asked, pipe.out), 4096u);
  EXPECT_EQ(read_shared(Kind::asked, pipe.in, space).state, State::data);
}

TEST(SharedDescriptor, ASocketIsAskedNotToWait) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  Pair sockets{ends[0], ends[1]};
  const SharedEnd in = share(sockets.in, true), out = share(sockets.out, false);
  EXPECT_EQ(in.kind, Kind::socket);
  std::byte space[16];
  EXPECT_EQ(read_shared(in.kind, in.fd.get(), space).state, State::later);
  EXPECT_GE(fill(out.kind, out.fd.get()), 4096u);
  EXPECT_EQ(::fcntl(sockets.in, F_GETFL) & O_NONBLOCK, 0);
}

TEST(SharedDescriptor, AFileKeepsItsOneOffset) {
  const test::Folder folder;
  const int file = ::open(folder.write("data", "0123456789").c_str(), O_RDWR);
  const SharedEnd in = share(file, true);
  EXPECT_EQ(in.kind, Kind::file);
  std::byte space[4];
  const Reading first = read_shared(in.kind, in.fd.get(), space);
  EXPECT_EQ(first.bytes, 4u);
  EXPECT_EQ(first.state, State::data);
  EXPECT_EQ(::lseek(file, 0, SEEK_CUR), 4);
  EXPECT_EQ(write_shared(in.kind, in.fd.get(), bytes_of("xy")), 2);
  EXPECT_EQ(folder.read("data"), "0123xy6789");
  ::close(file);
}

TEST(SharedDescriptor, TheEndAndABrokenPipeAreSaid) {
  Pair pipe;
  make_pipe(pipe);
  SharedEnd in = share(pipe.in, true);
  ::close(pipe.out);
  pipe.out = -1;
  std::byte space[4];
  EXPECT_EQ(read_shared(in.kind, in.fd.get(), space).state, State::end);

  ::signal(SIGPIPE, SIG_IGN);
  Pair other;
  make_pipe(other);
  const SharedEnd out = share(other.out, false);
  ::close(other.in);
  other.in = -1;
  EXPECT_EQ(write_shared(out.kind, out.fd.get(), bytes_of("x")), -1);
  EXPECT_EQ(errno, EPIPE);
}

TEST(SharedDescriptor, ADeviceThatIsNoTerminalIsNoPipe) {
  const int null = ::open("/dev/null", O_RDWR);
  EXPECT_EQ(share(null, false).kind, Kind::file);
  ::close(null);
  EXPECT_FALSE(share(-1, true).fd);
}

TEST(SharedDescriptor, LettingGoClosesTheEndAndKeepsTheNumber) {
  Pair pipe;
  make_pipe(pipe);
  let_go(pipe.out);
  std::byte space[4];
  EXPECT_EQ(::read(pipe.in, space, 4), 0) << "nobody holds the other end";
  EXPECT_EQ(::write(pipe.out, "x", 1), 1);
}

}  // namespace
}  // namespace sshape::posix

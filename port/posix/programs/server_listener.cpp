#include "port/posix/programs/server_listener.hpp"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "port/posix/clock.hpp"
#include "port/posix/log.hpp"
#include "port/posix/poll_set.hpp"
#include "port/posix/process.hpp"
#include "port/posix/programs/connection_process.hpp"
#include "port/posix/signals.hpp"
#include "port/posix/strangers.hpp"

namespace sshape::posix {

namespace {

constexpr int most_words = 256;                  // of our own command line
constexpr Microseconds pause = second / 10;      // after accept() found no descriptor or memory left
constexpr Microseconds refusal_log_every = second;
constexpr int accepts_a_turn = 16;

class Listener {
 public:
  Listener(const Listeners& listeners, const OwnImage& image, const Overrides& overrides)
      : listeners_(listeners), image_(image), overrides_(overrides) {}

  void run();

 private:
  bool take_signals();
  void accept_from(int socket);
  void admit(Descriptor socket);
  void log_refusal(const Address& peer);
  [[noreturn]] void become_connection(int socket, int login_pipe, int overrides);

  const Listeners& listeners_;
  const OwnImage& image_;
  const Overrides& overrides_;
  Strangers strangers_;
  Instant accept_at_ = 0;
  Instant refusal_logged_ = 0;
};

void Listener::run() {
  static PollSet set;
  std::array<std::size_t, Listeners::capacity> sockets;
  std::array<std::size_t, Strangers::most> pipes;
  while (true) {
    set.clear();
    const std::size_t signals = set.add(signal_descriptor(), POLLIN);
    const bool pausing = monotonic_now() < accept_at_;
    for (std::size_t i = 0; i < listeners_.size(); ++i) sockets[i] = set.add(pausing ? -1 : listeners_[i], POLLIN);
    for (std::size_t i = 0; i < Strangers::most; ++i) pipes[i] = set.add(strangers_.pipe(i), POLLIN);
    set.wait(pausing ? accept_at_ : never);
    if (set.ready(signals) && take_signals()) return;
    for (std::size_t i = 0; i < Strangers::most; ++i)
      if (set.ready(pipes[i])) strangers_.remove(i);
    for (std::size_t i = 0; i < listeners_.size(); ++i)
      if (set.ready(sockets[i])) accept_from(listeners_[i]);
  }
}

// True: the listener shall end.
bool Listener::take_signals() {
  bool end = false;
  while (const int number = take_signal()) {
    if (number == SIGCHLD) {
      while (::waitpid(-1, nullptr, WNOHANG) > 0) {}
    } else {
      end = true;
    }
  }
  return end;
}

void Listener::accept_from(int listening) {
  for (int i = 0; i < accepts_a_turn; ++i) {
    Descriptor socket(::accept4(listening, nullptr, nullptr, SOCK_CLOEXEC));
    if (socket) {
      admit(std::move(socket));
      continue;
    }
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      log_warning(LogLine("Cannot accept a connection: ").add(error_text(errno)));
      accept_at_ = monotonic_now() + pause;
    }
    return;  // nobody waits, or who waited is gone
  }
}

void Listener::admit(Descriptor socket) {
  const auto peer = peer_address(socket.get());
  if (!peer) return;  // gone already
  const Source source = source_of(*peer);
  if (!strangers_.admits(source)) return log_refusal(*peer);
  int ends[2], private_ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return;
  Descriptor login_read(ends[0]), login_write(ends[1]);
  if (overrides_.any() && ::pipe2(private_ends, O_CLOEXEC) != 0) return;
  Descriptor overrides_read(private_ends[0]), overrides_write(private_ends[1]);
  // A pipe takes this much at once.
  if (overrides_write && ::write(overrides_write.get(), &overrides_, sizeof overrides_) != sizeof overrides_) return;
  const pid_t pid = ::fork();
  if (pid == 0) become_connection(socket.get(), login_write.get(), overrides_read.get());
  if (pid < 0) return log_warning(LogLine("Cannot start a process for a connection: ").add(error_text(errno)));
  strangers_.add(source, std::move(login_read));
}

void Listener::log_refusal(const Address& peer) {
  const Instant now = monotonic_now();
  if (refusal_logged_ != 0 && now < refusal_logged_ + refusal_log_every) return;
  refusal_logged_ = now;
  log_warning(LogLine("Too many connections before login, refused ").add(peer.host_and_port().view()));
}

// In the child: nothing between fork and exec but system calls.
void Listener::become_connection(int socket, int login_pipe, int overrides) {
  ::setsid();
  const auto place = [](int from, int to) {  // out of the way of each other first
    const int high = from < 0 ? -1 : ::fcntl(from, F_DUPFD_CLOEXEC, 64);
    return std::pair(high, to);
  };
  const std::pair<int, int> moves[] = {place(socket, handed::socket), place(login_pipe, handed::login_pipe),
                                       place(overrides, handed::overrides), place(image_.descriptor, handed::image),
                                       place(image_.folder, handed::folder)};
  for (const auto& [from, to] : moves) {
    if (from >= 0) ::dup2(from, to);
    else ::close(to);
  }
  ::fcntl(handed::image, F_SETFD, FD_CLOEXEC);
  static char marker[sizeof connection_word];
  std::memcpy(marker, connection_word, sizeof marker);
  char* words[most_words + 2];
  for (int i = 0; i < image_.argc; ++i) words[i] = image_.argv[i];
  words[image_.argc] = marker;
  words[image_.argc + 1] = nullptr;
  restore_core_limit();
  reset_signals();
  execute_image(moves[3].first >= 0 ? handed::image : -1, words, ::environ);
  ::_exit(1);
}

}  // namespace

int listen_for_connections(const ServerOptions&, const Listeners& listeners, const OwnImage& image,
                           const Overrides& overrides) {
  if (image.argc > most_words) return 1;
  Listener listener(listeners, image, overrides);
  listener.run();
  return 0;
}

}  // namespace sshape::posix

// The server: options, keys, sockets, the pid file; then it listens (COMPAT: server).
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "port/posix/host_keys.hpp"
#include "port/posix/log.hpp"
#include "port/posix/process.hpp"
#include "port/posix/programs/connection_process.hpp"
#include "port/posix/programs/programs.hpp"
#include "port/posix/programs/server_listener.hpp"
#include "port/posix/programs/server_options.hpp"
#include "port/posix/signals.hpp"
#include "port/posix/socket.hpp"

using namespace sshape;
using namespace sshape::posix;

namespace {

// Lines before the log is where it belongs go to standard error.
int early_exit(std::string_view why) {
  log_warning(LogLine("Early exit: ").add(why));
  return 1;
}

void redirect_to_null(int first, int last) {
  const Descriptor null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  for (int fd = first; null && fd <= last; ++fd) ::dup2(null.get(), fd);
}

// What the options ask for and do not get.
void log_option_warnings(const ServerOptions& options) {
  if (options.listen_ignored != 0) log_warning("Warning: more than 10 -p, the others are ignored");
  if (options.window_wanted == options.window) return;
  LogLine line("Warning: -W ");
  line.add_number(options.window_wanted).add(" is limited to ").add_number(options.window);
  log_warning(line.add(" by this build's profile, ").add(active::profile.name).add(" (window_ceiling, pool)"));
}

// --- the process of one connection ----------------------------------------------------------------

int main_of_connection(int argc, char** argv) {
  ServerOptions options;
  if (parse_server_options(argc, argv, options) != CommandLine::run) return 1;
  open_log(options.log_to_standard_error ? LogTarget::standard_error : LogTarget::system);
  static Overrides overrides;
  Descriptor socket(handed::socket), login_pipe(handed::login_pipe);
  if (Descriptor pipe(handed::overrides); ::fcntl(handed::overrides, F_GETFD) < 0) pipe.release();
  else if (::read(pipe.get(), &overrides, sizeof overrides) != sizeof overrides) return early_exit("no overrides");
  if (::fcntl(socket.get(), F_SETFD, FD_CLOEXEC) != 0 || ::fcntl(login_pipe.get(), F_SETFD, FD_CLOEXEC) != 0 ||
      !set_nonblocking(socket.get())) {
    socket.release();
    login_pipe.release();
    return early_exit("this is the listener's to call");
  }
  if (::fchdir(handed::folder) == 0) ::close(handed::folder);
  return run_connection(options, overrides, std::move(socket), {}, std::move(login_pipe));
}

// --- inetd ----------------------------------------------------------------------------------------

// Standard input and output are a socket, or two pipes (field report 24).
int serve_standard_input(const ServerOptions& options, const Overrides& overrides) {
  Descriptor in(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)), out;
  if (!peer_address(STDIN_FILENO)) out.reset(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
  redirect_to_null(0, options.log_to_standard_error ? 1 : 2);
  if (!set_nonblocking(in.get()) || (out && !set_nonblocking(out.get()))) return early_exit("standard input is closed");
  return run_connection(options, overrides, std::move(in), std::move(out), {});
}

// --- the listener ---------------------------------------------------------------------------------

// True in the process that goes on.
bool go_to_background() {
  const pid_t pid = ::fork();
  if (pid > 0) ::_exit(0);
  return pid == 0 && ::setsid() >= 0;
}

// The working folder, for the relative paths of the options. Nothing if there are none: a server that
// runs for years should not keep a file system from being taken away.
Descriptor folder_of_relative_paths(const ServerOptions& options) {
  const auto relative = [](const char* path) { return path != nullptr && path[0] != '/'; };
  bool any = relative(options.pid_file) || relative(options.banner_file) || is_relative_folder(options.keys_folder);
  for (const char* const path : options.host_key_files) any |= relative(path);
  return any ? Descriptor(::open(".", O_PATH | O_DIRECTORY | O_CLOEXEC)) : Descriptor{};
}

void write_pid_file(int folder, const char* path) {
  Text<32> text;
  text.add_number(static_cast<std::uint64_t>(::getpid())).add('\n');
  // In place: it may have been made for us in a folder that we cannot write.
  const Descriptor file(::openat(folder, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!file || ::write(file.get(), text.c_str(), text.size()) < 0)
    log_warning(LogLine("Pid file ").add_escaped(path).add(": ").add(error_text(errno)));
}

void open_listeners(const ServerOptions& options, Listeners& into) {
  for (const ListenAddress& address : options.listen) into.add(address, options.interface);
  if (!options.listen.empty()) return;
  ListenAddress standard;
  parse_listen_address("22", standard);
  into.add(standard, options.interface);
}

int listen(const ServerOptions& options, const Overrides& overrides, OwnImage image) {
  log_option_warnings(options);
  static HostKeys keys;
  const bool made_later = options.make_host_keys && options.host_key_files.empty();
  if (!load_host_keys(options, false, keys) && !(keys.empty() && made_later))
    return early_exit("No usable host keys; make one with `sshape-keygen -t ed25519 -f FILE`, or say -R");
  keys.forget();

  static Listeners listeners;
  open_listeners(options, listeners);
  if (listeners.size() == 0) return early_exit("No listening ports available");

  Descriptor folder;
  if (!options.foreground) {
    folder = folder_of_relative_paths(options);
    image.folder = folder.get();
    if (!go_to_background() || ::chdir("/") != 0) return early_exit("Cannot go to the background");
  }
  const int pid_file_folder = folder ? folder.get() : AT_FDCWD;
  if (!options.log_to_standard_error) open_log(LogTarget::system);
  if (!options.foreground) redirect_to_null(0, options.log_to_standard_error ? 1 : 2);

  ignore_broken_pipes();
  for (const int number : {SIGCHLD, SIGTERM, SIGINT})
    if (!watch_signal(number)) return early_exit("Cannot watch signals");
  log_notice(options.foreground ? "Not backgrounding" : "Running in background");
  write_pid_file(pid_file_folder, options.pid_file);

  const int status = listen_for_connections(options, listeners, image, overrides);
  if (status != 0) return status;
  log_notice("Terminated by signal");
  if (::unlinkat(pid_file_folder, options.pid_file, 0) != 0 && errno != ENOENT)
    log_warning(LogLine("Pid file ").add_escaped(options.pid_file).add(": ").add(error_text(errno)));
  return 0;
}

}  // namespace

int server_main(int argc, char** argv) {
  harden_process();
  name_process(argv[0]);
  if (!open_standard_descriptors()) return 1;
  if (argc > 1 && std::string_view(argv[argc - 1]) == connection_word) {
    argv[argc - 1] = nullptr;  // `connection_word` itself stays out of what anybody parses
    return main_of_connection(argc - 1, argv);
  }

  ServerOptions options;
  switch (parse_server_options(argc, argv, options)) {
    case CommandLine::exit_0: return 0;
    case CommandLine::exit_1: return 1;
    case CommandLine::run: break;
  }
  static Overrides overrides;
  take_overrides(overrides);
  if (options.on_standard_input) {
    if (!options.log_to_standard_error) open_log(LogTarget::system);
    return serve_standard_input(options, overrides);
  }
  const Descriptor image = open_own_image();
  return listen(options, overrides, {.descriptor = image.get(), .argc = argc, .argv = argv});
}

#include "port/posix/programs/server_options.hpp"

#include <unistd.h>

#include "core/session.hpp"
#include "port/posix/account.hpp"
#include "port/posix/console.hpp"
#include "port/posix/options.hpp"
#include "port/posix/program_names.hpp"

namespace sshape::posix {

namespace {

constexpr std::string_view spelling = "b:r:RFEemwsgG:BtjkaK:p:l:iP:W:I:M:T:zc:D:nuvd:Q:Vh";

void print_help(const char* program) {
  print(STDERR_FILENO, Text<200>("Usage: ").add(program_name(program)).add(" [options]\n").view());
  print(STDERR_FILENO,
      "-b FILE       show the file before login\n"
      "-r FILE       host key (repeatable; default /etc/dropbear/dropbear_ed25519_host_key)\n"
      "-R            make missing default host keys when they are needed\n"
      "-F / -E       stay in the foreground / log to standard error\n"
      "-e            children get the server's environment\n"
      "-m            no message of the day\n"
      "-w / -s / -g  no login of root / no passwords / no password for root\n"
      "-G GROUP      members of the group only\n"
      "-B            allow blank passwords\n"
      "-t            password and public key are both needed\n"
      "-T N          failed logins allowed (default 10)\n"
      "-j / -k / -a  no local forwarding / no remote forwarding / remote hosts may use forwarded ports\n"
      "-p [ADDRESS:]PORT  listen there (repeatable; default 22)\n"
      "-l INTERFACE  listen on that interface only\n"
      "-i            serve one connection on standard input\n"
      "-P FILE       pid file (default /var/run/dropbear.pid)\n"
      "-W BYTES      receive window of a channel\n"
      "-K SECONDS    keepalive; three unanswered end a connection (0: off)\n"
      "-I SECONDS    end idle sessions (0: never)\n"
      "-M SECONDS    longest session (0: any)\n"
      "-z            do not mark packets for quality of service\n"
      "-c COMMAND    run this whatever the client asks for\n"
      "-D FOLDER     folder of authorized_keys (default ~/.ssh)\n"
      "-n            single-user mode: every login is the user who runs the server\n"
      "-Q kex|sig|cipher|mac|compress  list algorithms\n"
      "-V / -h       version / this help\n");
}

bool seconds(char letter, const char* text, Microseconds& into) {
  unsigned long long value = 0;
  if (!parse_number(text, 0xffffffff, value)) {
    tell("-", Foreign{{&letter, 1}}, ": a number of seconds is expected, not '", Foreign{text}, "'");
    return false;
  }
  into = value * second;
  return true;
}

bool window(const char* text, ServerOptions& options) {
  unsigned long long value = 0;
  if (!parse_number(text, ~0ull, value) || value == 0) {
    tell("-W: a number of bytes is expected, not '", Foreign{text}, "'");
    return false;
  }
  options.window_wanted = value;
  options.window = clamp_window(value);
  return true;
}

bool number(char letter, const char* text, std::uint32_t& into) {
  unsigned long long value = 0;
  if (!parse_number(text, 1'000'000, value)) {
    tell("-", Foreign{{&letter, 1}}, ": a number is expected, not '", Foreign{text}, "'");
    return false;
  }
  into = static_cast<std::uint32_t>(value);
  return true;
}

bool listen(const char* text, ServerOptions& options) {
  ListenAddress address;
  if (!parse_listen_address(text, address)) {
    tell("-p: [ADDRESS:]PORT is expected, not '", Foreign{text}, "'");
    return false;
  }
  if (!options.listen.add(address)) ++options.listen_ignored;
  return true;
}

// What contradicts each other.
bool consistent(const ServerOptions& options) {
  if (options.password_and_key && (!options.passwords || options.blank_passwords)) {
    tell("-t contradicts -s and -B");
    return false;
  }
  if (options.only_group != nullptr && !group_exists(options.only_group)) {
    tell("-G: there is no group '", Foreign{options.only_group}, "'");
    return false;
  }
  if (options.single_user && ::geteuid() == 0) {
    tell("-n: single-user mode is not for root");
    return false;
  }
  return true;
}

// False: a complaint was printed.
bool take(char letter, char* value, ServerOptions& options) {
  switch (letter) {
    case 'b': options.banner_file = value; return true;
    case 'r':
    case 'd':
      if (options.host_key_files.add(value)) return true;
      tell("-r: too many host keys");
      return false;
    case 'R': options.make_host_keys = true; return true;
    case 'F': options.foreground = true; return true;
    case 'E': options.log_to_standard_error = true; return true;
    case 'e': options.give_environment = true; return true;
    case 'm': options.message_of_the_day = false; return true;
    case 'w': options.root_login = false; return true;
    case 's': options.passwords = false; return true;
    case 'g': options.root_passwords = false; return true;
    case 'G': options.only_group = value; return true;
    case 'B': options.blank_passwords = true; return true;
    case 't': options.password_and_key = true; return true;
    case 'j':
    case 'k':
    case 'a': return true;  // there is no forwarding to forbid or to open
    case 'p': return listen(value, options);
    case 'l': options.interface = value; return true;
    case 'i': options.on_standard_input = options.foreground = true; return true;
    case 'P': options.pid_file = value; return true;
    case 'W': return window(value, options);
    case 'K': return seconds(letter, value, options.keepalive);
    case 'I': return seconds(letter, value, options.idle_limit);
    case 'M': return seconds(letter, value, options.session_limit);
    case 'z': options.quality_of_service = false; return true;
    case 'T': return number(letter, value, options.login_failures);
    case 'c': options.forced_command = value; return true;
    case 'D': options.keys_folder = value; return true;
    case 'n': options.single_user = true; return true;
    case 'u':
    case 'v': return true;
    default: return false;
  }
}

}  // namespace

CommandLine parse_server_options(int argc, char** argv, ServerOptions& into) {
  name_console(argv[0]);
  Options options(argc, argv, spelling);
  while (true) {
    const int found = options.next();
    const char letter = options.letter();
    switch (found) {
      case Options::end: return consistent(into) ? CommandLine::run : CommandLine::exit_1;
      case Options::word:
        tell("unexpected word '", Foreign{options.value()}, "'");
        print_help(argv[0]);
        return CommandLine::exit_1;
      case Options::unknown:
        tell("unknown option -", Foreign{{&letter, 1}});
        print_help(argv[0]);
        return CommandLine::exit_1;
      case Options::missing:
        tell("the value of -", Foreign{{&letter, 1}}, " is missing");
        return CommandLine::exit_1;
      case 'V':
        print(STDERR_FILENO, version_line(argv[0]).add('\n').view());
        return CommandLine::exit_0;
      case 'h':
        print_help(argv[0]);
        return CommandLine::exit_0;
      case 'Q': return print_algorithms(options.value());
      default:
        if (!take(letter, options.value(), into)) return CommandLine::exit_1;
    }
  }
}

}  // namespace sshape::posix

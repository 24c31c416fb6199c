#include "port/posix/programs/client_options.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <iterator>

#include "core/session.hpp"
#include "port/posix/console.hpp"
#include "port/posix/destination.hpp"
#include "port/posix/options.hpp"
#include "port/posix/program_names.hpp"
#include "port/posix/programs/client_settings.hpp"

namespace sshape::posix {

namespace {

// How `ssh` is spoken; the other names speak dropbear's.
#ifdef SSHAPE_SSH_SPEAKS_DROPBEAR
constexpr Dialect ssh_dialect = Dialect::dropbear;
#else
constexpr Dialect ssh_dialect = Dialect::openssh;
#endif

// --- letters --------------------------------------------------------------------------------------

constexpr unsigned dropbear = static_cast<unsigned>(Dialect::dropbear);
constexpr unsigned openssh = static_cast<unsigned>(Dialect::openssh);
constexpr unsigned both = dropbear | openssh;

struct Letter {
  char letter;
  unsigned dialects;
  bool has_value;
  CommandLine (*take)(char* value, ClientOptions&);
};

constexpr CommandLine done(bool good) { return good ? CommandLine::run : CommandLine::exit_1; }
constexpr CommandLine run = CommandLine::run;

CommandLine nothing_to_do(char*, ClientOptions&) { return run; }

template <bool ClientOptions::* Flag, bool Value = true>
CommandLine flag(char*, ClientOptions& options) {
  options.*Flag = Value;
  return run;
}

template <char Letter, Microseconds ClientOptions::* Field>
CommandLine seconds(char* value, ClientOptions& options) {
  constexpr char what[] = {'-', Letter};
  return done(set_seconds({what, 2}, value, options.*Field));
}

template <int Family>
CommandLine family(char*, ClientOptions& options) {
  options.family = Family;
  return run;
}

// Leaving these out in silence would do something else than the user asked for.
template <char Letter>
CommandLine not_here(char*, ClientOptions&) {
  constexpr char what[] = {Letter};
  tell("-", std::string_view(what, 1), ": not in this build");
  return CommandLine::exit_1;
}

CommandLine more_terminal(char*, ClientOptions& options) {
  using Terminal = ClientOptions::Terminal;
  options.terminal = options.terminal == Terminal::wanted || options.terminal == Terminal::forced ? Terminal::forced
                                                                                                  : Terminal::wanted;
  return run;
}

CommandLine no_terminal(char*, ClientOptions& options) {
  options.terminal = ClientOptions::Terminal::never;
  return run;
}

CommandLine less_checking(char*, ClientOptions& options) {
  options.host_keys =
      options.host_keys == HostKeyPolicy::accept_new ? HostKeyPolicy::unchecked : HostKeyPolicy::accept_new;
  return run;
}

CommandLine ciphers(char* value, ClientOptions& options) {
  if (std::string_view(value) != "help") return done(set_ciphers(value, options));
  print_algorithms("cipher");
  return CommandLine::exit_1;
}

CommandLine macs(char* value, ClientOptions&) {
  if (std::string_view(value) != "help") return run;  // our ciphers bring their own
  print_algorithms("mac");
  return CommandLine::exit_1;
}

CommandLine window(char* value, ClientOptions& options) {
  unsigned long long bytes = 0;
  if (!parse_number(value, ~0ull, bytes) || bytes == 0) return done(complain_of("-W", value, "a number of bytes"));
  options.window = clamp_window(bytes);
  if (options.window != bytes)
    tell("warning: -W is limited to ", options.window, " by this build's profile (window_ceiling and pool of ",
         active::profile.name, ")");
  return run;
}

// [ADDRESS][:PORT]; an IPv6 address with a port is in brackets.
CommandLine our_end(char* value, ClientOptions& options) {
  std::string_view text(value);
  const auto colon = text.rfind(':');
  const bool has_port = colon != std::string_view::npos &&
                        (text.find(':') == colon || (text.starts_with('[') && colon > 0 && text[colon - 1] == ']'));
  if (has_port) {
    unsigned long long port = 0;
    if (!parse_number(text.substr(colon + 1), 65'535, port)) return done(complain_of("-b", value, "[ADDRESS][:PORT]"));
    options.from_port = static_cast<unsigned>(port);
    text = text.substr(0, colon);
  }
  if (text.starts_with('[') && text.ends_with(']')) {
    text = text.substr(1, text.size() - 2);
    ++value;
  }
  value[text.size()] = '\0';
  options.from_host = text.empty() ? nullptr : value;
  return run;
}

CommandLine escape_letter(char* value, ClientOptions& options) {
  options.escapes = std::string_view(value) != "none";
  return run;
}

constexpr Letter letters[] = {
    // clang-format off
    {'p', both, true, [](char* v, ClientOptions& o) { return done(set_port("-p", v, o)); }},
    {'l', both, true, [](char* v, ClientOptions& o) { return done(set_user(v, o)); }},
    {'i', both, true, [](char* v, ClientOptions& o) { return done(add_identity(v, o)); }},
    {'o', both, true, [](char* v, ClientOptions& o) { return take_setting(v, o); }},
    {'c', both, true, ciphers},
    {'m', both, true, macs},
    {'b', both, true, our_end},
    {'t', both, false, more_terminal},
    {'T', both, false, no_terminal},
    {'N', both, false, flag<&ClientOptions::no_command>},
    {'f', both, false, flag<&ClientOptions::background>},
    {'s', both, false, flag<&ClientOptions::subsystem>},
    {'q', both, false, flag<&ClientOptions::quiet>},
    {'v', both, false, flag<&ClientOptions::verbose>},
    {'Q', both, true, [](char* v, ClientOptions&) { return print_algorithms(v); }},
    {'4', both, false, family<AF_INET>},
    {'6', both, false, family<AF_INET6>},
    {'L', both, true, not_here<'L'>},
    {'R', both, true, not_here<'R'>},
    {'D', both, true, not_here<'D'>},
    {'J', both, true, not_here<'J'>},
    {'g', both, false, nothing_to_do},   // of forwarded ports
    {'A', both, false, nothing_to_do},   // the agent
    {'x', both, false, nothing_to_do},
    // --- dropbear's
    {'y', dropbear, false, less_checking},
    {'W', dropbear, true, window},
    {'K', dropbear, true, seconds<'K', &ClientOptions::keepalive>},
    {'I', dropbear, true, seconds<'I', &ClientOptions::idle_limit>},
    {'M', dropbear, true, seconds<'M', &ClientOptions::session_limit>},
    {'z', dropbear, false, flag<&ClientOptions::quality_of_service, false>},
    {'B', dropbear, true, not_here<'B'>},
    {'u', dropbear, false, nothing_to_do},
    // --- OpenSSH's
    {'n', openssh, false, flag<&ClientOptions::null_input>},
    {'e', openssh, true, escape_letter},
    {'W', openssh, true, not_here<'W'>},
    {'w', openssh, true, not_here<'w'>},
    {'O', openssh, true, not_here<'O'>},
    {'F', openssh, true, nothing_to_do},  // configuration files are not read
    {'E', openssh, true, nothing_to_do},
    {'S', openssh, true, nothing_to_do},
    {'B', openssh, true, nothing_to_do},
    {'I', openssh, true, nothing_to_do},
    {'P', openssh, true, nothing_to_do},
    {'C', openssh, false, nothing_to_do},
    {'K', openssh, false, nothing_to_do},
    {'M', openssh, false, nothing_to_do},
    {'X', openssh, false, nothing_to_do},
    {'Y', openssh, false, nothing_to_do},
    {'a', openssh, false, nothing_to_do},
    {'k', openssh, false, nothing_to_do},
    {'y', openssh, false, nothing_to_do},
    // clang-format on
};

const Letter* find_letter(Dialect dialect, char letter) {
  const auto found = std::ranges::find_if(letters, [&](const Letter& l) {
    return l.letter == letter && (l.dialects & static_cast<unsigned>(dialect)) != 0;
  });
  return found == std::end(letters) ? nullptr : found;
}

// As Options wants it: every letter of the dialect, a colon after those with a value.
Text<128> spelling_of(Dialect dialect) {
  Text<128> spelling("Vh");
  for (const Letter& letter : letters) {
    if ((letter.dialects & static_cast<unsigned>(dialect)) == 0) continue;
    spelling.add(letter.letter);
    if (letter.has_value) spelling.add(':');
  }
  return spelling;
}

void print_help(const char* argv0, Dialect dialect) {
  Text<200> usage("usage: ");
  usage.add(program_name(argv0)).add(" [options] [user@]host[^port] [command]\n");
  print(2, usage.view());
  print(2, "-p PORT / -l USER    where, as whom\n"
           "-i FILE              private key (up to 16 times)\n"
           "-t / -T              with a terminal there (twice: always) / never\n"
           "-N                   no command\n"
           "-f                   into the background after login\n"
           "-s                   the command is the name of a subsystem\n"
           "-q / -v              less / more messages\n"
           "-4 / -6              IPv4 / IPv6 only\n"
           "-b [ADDRESS][:PORT]  our end of the connection\n"
           "-c CIPHERS           in order of preference; help lists them\n"
           "-o NAME=VALUE        settings; help lists them\n");
  if (dialect == Dialect::dropbear)
    print(2, "-y / -y -y           take unknown host keys / do not look at host keys\n"
             "-W BYTES             receive window\n"
             "-K / -I / -M SECONDS keepalive / end when idle / longest session (0: off)\n"
             "-z                   do not mark packets for quality of service\n");
  else
    print(2, "-n                   nothing on standard input\n"
             "-e none              ~. and its like are not for us\n");
  print(2, "-Q kex|sig|cipher|mac|compress  list algorithms\n"
           "-V / -h              version / this help\n");
}

// --- words ----------------------------------------------------------------------------------------

bool take_destination(std::string_view word, ClientOptions& into) {
  const Destination to = split_destination(word);
  if (to.host.find(',') != std::string_view::npos) {
    tell("chains of hosts are not in this build: '", Foreign{word}, "'");
    return false;
  }
  if (!is_host_name(to.host)) return complain_of("host", word, "[user@]host[^port]");
  into.host.clear();
  into.host.add(to.host);
  if (!to.user.empty() && !set_user(to.user, into)) return false;
  return to.port.empty() || set_port("port", to.port, into);
}

bool take_command(int words, char** word, ClientOptions& into) {
  for (int i = 0; i < words; ++i) {
    if (i != 0) into.command.add(' ');
    into.command.add(word[i]);
  }
  if (!into.command.cut()) return true;
  tell("the command is longer than this build's ", std::uint64_t{active::profile.command}, " bytes");
  return false;
}

bool consistent(const ClientOptions& options) {
  const char* contradiction = nullptr;
  if (options.subsystem && options.command.empty()) contradiction = "-s needs the name of a subsystem";
  else if (options.background && options.command.empty() && !options.no_command)
    contradiction = "-f needs a command or -N";
  if (contradiction != nullptr) tell(contradiction);
  return contradiction == nullptr;
}

}  // namespace

CommandLine parse_client_options(int argc, char** argv, ClientOptions& into) {
  into.dialect = program_name(argv[0]) == "ssh" ? ssh_dialect : Dialect::dropbear;
  const Text<128> spelling = spelling_of(into.dialect);
  Options options(argc, argv, spelling.view());
  bool has_destination = false;
  while (true) {
    const int found = options.next();
    const char letter = options.letter();
    const std::string_view name(&letter, 1);
    CommandLine outcome = run;
    if (found == Options::end || (found == Options::word && has_destination)) {
      if (!has_destination) {
        print_help(argv[0], into.dialect);
        return CommandLine::exit_1;
      }
      const int command = found == Options::end ? argc : options.index() - 1;
      return done(take_command(argc - command, argv + command, into) && consistent(into));
    }
    switch (found) {
      case Options::word:
        has_destination = true;
        outcome = done(take_destination(options.value(), into));
        break;
      case Options::unknown: tell("warning: unknown option -", Foreign{name}, " is left out"); break;
      case Options::missing:
        tell("-", name, ": a value is expected");
        outcome = CommandLine::exit_1;
        break;
      case 'V': print(2, version_line(argv[0]).add('\n').view()); return CommandLine::exit_0;
      case 'h': print_help(argv[0], into.dialect); return CommandLine::exit_0;
      default: outcome = find_letter(into.dialect, letter)->take(options.value(), into);
    }
    if (outcome != run) return outcome;
  }
}

}  // namespace sshape::posix

#include "port/posix/programs/client_settings.hpp"

#include <stdio.h>
#include <strings.h>
#include <sys/socket.h>

#include <algorithm>
#include <iterator>

#include "core/wire/name_list.hpp"
#include "port/posix/console.hpp"
#include "port/posix/destination.hpp"
#include "port/posix/options.hpp"

namespace sshape::posix {

namespace {

bool same_word(std::string_view a, std::string_view b) {
  return a.size() == b.size() && ::strncasecmp(a.data(), b.data(), a.size()) == 0;
}

bool set_flag(std::string_view what, std::string_view value, bool& into) {
  if (same_word(value, "yes") || same_word(value, "true")) into = true;
  else if (same_word(value, "no") || same_word(value, "false")) into = false;
  else return complain_of(what, value, "yes or no");
  return true;
}

bool set_algorithms(std::string_view what, std::string_view value, std::string_view ours, AlgorithmList& into) {
  AlgorithmList unknown;
  into = choose_algorithms(value, ours, unknown);
  if (into.empty()) return complain_of(what, value, ours);
  if (!unknown.empty()) tell("warning: ", what, ": this build does not have ", Foreign{unknown.view()});
  return true;
}

// "4096", "512K", "1M", "1G"; "default" and "none" stay the profile's.
bool parse_bytes(std::string_view text, std::uint64_t& into) {
  if (text.empty() || same_word(text, "default") || same_word(text, "none")) return true;
  constexpr std::string_view units = "kmg";
  unsigned shift = 0;
  if (const auto unit = units.find(static_cast<char>(text.back() | 0x20)); unit != std::string_view::npos) {
    shift = 10 * (static_cast<unsigned>(unit) + 1);
    text.remove_suffix(1);
  }
  unsigned long long number = 0;
  if (!parse_number(text, ~0ull >> shift, number) || number == 0) return false;
  into = std::uint64_t{number} << shift;
  return true;
}

// "90", "90s", "15m", "1h", "2d".
bool parse_duration(std::string_view text, Microseconds& into) {
  constexpr struct {
    char letter;
    unsigned seconds;
  } units[] = {{'s', 1}, {'m', 60}, {'h', 3'600}, {'d', 86'400}};
  if (text.empty() || same_word(text, "default") || same_word(text, "none")) return true;
  unsigned factor = 1;
  for (const auto& unit : units) {
    if ((text.back() | 0x20) != unit.letter) continue;
    factor = unit.seconds;
    text.remove_suffix(1);
    break;
  }
  unsigned long long number = 0;
  if (!parse_number(text, 1'000'000'000, number) || number == 0) return false;
  into = number * factor * second;
  return true;
}

using Value = std::string_view;  // ends with a NUL that is not part of it

bool rekey_limit(Value value, ClientOptions& into) {
  const auto blank = value.find_first_of(" \t");
  Value time = blank == Value::npos ? Value{} : value.substr(blank);
  time.remove_prefix(std::min(time.find_first_not_of(" \t"), time.size()));
  if (parse_bytes(value.substr(0, blank), into.rekey_bytes) && parse_duration(time, into.rekey_after)) return true;
  return complain_of("RekeyLimit", value, "a number of bytes, and perhaps of seconds");
}

bool strict_host_keys(Value value, ClientOptions& into) {
  if (same_word(value, "ask")) into.host_keys = HostKeyPolicy::ask;
  else if (same_word(value, "accept-new")) into.host_keys = HostKeyPolicy::accept_new;
  else if (same_word(value, "yes") || same_word(value, "true")) into.host_keys = HostKeyPolicy::only_known;
  else if (!same_word(value, "no") && !same_word(value, "off") && !same_word(value, "false"))
    return complain_of("StrictHostKeyChecking", value, "ask, accept-new, yes or no");
  else into.host_keys = into.dialect == Dialect::openssh ? HostKeyPolicy::accept_changed : HostKeyPolicy::unchecked;
  return true;
}

// Several in OpenSSH's dialect; in dropbear's a blank belongs to the name.
bool known_hosts_files(Value value, ClientOptions& into) {
  into.known_hosts = {};
  if (into.dialect == Dialect::dropbear) return into.known_hosts.add(value);
  while (true) {
    value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
    if (value.empty()) return true;
    const Value path = value.substr(0, value.find_first_of(" \t"));
    if (!into.known_hosts.add(path)) return complain_of("UserKnownHostsFile", value, "at most three files");
    value.remove_prefix(path.size());
  }
}

bool address_family(Value value, ClientOptions& into) {
  if (same_word(value, "any")) into.family = AF_UNSPEC;
  else if (same_word(value, "inet")) into.family = AF_INET;
  else if (same_word(value, "inet6")) into.family = AF_INET6;
  else return complain_of("AddressFamily", value, "any, inet or inet6");
  return true;
}

bool request_tty(Value value, ClientOptions& into) {
  using Terminal = ClientOptions::Terminal;
  if (same_word(value, "auto")) into.terminal = Terminal::automatic;
  else if (same_word(value, "yes")) into.terminal = Terminal::wanted;
  else if (same_word(value, "force")) into.terminal = Terminal::forced;
  else if (same_word(value, "no")) into.terminal = Terminal::never;
  else return complain_of("RequestTTY", value, "auto, yes, force or no");
  return true;
}

bool preferred_authentications(Value value, ClientOptions& into) {
  into.use_keys = wire::NameList(value).contains("publickey");
  into.use_passwords = wire::NameList(value).contains("password");
  return true;
}

bool password_prompts(Value value, ClientOptions& into) {
  unsigned long long number = 0;
  if (!parse_number(value, 100, number)) return complain_of("NumberOfPasswordPrompts", value, "a number");
  into.password_tries = static_cast<unsigned>(number);
  return true;
}

bool log_level(Value value, ClientOptions& into) {
  into.quiet = same_word(value, "QUIET") || same_word(value, "FATAL");
  into.verbose = same_word(value, "VERBOSE") || same_word(value.substr(0, 5), "DEBUG");
  return true;
}

bool no_proxy(Value value, ClientOptions&) {
  return same_word(value, "none") || complain_of("proxies are not in this build", value, "none");
}

bool ignored(Value, ClientOptions&) { return true; }

struct Setting {
  std::string_view name;
  bool (*take)(Value, ClientOptions&);
};

constexpr Setting settings[] = {
    {"AddressFamily", address_family},
    {"BatchMode", [](Value v, ClientOptions& o) { return set_flag("BatchMode", v, o.batch); }},
    {"BindAddress",
     [](Value v, ClientOptions& o) {
       o.from_host = v.data();
       return true;
     }},
    {"Ciphers", set_ciphers},
    {"ConnectTimeout", [](Value v, ClientOptions& o) { return set_seconds("ConnectTimeout", v, o.connect_limit); }},
    {"EscapeChar",
     [](Value v, ClientOptions& o) {
       o.escapes = v != "none";
       return true;
     }},
    {"ForkAfterAuthentication",
     [](Value v, ClientOptions& o) { return set_flag("ForkAfterAuthentication", v, o.background); }},
    {"GlobalKnownHostsFile",
     [](Value v, ClientOptions& o) {
       o.global_known_hosts = v;
       return true;
     }},
    {"IdentityFile", [](Value v, ClientOptions& o) { return v == "none" || add_identity(v.data(), o); }},
    {"KexAlgorithms",
     [](Value v, ClientOptions& o) {
       return set_algorithms("KexAlgorithms", v, active::profile.algorithms.kex, o.kex);
     }},
    {"LogLevel", log_level},
    {"NumberOfPasswordPrompts", password_prompts},
    {"PasswordAuthentication",
     [](Value v, ClientOptions& o) { return set_flag("PasswordAuthentication", v, o.use_passwords); }},
    {"Port", [](Value v, ClientOptions& o) { return set_port("Port", v, o); }},
    {"PreferredAuthentications", preferred_authentications},
    {"ProxyCommand", no_proxy},
    {"ProxyJump", no_proxy},
    {"PubkeyAuthentication", [](Value v, ClientOptions& o) { return set_flag("PubkeyAuthentication", v, o.use_keys); }},
    {"RekeyLimit", rekey_limit},
    {"RequestTTY", request_tty},
    {"ServerAliveInterval",
     [](Value v, ClientOptions& o) { return set_seconds("ServerAliveInterval", v, o.keepalive); }},
    {"StdinNull", [](Value v, ClientOptions& o) { return set_flag("StdinNull", v, o.null_input); }},
    {"StrictHostKeyChecking", strict_host_keys},
    {"User", set_user},
    {"UserKnownHostsFile", known_hosts_files},
    // Known, and nothing that this build does would change by them.
    {"CheckHostIP", ignored},
    {"ClearAllForwardings", ignored},
    {"Compression", ignored},
    {"ControlMaster", ignored},
    {"ControlPath", ignored},
    {"ControlPersist", ignored},
    {"DisableTrivialAuth", ignored},
    {"ExitOnForwardFailure", ignored},
    {"ForwardAgent", ignored},
    {"ForwardX11", ignored},
    {"ForwardX11Trusted", ignored},
    {"GatewayPorts", ignored},
    {"GSSAPIAuthentication", ignored},
    {"HashKnownHosts", ignored},
    {"HostbasedAuthentication", ignored},
    {"IdentitiesOnly", ignored},
    {"IdentityAgent", ignored},
    {"KbdInteractiveAuthentication", ignored},
    {"PermitLocalCommand", ignored},
    {"RemoteCommand", ignored},
    {"SendEnv", ignored},
    {"ServerAliveCountMax", ignored},
    {"TCPKeepAlive", ignored},
    {"UpdateHostKeys", ignored},
    {"UseSyslog", ignored},
};

CommandLine print_names() {
  for (const Setting& setting : settings)
    if (setting.take != ignored) ::printf("%.*s\n", static_cast<int>(setting.name.size()), setting.name.data());
  ::fflush(stdout);
  return CommandLine::exit_0;
}

}  // namespace

CommandLine take_setting(std::string_view text, ClientOptions& into) {
  if (text == "help") return print_names();
  const auto sign = text.find_first_of("= \t");
  const std::string_view name = text.substr(0, sign);
  const auto begin = sign == std::string_view::npos ? sign : text.find_first_not_of("= \t", sign);
  if (begin == std::string_view::npos) {
    complain_of("-o", text, "NAME=VALUE");
    return CommandLine::exit_1;
  }
  const auto setting = std::ranges::find_if(settings, [&](const Setting& s) { return same_word(s.name, name); });
  if (setting == std::end(settings)) {
    if (!into.quiet) tell("warning: unknown setting '", Foreign{name}, "' is left out");
    return CommandLine::run;
  }
  return setting->take(text.substr(begin), into) ? CommandLine::run : CommandLine::exit_1;
}

bool set_port(std::string_view what, std::string_view value, ClientOptions& into) {
  unsigned long long port = 0;
  if (!parse_number(value, 65'535, port) || port == 0) return complain_of(what, value, "a port of 1 to 65535");
  into.port = static_cast<unsigned>(port);
  into.port_given = true;
  return true;
}

bool set_seconds(std::string_view what, std::string_view value, Microseconds& into) {
  unsigned long long seconds = 0;
  if (!parse_number(value, 0xffff'ffff, seconds)) return complain_of(what, value, "a number of seconds");
  into = seconds * second;
  return true;
}

bool set_user(std::string_view value, ClientOptions& into) {
  into.user.clear();
  into.user.add(value);
  if (into.user.cut() || !is_user_name(value)) return complain_of("user", value, "a user's name");
  return true;
}

bool add_identity(const char* path, ClientOptions& into) {
  return into.identities.add(path) || complain_of("-i", path, "at most 16 keys");
}

bool set_ciphers(std::string_view value, ClientOptions& into) {
  return set_algorithms("ciphers", value, active::profile.algorithms.ciphers, into.ciphers);
}

bool complain_of(std::string_view what, std::string_view value, std::string_view expected) {
  tell(what, ": ", expected, " is expected, not '", Foreign{value}, "'");
  return false;
}

}  // namespace sshape::posix

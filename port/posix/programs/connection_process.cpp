#include "port/posix/programs/connection_process.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "port/posix/build_settings.hpp"
#include "port/posix/clock.hpp"
#include "port/posix/host_keys.hpp"
#include "port/posix/local_authority.hpp"
#include "port/posix/log.hpp"
#include "port/posix/pages.hpp"
#include "port/posix/place.hpp"
#include "port/posix/process.hpp"
#include "port/posix/programs/server_connection.hpp"
#include "port/posix/random.hpp"
#include "port/posix/signals.hpp"
#include "port/posix/small_file.hpp"
#include "port/posix/socket.hpp"

namespace sshape::posix {

namespace {

std::string_view read_banner(const char* path) {
  static std::array<char, active::profile.banner + 1> space;
  const SmallFile file = read_small_file(path, space);
  if (file.error != 0) {
    log_warning(LogLine("Banner ").add_escaped(path).add(": ").add(error_text(file.error)));
    return {};
  }
  return file.text;
}

SessionConfig session_config(const ServerOptions& options, const HostKeys& keys) {
  SessionConfig config;
  config.role = Role::server;
  config.transport.software = build_settings::show_version ? "sshape_" SSHAPE_VERSION : "sshape";
  config.transport.host_keys = keys.blobs();
  config.server_auth.password = options.passwords;
  config.server_auth.max_failures = options.login_failures;
  if (options.banner_file != nullptr) config.server_auth.banner = read_banner(options.banner_file);
  config.window = options.window;
  config.keepalive = options.keepalive;
  config.idle_limit = options.idle_limit;
  return config;
}

// -D as an absolute path, for keys are looked for with the working folder that we have by chance.
const char* keys_folder(const char* given) {
  static Text<2047> absolute;
  char here[1024];
  if (!is_relative_folder(given) || ::getcwd(here, sizeof here) == nullptr) return given;
  absolute.add(here).add('/').add(given);
  return absolute.cut() ? given : absolute.c_str();
}

LoginPolicy login_policy(const ServerOptions& options, const Overrides& overrides) {
  return {.root_login = options.root_login,
          .passwords = options.passwords,
          .root_passwords = options.root_passwords,
          .blank_passwords = options.blank_passwords,
          .password_and_key = options.password_and_key,
          .only_group = options.only_group,
          .keys_folder = keys_folder(options.keys_folder),
          .single_user = options.single_user,
          .overrides = overrides};
}

void log_end(const ServerConnection& connection, const Login& login, std::string_view peer) {
  LogLine line;
  if (connection.logged_in()) {
    line.add("Exit (").add_escaped(login.known_user()).add(") from <").add(peer).add(">: ").add(connection.end_text());
    return log_notice(line);
  }
  const std::string_view user = login.known_user();
  line.add("Exit before auth from <").add(peer).add(">: ");
  if (!user.empty())
    line.add("(user '").add_escaped(user).add("', ").add_number(connection.login_failures()).add(" fails): ");
  if (connection.tries_used_up())
    line.add("Max auth tries reached - user '").add_escaped(user.empty() ? std::string_view("is invalid") : user).add("'");
  else
    line.add(connection.end_text());
  log_notice(line);
}

// True: this process shall end.
bool take_signals(Children& children) {
  bool end = false;
  while (const int number = take_signal()) {
    if (number == SIGCHLD) children.reap();
    else end = true;
  }
  return end;
}

void serve(ServerConnection& connection, Children& children, const Login& login, std::string_view peer) {
  static PollSet set;
  bool logged = false;
  while (!connection.finished()) {
    set.clear();
    const std::size_t signals = set.add(signal_descriptor(), POLLIN);
    connection.watch(set);
    set.wait(connection.wake_at());
    const Instant now = monotonic_now();
    if (set.ready(signals) && take_signals(children))
      connection.end(Disconnect::by_application, "Terminated by signal");
    connection.move(set, now);
    if (connection.ended() && !std::exchange(logged, true)) log_end(connection, login, peer);
  }
}

}  // namespace

bool load_host_keys(const ServerOptions& options, bool make, HostKeys& into) {
  for (const char* const path : options.host_key_files) {
    if (into.load(path, true) != HostKeys::Loaded::second_of_its_type) continue;
    log_warning(LogLine("Host key ").add_escaped(path).add(": a second key of its type"));
    return false;
  }
  if (options.host_key_files.empty()) {
    KernelRandom random;
    for (const DefaultHostKey& key : default_host_keys()) {
      if (into.load(key.path, false) != HostKeys::Loaded::missing || !make) continue;
      make_default_host_key(key, random);
      (void)into.load(key.path, true);
    }
  }
  return !into.empty();
}

int run_connection(const ServerOptions& options, const Overrides& overrides, Descriptor in, Descriptor out,
                   Descriptor login_pipe) {
  static Place<HostKeys> host_keys_place;
  static Place<LoginPolicy> login_policy_place;
  static Place<StartPolicy> start_policy_place;
  static Place<Login> login_place;
  static Place<Children> children_place;
  static Place<LocalAuthority> authority_place;
  static Place<ServerConnection> connection_place;
  static KernelRandom random;
  static MappedPages pages;

  ignore_broken_pipes();
  for (const int number : {SIGCHLD, SIGTERM, SIGINT, SIGHUP})
    if (!watch_signal(number)) return 1;

  StartPolicy& start_policy = start_policy_place.make();
  start_policy.forced_command = options.forced_command;
  start_policy.give_environment = options.give_environment;
  start_policy.message_of_the_day = options.message_of_the_day && build_settings::message_of_the_day;
  start_policy.peer = peer_address(in.get()).value_or(Address{});
  start_policy.local = local_address(in.get()).value_or(Address{});
  const auto peer = start_policy.peer.host_and_port();
  const HostText host = start_policy.peer.host();
  log_notice(LogLine("Child connection from ").add(peer.view()));
  if (start_policy.peer.is_tcp()) prepare_connection(in.get());

  HostKeys& keys = host_keys_place.make();
  if (!load_host_keys(options, options.make_host_keys, keys)) {
    log_warning(LogLine("Exit before auth from <").add(peer.view()).add(">: No hostkeys available"));
    return 1;
  }
  LoginPolicy& login_policy = login_policy_place.make(posix::login_policy(options, overrides));
  Login& login = login_place.make(login_policy, peer.view(), host.view());
  Children& children = children_place.make(start_policy);
  LocalAuthority& authority = authority_place.make(login, children, keys, random);
  const ConnectionPlan plan{.session = session_config(options, keys),
                            .session_limit = options.session_limit,
                            .quality_of_service = options.quality_of_service};
  ServerConnection& connection = connection_place.make(plan, authority, random, pages, std::move(in), std::move(out),
                                                       std::move(login_pipe));
  serve(connection, children, login, peer.view());
  return 0;
}

}  // namespace sshape::posix

// sshape, dbclient, ssh: the client.
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/session.hpp"
#include "port/posix/account.hpp"
#include "port/posix/connect.hpp"
#include "port/posix/console.hpp"
#include "port/posix/identities.hpp"
#include "port/posix/known_hosts_file.hpp"
#include "port/posix/pages.hpp"
#include "port/posix/place.hpp"
#include "port/posix/process.hpp"
#include "port/posix/programs/client_connection.hpp"
#include "port/posix/programs/client_options.hpp"
#include "port/posix/programs/programs.hpp"
#include "port/posix/random.hpp"
#include "port/posix/signals.hpp"

namespace sshape::posix {

namespace {

using Path = Text<1023>;

constexpr Microseconds login_limit = 24 * 3'600 * second;  // people take their time to find a password

// $HOME, or what the account says.
void find_home(const Account& account, Path& home) {
  const char* const said = ::getenv("HOME");
  home.add(said != nullptr && said[0] != '\0' ? said : account.home.view());
}

Path expand_home(std::string_view path, const Path& home) {
  if (!path.starts_with("~/")) return Path(path);
  return Path(home.view()).add(path.substr(1));
}

void load_identities(const ClientOptions& options, const Path& home, Identities& identities) {
  if (!options.use_keys) return;
  const auto load = [&](const Path& path, bool named) {
    const char* why = "there is no such file";
    const Identities::Loaded loaded = identities.load(path.c_str(), why);
    if (loaded == Identities::Loaded::yes || (loaded == Identities::Loaded::missing && !named)) return;
    if (named || options.verbose)
      tell("warning: the key ", Foreign{path.view()}, " cannot be used: ", std::string_view(why));
  };
  for (const char* const path : options.identities) load(expand_home(path, home), true);
  if (options.identities.empty()) load(expand_home("~/.ssh/id_ed25519", home), false);
  load(expand_home("~/.ssh/id_dropbear", home), false);
}

void choose_known_hosts(const ClientOptions& options, const Path& home, KnownHostsFiles& known_hosts) {
  const auto add = [&](const Path& path) {
    if (path.view() != "none" && !known_hosts.add_file(path.view()))
      tell("warning: too many known_hosts files, or too long a name: ", Foreign{path.view()});
  };
  if (options.known_hosts.empty()) add(expand_home("~/.ssh/known_hosts", home));
  for (const std::string_view path : options.known_hosts) add(expand_home(path, home));
  if (options.dialect == Dialect::openssh) add(Path(options.global_known_hosts));
}

// Algorithms of the key types, as negotiation names them.
Text<300> algorithms_of(std::string_view key_types) {
  Text<300> algorithms;
  for (const std::string_view type : wire::NameList(key_types)) {
    if (!algorithms.empty()) algorithms.add(',');
    algorithms.add(type == "ssh-rsa" ? std::string_view("rsa-sha2-512,rsa-sha2-256") : type);
  }
  return algorithms;
}

SessionConfig session_config(const ClientOptions& options, std::string_view host_key_algorithms) {
  SessionConfig config;
  config.role = Role::client;
  config.transport.software = "sshape_" SSHAPE_VERSION;
  config.transport.known_host_key_algorithms = host_key_algorithms;
  config.transport.kex = options.kex.view();
  config.transport.ciphers = options.ciphers.view();
  config.transport.rekey_bytes = options.rekey_bytes;
  config.transport.rekey_after = options.rekey_after;
  config.client_auth.user = options.user.view();
  config.window = options.window;
  config.login_limit = login_limit;
  config.keepalive = options.keepalive;
  config.idle_limit = options.idle_limit;
  return config;
}

// As if nobody had watched the signal.
int die_of(int signal) {
  reset_signals();
  ::raise(signal);
  return 128 + signal;
}

int run_client(ClientOptions& options) {
  static Place<Account> account_place;
  static Place<Identities> identities_place;
  static Place<KnownHostsFiles> known_hosts_place;
  static Place<ClientConnection> connection_place;
  static Path home;
  static KernelRandom random;
  static MappedPages pages;

  Account& account = account_place.make();
  look_up_own_account(account);
  account.forget_hash();
  if (options.user.empty()) options.user.add(account.name.view());
  find_home(account, home);
  Identities& identities = identities_place.make();
  load_identities(options, home, identities);
  KnownHostsFiles& known_hosts = known_hosts_place.make(
      options.host.view(), options.port,
      options.dialect == Dialect::openssh ? KnownHostsFiles::Naming::openssh : KnownHostsFiles::Naming::dropbear);
  choose_known_hosts(options, home, known_hosts);
  const Text<300> host_key_algorithms = algorithms_of(known_hosts.key_types().view());

  const ConnectPlan plan{.host = options.host.c_str(),
                         .port = options.port,
                         .family = options.family,
                         .limit = options.connect_limit,
                         .from_host = options.from_host,
                         .from_port = options.from_port};
  ConsoleLine why;
  Descriptor socket = connect_to_host(plan, why);
  if (!socket) {
    tell(why.view());
    return own_failure(options.dialect);
  }
  ClientConnection& connection =
      connection_place.make(options, session_config(options, host_key_algorithms.view()), known_hosts, identities,
                            random, pages, std::move(socket));
  const int status = connection.run();
  return status < 0 ? die_of(-status) : status;
}

}  // namespace

}  // namespace sshape::posix

int client_main(int argc, char** argv) {
  using namespace sshape::posix;
  static Place<ClientOptions> options_place;
  name_console(argv[0]);
  harden_process();
  if (!open_standard_descriptors()) return 1;
  ClientOptions& options = options_place.make();
  switch (parse_client_options(argc, argv, options)) {
    case CommandLine::run: return run_client(options);
    case CommandLine::exit_0: return 0;
    case CommandLine::exit_1: break;
  }
  return own_failure(options.dialect);
}

// The client's command line (COMPAT: client), in dropbear's letters or OpenSSH's.
#pragma once

#include "core/instant.hpp"
#include "port/posix/algorithm_choice.hpp"
#include "port/posix/few.hpp"
#include "port/posix/programs/command_line.hpp"
#include "port/posix/text.hpp"
#include "profiles/active.hpp"

namespace sshape::posix {

enum class Dialect : unsigned char { dropbear = 1, openssh = 2 };

// What a host key that is not known yet, or has changed, leads to.
enum class HostKeyPolicy : unsigned char {
  ask,
  accept_new,      // -y: unknown ones are taken, changed ones refused
  only_known,      // StrictHostKeyChecking=yes
  unchecked,       // -y -y
  accept_changed,  // OpenSSH's StrictHostKeyChecking=no: taken, but no password is told
};

struct ClientOptions {
  Dialect dialect = Dialect::dropbear;
  Text<active::profile.user_name> user;              // empty: the account's name
  Text<255> host;
  unsigned port = 22;
  bool port_given = false;
  Few<const char*, 16> identities;                   // -i
  bool use_keys = true;                              // PubkeyAuthentication
  bool use_passwords = true;                         // PasswordAuthentication
  unsigned password_tries = 3;
  bool batch = false;                                // BatchMode: no questions

  HostKeyPolicy host_keys = HostKeyPolicy::ask;
  Few<std::string_view, 3> known_hosts;              // UserKnownHostsFile; empty: the user's own
  std::string_view global_known_hosts = "/etc/ssh/ssh_known_hosts";  // in OpenSSH's dialect alone

  // -t, -tt, -T: what there is to be at the other end.
  enum class Terminal : unsigned char { automatic, wanted, forced, never } terminal = Terminal::automatic;
  Text<active::profile.command> command;             // empty: a shell
  bool subsystem = false;                            // -s: the command is the name of one
  bool no_command = false;                           // -N
  bool background = false;                           // -f
  bool null_input = false;                           // -n
  bool escapes = true;                               // ~. and its like

  int family = 0;                                    // AF_INET, AF_INET6, AF_UNSPEC
  const char* from_host = nullptr;                   // -b
  unsigned from_port = 0;
  Microseconds connect_limit = 0;                    // ConnectTimeout; 0: the system's
  Microseconds keepalive = 0;                        // -K
  Microseconds idle_limit = 0;                       // -I
  Microseconds session_limit = 0;                    // -M
  std::uint32_t window = 0;                          // -W, clamped; 0: the profile's
  bool quality_of_service = true;                    // -z

  AlgorithmList kex;                                 // empty: the profile's
  AlgorithmList ciphers;
  std::uint64_t rekey_bytes = active::profile.rekey_bytes;
  Microseconds rekey_after = active::profile.rekey_seconds * second;

  bool quiet = false;                                // -q
  bool verbose = false;                              // -v
};

// Complains on standard error. -V, -h, -Q and "help" print and want an end.
CommandLine parse_client_options(int argc, char** argv, ClientOptions& into);

// The status that says that the failure is ours and not the command's.
constexpr int own_failure(Dialect dialect) { return dialect == Dialect::openssh ? 255 : 1; }

}  // namespace sshape::posix

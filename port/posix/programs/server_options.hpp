// The server's command line (COMPAT: server options).
#pragma once

#include <cstdint>

#include "core/instant.hpp"
#include "port/posix/few.hpp"
#include "port/posix/listener.hpp"
#include "port/posix/programs/command_line.hpp"
#include "profiles/active.hpp"

namespace sshape::posix {

struct ServerOptions {
  const char* banner_file = nullptr;              // -b
  Few<const char*, 16> host_key_files;            // -r, -d; empty: the default ones
  bool make_host_keys = false;                    // -R
  bool foreground = false;                        // -F
  bool log_to_standard_error = false;             // -E
  bool give_environment = false;                  // -e
  bool message_of_the_day = true;                 // -m
  bool root_login = true;                         // -w
  bool passwords = true;                          // -s
  bool root_passwords = true;                     // -g
  const char* only_group = nullptr;               // -G
  bool blank_passwords = false;                   // -B
  bool password_and_key = false;                  // -t
  Few<ListenAddress, 10> listen;                  // -p
  unsigned listen_ignored = 0;                    // -p past the tenth
  const char* interface = nullptr;                // -l
  bool on_standard_input = false;                 // -i
  const char* pid_file = "/var/run/dropbear.pid"; // -P
  std::uint32_t window = 0;  // -W, clamped; 0: the profile's
  std::uint64_t window_wanted = 0;
  Microseconds keepalive = 0;                     // -K
  Microseconds idle_limit = 0;                    // -I
  Microseconds session_limit = 0;                 // -M
  bool quality_of_service = true;                 // -z
  std::uint32_t login_failures = 10;              // -T
  const char* forced_command = nullptr;           // -c
  const char* keys_folder = "~/.ssh";             // -D
  bool single_user = false;                       // -n
};

// -D that begins where the server was started, not at the root or the user's home.
constexpr bool is_relative_folder(const char* keys_folder) { return keys_folder[0] != '/' && keys_folder[0] != '~'; }

// Complains on standard error. -V, -h, -Q print and want exit_0 (an unknown list: exit_1). Nothing but
// looking up -G's group is done.
CommandLine parse_server_options(int argc, char** argv, ServerOptions& into);

}  // namespace sshape::posix

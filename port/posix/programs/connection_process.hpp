// The process of one connection, executed anew by the listener, or by inetd (-i).
#pragma once

#include "port/posix/descriptor.hpp"
#include "port/posix/overrides.hpp"
#include "port/posix/programs/server_options.hpp"

namespace sshape::posix {

// How the listener hands a connection to its process: the last word of the command line, and these
// descriptors.
inline constexpr char connection_word[] = "--connection";
namespace handed {
inline constexpr int socket = 3;
inline constexpr int login_pipe = 4;  // ends, or gets a byte, when the connection is no stranger any more
inline constexpr int overrides = 5;   // a pipe that holds an Overrides; open only if there are any
inline constexpr int image = 6;       // our executable, close-on-exec
inline constexpr int folder = 7;      // where relative paths begin; open only if that is not here
}  // namespace handed

// Does not return before the connection is over. Without `out`, `in` is a socket for both ways.
int run_connection(const ServerOptions& options, const Overrides& overrides, Descriptor in, Descriptor out,
                   Descriptor login_pipe);

// Every host key that the options name, or the default ones; those that -R asks for are made if
// `make`. False: there is none, or two are of one type; it is in the log.
class HostKeys;
bool load_host_keys(const ServerOptions& options, bool make, HostKeys& into);

}  // namespace sshape::posix

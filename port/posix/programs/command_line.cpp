#include "port/posix/programs/command_line.hpp"

#include <stdio.h>

#include "core/wire/name_list.hpp"
#include "port/posix/console.hpp"
#include "profiles/active.hpp"

namespace sshape::posix {

CommandLine print_algorithms(std::string_view kind) {
  const AlgorithmLists& lists = active::profile.algorithms;
  std::string_view list;
  if (kind == "kex") list = lists.kex;
  else if (kind == "sig") list = lists.host_keys;
  else if (kind == "cipher") list = lists.ciphers;
  else if (kind == "mac") list = lists.macs;
  else if (kind == "compress") list = lists.compression;
  else {
    tell("-Q: unknown list '", Foreign{kind}, "'; there are kex, sig, cipher, mac, compress");
    return CommandLine::exit_1;
  }
  for (const std::string_view name : wire::NameList(list))
    ::printf("%.*s\n", static_cast<int>(name.size()), name.data());
  ::fflush(stdout);
  return CommandLine::exit_0;
}

}  // namespace sshape::posix

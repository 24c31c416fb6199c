// The multi-call executable: what it does follows the name it is called by, or its first word.
#include <string.h>
#include <unistd.h>

#include "port/posix/program_names.hpp"
#include "port/posix/programs/programs.hpp"

namespace {

using namespace sshape::posix;

// The executable may be installed under any name of it that does not stand for one program only:
// `sshape dropbearkey ...`, `dropbear dbclient ...`.
bool takes_a_first_word(std::string_view name) {
  return name == "sshape" || name == "sshaped" || name == "dropbear" || program_of_name(name) == Program::none;
}

}  // namespace

// The leak checker traces us, which a process that holds keys does not allow (harden_process).
#ifdef __SANITIZE_ADDRESS__
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }
#endif

int main(int argc, char** argv) {
  static char fallback[] = "sshape";
  if (argc < 1) {
    static char* only[] = {fallback, nullptr};
    argv = only;
    argc = 1;
  }
  Program program = program_of_name(program_name(argv[0]));
  if (takes_a_first_word(program_name(argv[0])) && argc > 1) {
    if (const Program word = program_of_name(argv[1]); word != Program::none) {
      program = word;
      ++argv;
      --argc;
    }
  }
  switch (program) {
    case Program::server: return server_main(argc, argv);
    case Program::client: return client_main(argc, argv);
    case Program::keygen: return keygen_main(argc, argv);
    case Program::none: break;
  }
  constexpr std::string_view help =
      "one executable, several programs: call it by a link of that name, or with the name as first word\n"
      "  sshaped, dropbear                 server\n"
      "  sshape, dbclient, ssh             client\n"
      "  sshape-keygen, dropbearkey        keys\n";
  [[maybe_unused]] const ssize_t n = ::write(STDERR_FILENO, help.data(), help.size());
  return 1;
}

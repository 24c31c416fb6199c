// sshape-keygen, dropbearkey, ssh-keygen: makes keys, prints their public half (COMPAT: keys and scp).
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/crypto/key_files.hpp"
#include "core/crypto/public_key.hpp"
#include "port/posix/account.hpp"
#include "port/posix/console.hpp"
#include "port/posix/options.hpp"
#include "port/posix/process.hpp"
#include "port/posix/program_names.hpp"
#include "port/posix/programs/command_line.hpp"
#include "port/posix/programs/programs.hpp"
#include "port/posix/random.hpp"
#include "port/posix/small_file.hpp"

namespace sshape::posix {

namespace {

constexpr std::size_t largest_file = 16 * 1024;  // bytes
constexpr std::size_t longest_comment = 512;

struct KeygenOptions {
  const char* file = nullptr;             // -f
  crypto::KeyType type = crypto::KeyType::ed25519;  // -t
  bool bits_given = false;                // -s
  unsigned long long bits = 0;
  const char* comment = nullptr;          // -C
  bool print_only = false;                // -y
  bool quiet = false;                     // -q
  bool dropbear_format = false;           // by the name we are called by
};

// --- the command line -----------------------------------------------------------------------------

void print_help(const char* argv0) {
  Text<200> usage("usage: ");
  usage.add(program_name(argv0)).add(" -t ed25519 -f FILE [options]\n");
  print(STDERR_FILENO, usage.view());
  print(STDERR_FILENO,
        "-t TYPE     ed25519 (default)\n"
        "-f FILE     the new key; its public half goes to FILE.pub\n"
        "-s BITS     256, the one size of ed25519\n"
        "-C COMMENT  instead of user@host\n"
        "-y          print the public half of the key in FILE\n"
        "-N ''       no passphrase\n"
        "-q          say nothing\n"
        "-V / -h     version / this help\n");
}

bool set_type(std::string_view name, KeygenOptions& options) {
  if (name == "ed25519") {
    options.type = crypto::KeyType::ed25519;
    return true;
  }
  tell("-t: ed25519 is the key type of this build, not '", Foreign{name}, "'");
  return false;
}

bool set_bits(std::string_view text, KeygenOptions& options) {
  options.bits_given = parse_number(text, 1'000'000, options.bits);
  if (!options.bits_given) tell("-s: a number of bits is expected, not '", Foreign{text}, "'");
  return options.bits_given;
}

bool is_without_passphrase(std::string_view text) {
  if (!text.empty()) tell("-N: keys are written without a passphrase; '' is expected");
  return text.empty();
}

bool consistent(const KeygenOptions& options, const char* argv0) {
  if (options.file == nullptr) {
    tell("-f FILE is missing");
    print_help(argv0);
    return false;
  }
  if (options.bits_given && options.bits != 256 && !options.print_only) {
    tell("-s: ed25519 keys have 256 bits");
    return false;
  }
  return true;
}

CommandLine parse_options(int argc, char** argv, KeygenOptions& into) {
  into.dropbear_format = program_name(argv[0]) == "dropbearkey" || program_name(argv[0]) == "ssh-keygen";
  Options options(argc, argv, "t:f:s:C:N:yqvhV");
  while (const int found = options.next()) {
    const char letter = options.letter();
    const std::string_view name(&letter, 1);
    bool good = true;
    switch (found) {
      case 't': good = set_type(options.value(), into); break;
      case 'f': into.file = options.value(); break;
      case 's': good = set_bits(options.value(), into); break;
      case 'C': into.comment = options.value(); break;
      case 'N': good = is_without_passphrase(options.value()); break;
      case 'y': into.print_only = true; break;
      case 'q': into.quiet = true; break;
      case 'v': break;
      case 'V': print(STDERR_FILENO, version_line(argv[0]).add('\n').view()); return CommandLine::exit_0;
      case 'h': print_help(argv[0]); return CommandLine::exit_0;
      case Options::missing: tell("-", name, ": a value is expected"); return CommandLine::exit_1;
      case Options::unknown: tell("unknown option -", Foreign{name}); return CommandLine::exit_1;
      default: tell("unexpected word '", Foreign{options.value()}, "'"); return CommandLine::exit_1;
    }
    if (!good) return CommandLine::exit_1;
  }
  return consistent(into, argv[0]) ? CommandLine::run : CommandLine::exit_1;
}

// --- the key --------------------------------------------------------------------------------------

// A comment is one line of a file: what would end or hide it is cut off.
Text<longest_comment> comment_of(std::string_view text) {
  return Text<longest_comment>(text.substr(0, text.find_first_of(std::string_view("\r\n\0", 3))));
}

Text<longest_comment> user_at_host() {
  Account account;
  look_up_own_account(account);
  char host[256] = "localhost";
  if (::gethostname(host, sizeof host - 1) != 0) ::strcpy(host, "localhost");
  return Text<longest_comment>(account.name.view()).add('@').add(host);
}

bool public_line(const crypto::PrivateKey& key, std::string_view comment, wire::Writer& blob, wire::Writer& line) {
  key.public_blob(blob);
  const bool made = blob.ok() && crypto::write_public_line(blob.written(), comment, line);
  line.byte('\n');
  if (made && line.ok()) return true;
  tell("the public key is larger than this build allows");
  return false;
}

int print_public(Bytes blob, Bytes line) {
  Text<4096> text("Public key portion is:\n");
  text.add(text_of(line)).add("Fingerprint: ").add(crypto::fingerprint(blob).text()).add('\n');
  print(STDOUT_FILENO, text.view());
  return 0;
}

// The exit status says whether the file holds a key.
int print_existing(const KeygenOptions& options) {
  crypto::Secret<largest_file> text, scratch;
  const SmallFile file = read_small_file(options.file, {reinterpret_cast<char*>(text.space().data()), text.capacity()});
  if (file.error != 0) {
    tell("cannot read ", Foreign{options.file}, ": ", std::string_view(::strerror(file.error)));
    return 1;
  }
  crypto::PrivateKey key;
  std::array<char, longest_comment> comment_space;
  const auto comment_size = crypto::read_private_key(file.text, scratch.space(), key, comment_space);
  if (!comment_size) {
    tell(Foreign{options.file}, ": ", std::string_view(comment_size.error().text));
    return 1;
  }
  auto comment = comment_of({comment_space.data(), std::min(*comment_size, comment_space.size())});
  if (comment.empty()) comment = user_at_host();
  if (options.comment != nullptr) comment = comment_of(options.comment);

  std::array<std::byte, 1024> blob_space;
  std::array<std::byte, 2048> line_space;
  wire::Writer blob(blob_space), line(line_space);
  return public_line(key, comment.view(), blob, line) ? print_public(blob.written(), line.written()) : 1;
}

int make_key(const KeygenOptions& options) {
  // So that an hour of primes is not spent on a file that cannot be made; write_new_file() decides.
  struct stat existing{};
  if (::lstat(options.file, &existing) == 0) {
    tell(Foreign{options.file}, " is there already, and is not replaced");
    return 1;
  }
  const auto comment = options.comment != nullptr ? comment_of(options.comment) : user_at_host();
  KernelRandom random;
  crypto::PrivateKey key;
  crypto::Secret<largest_file> text;
  wire::Writer out(text.space());
  Status made = crypto::PrivateKey::generate(options.type, random, key);
  if (made) {
    made = options.dropbear_format ? crypto::write_dropbear_key(key, out)
                                   : crypto::write_private_key(key, comment.view(), random, out);
  }
  std::array<std::byte, 1024> blob_space;
  std::array<std::byte, 2048> line_space;
  wire::Writer blob(blob_space), line(line_space);
  if (!made) {
    tell(std::string_view(made.error().text));
    return 1;
  }
  if (!public_line(key, comment.view(), blob, line)) return 1;

  if (const int error = write_new_file(options.file, out.written()); error != 0) {
    tell("cannot make ", Foreign{options.file}, ": ", std::string_view(::strerror(error)));
    return 1;
  }
  const Text<2047> public_file = Text<2047>(options.file).add(".pub");
  const int error = public_file.cut() ? ENAMETOOLONG : write_new_file(public_file.c_str(), line.written(), 0644);
  if (error != 0 && error != EEXIST)
    tell("warning: ", Foreign{public_file.view()}, " is not made: ", std::string_view(::strerror(error)));
  return options.quiet ? 0 : print_public(blob.written(), line.written());
}

}  // namespace

}  // namespace sshape::posix

int keygen_main(int argc, char** argv) {
  using namespace sshape::posix;
  name_console(argv[0]);
  harden_process();
  if (!open_standard_descriptors()) return 1;
  KeygenOptions options;
  switch (parse_options(argc, argv, options)) {
    case CommandLine::run: return options.print_only ? print_existing(options) : make_key(options);
    case CommandLine::exit_0: return 0;
    case CommandLine::exit_1: break;
  }
  return 1;
}

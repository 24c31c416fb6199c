#include "port/posix/program_names.hpp"

#include <algorithm>
#include <iterator>

#include "profiles/active.hpp"

namespace sshape::posix {

namespace {

constexpr std::string_view dropbear_release = "2026.94";  // whose behaviour we match

struct Name {
  std::string_view name;
  Program program;
  bool dropbears;
};
constexpr Name names[] = {
    {"sshaped", Program::server, false},       {"dropbear", Program::server, true},
    {"sshape", Program::client, false},        {"dbclient", Program::client, true},
    {"ssh", Program::client, true},            {"sshape-keygen", Program::keygen, false},
    {"dropbearkey", Program::keygen, true},    {"ssh-keygen", Program::keygen, true},
};

const Name* find(std::string_view name) {
  const auto found = std::ranges::find(names, name, &Name::name);
  return found == std::end(names) ? nullptr : found;
}

}  // namespace

std::string_view program_name(const char* argv0) {
  std::string_view name = argv0;
  if (const std::size_t slash = name.rfind('/'); slash != std::string_view::npos) name.remove_prefix(slash + 1);
  if (name.starts_with('-')) name.remove_prefix(1);
  return name;
}

Program program_of_name(std::string_view name) {
  const Name* const found = find(name);
  return found == nullptr ? Program::none : found->program;
}

Text<128> version_line(const char* argv0) {
  const Name* const found = find(program_name(argv0));
  Text<128> line;
  if (found != nullptr && found->dropbears) return line.add("Dropbear v").add(dropbear_release);
  line.add(found != nullptr ? found->name : "sshape").add(" " SSHAPE_VERSION ", profile ").add(active::profile.name);
  return line;
}

}  // namespace sshape::posix

// Lines of known_hosts files, host names that a user types, banners that a server sends.
#include "port/posix/destination.hpp"
#include "port/posix/harmless.hpp"
#include "port/posix/known_hosts.hpp"
#include "tests/fuzz/input.hpp"

using namespace sshape;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const std::uint8_t choice = input.byte();
  const std::string_view text = text_of(input.rest());
  if (choice == 0) {
    const posix::Destination to = posix::split_destination(text);
    (void)posix::is_host_name(to.host);
    (void)posix::is_user_name(to.user);
    return 0;
  }
  if (choice == 1) {
    char piece[8];
    for (std::string_view rest = text; !rest.empty();)
      if (posix::make_harmless(rest, {"\r\n", true}, piece, sizeof piece) == 0) __builtin_trap();
    return 0;
  }
  constexpr std::byte blob[51] = {};
  for (const std::string_view name : {"host.example", "[2001:db8::1]:2222"}) {
    (void)posix::judge_known_host(text, name, "ssh-ed25519", blob);
    (void)posix::known_key_type(text, name);
  }
  return 0;
}

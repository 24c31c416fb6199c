#include "port/posix/pty.hpp"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>

#include "port/posix/process.hpp"
#include "port/posix/terminal_modes.hpp"

namespace sshape::posix {

bool open_pty(WindowSize size, Bytes modes, Pty& into) {
  into.master.reset(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  char name[64];
  if (!into.master || ::grantpt(into.master.get()) != 0 || ::unlockpt(into.master.get()) != 0 ||
      ::ptsname_r(into.master.get(), name, sizeof name) != 0)
    return false;
  into.name.clear();
  into.name.add(name);
  into.slave.reset(::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!into.slave || !set_nonblocking(into.master.get())) return false;
  ::fchmod(into.slave.get(), 0620);
  termios settings{};
  if (::tcgetattr(into.slave.get(), &settings) == 0) {
    apply_terminal_modes(modes, settings);
    ::tcsetattr(into.slave.get(), TCSANOW, &settings);
  }
  set_window_size(into.master.get(), size);
  return true;
}

void set_window_size(int master, WindowSize size) {
  const auto clamp = [](std::uint32_t value) { return static_cast<unsigned short>(value < 0xffff ? value : 0xffff); };
  winsize wanted{};
  wanted.ws_col = clamp(size.columns);
  wanted.ws_row = clamp(size.rows);
  wanted.ws_xpixel = clamp(size.width_pixels);
  wanted.ws_ypixel = clamp(size.height_pixels);
  ::ioctl(master, TIOCSWINSZ, &wanted);
}

}  // namespace sshape::posix

#include "port/posix/terminal_modes.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "core/wire/reader.hpp"

namespace sshape::posix {

namespace {

constexpr std::uint8_t op_end = 0;
constexpr std::uint8_t first_without_argument = 160;  // 160 to 255: parsing stops
constexpr std::uint8_t op_input_speed = 128;
constexpr std::uint8_t op_output_speed = 129;
constexpr std::uint32_t no_character = 255;

struct Character {
  std::uint8_t op;
  int index;
};
constexpr Character characters[] = {
    {1, VINTR},   {2, VQUIT},   {3, VERASE}, {4, VKILL},   {5, VEOF},      {6, VEOL},   {7, VEOL2},
    {8, VSTART},  {9, VSTOP},   {10, VSUSP}, {12, VREPRINT}, {13, VWERASE}, {14, VLNEXT}, {18, VDISCARD},
#ifdef VSWTC
    {16, VSWTC},
#endif
};

struct Flag {
  std::uint8_t op;
  tcflag_t termios::* field;
  tcflag_t bit;
};
constexpr Flag flags[] = {
    {30, &termios::c_iflag, IGNPAR},  {31, &termios::c_iflag, PARMRK}, {32, &termios::c_iflag, INPCK},
    {33, &termios::c_iflag, ISTRIP},  {34, &termios::c_iflag, INLCR},  {35, &termios::c_iflag, IGNCR},
    {36, &termios::c_iflag, ICRNL},   {38, &termios::c_iflag, IXON},   {39, &termios::c_iflag, IXANY},
    {40, &termios::c_iflag, IXOFF},   {41, &termios::c_iflag, IMAXBEL},
#ifdef IUCLC
    {37, &termios::c_iflag, IUCLC},
#endif
#ifdef IUTF8
    {42, &termios::c_iflag, IUTF8},  // RFC 8160
#endif
    {50, &termios::c_lflag, ISIG},    {51, &termios::c_lflag, ICANON},
#ifdef XCASE
    {52, &termios::c_lflag, XCASE},
#endif
    {53, &termios::c_lflag, ECHO},    {54, &termios::c_lflag, ECHOE},  {55, &termios::c_lflag, ECHOK},
    {56, &termios::c_lflag, ECHONL},  {57, &termios::c_lflag, NOFLSH}, {58, &termios::c_lflag, TOSTOP},
    {59, &termios::c_lflag, IEXTEN},  {60, &termios::c_lflag, ECHOCTL}, {61, &termios::c_lflag, ECHOKE},
#ifdef PENDIN
    {62, &termios::c_lflag, PENDIN},
#endif
    {70, &termios::c_oflag, OPOST},
#ifdef OLCUC
    {71, &termios::c_oflag, OLCUC},
#endif
    {72, &termios::c_oflag, ONLCR},   {73, &termios::c_oflag, OCRNL},  {74, &termios::c_oflag, ONOCR},
    {75, &termios::c_oflag, ONLRET},
    {92, &termios::c_cflag, PARENB},  {93, &termios::c_cflag, PARODD},
};
constexpr std::uint8_t op_cs7 = 90;  // character sizes are one field of two bits, CS8 wins
constexpr std::uint8_t op_cs8 = 91;

struct Speed {
  std::uint32_t bits;
  speed_t code;
};
constexpr Speed speeds[] = {
    {50, B50},     {75, B75},     {110, B110},   {134, B134},     {150, B150},     {200, B200},     {300, B300},
    {600, B600},   {1200, B1200}, {1800, B1800}, {2400, B2400},   {4800, B4800},   {9600, B9600},   {19200, B19200},
    {38400, B38400}, {57600, B57600}, {115200, B115200}, {230400, B230400},
};

void apply(std::uint8_t op, std::uint32_t value, termios& settings) {
  if (const auto c = std::ranges::find(characters, op, &Character::op); c != std::end(characters)) {
    settings.c_cc[c->index] = value == no_character ? static_cast<cc_t>(_POSIX_VDISABLE) : static_cast<cc_t>(value);
    return;
  }
  if (const auto f = std::ranges::find(flags, op, &Flag::op); f != std::end(flags)) {
    tcflag_t& field = settings.*f->field;
    field = value != 0 ? field | f->bit : field & ~f->bit;
    return;
  }
  if ((op == op_cs7 || op == op_cs8) && value != 0) {
    settings.c_cflag = (settings.c_cflag & ~static_cast<tcflag_t>(CSIZE)) | (op == op_cs7 ? CS7 : CS8);
    return;
  }
  if (op != op_input_speed && op != op_output_speed) return;
  const auto speed = std::ranges::find(speeds, value, &Speed::bits);
  if (speed == std::end(speeds)) return;
  if (op == op_input_speed) ::cfsetispeed(&settings, speed->code);
  else ::cfsetospeed(&settings, speed->code);
}

std::uint32_t bits_of(speed_t code) {
  const auto speed = std::ranges::find(speeds, code, &Speed::code);
  return speed == std::end(speeds) ? 38400 : speed->bits;
}

}  // namespace

void apply_terminal_modes(Bytes modes, termios& settings) {
  wire::Reader reader(modes);
  while (reader.ok() && !reader.at_end()) {
    const std::uint8_t op = reader.byte();
    if (op == op_end || op >= first_without_argument) return;
    const std::uint32_t value = reader.uint32();
    if (reader.ok()) apply(op, value, settings);
  }
}

void encode_terminal_modes(const termios& settings, wire::Writer& out) {
  for (const Character& c : characters) {
    const cc_t value = settings.c_cc[c.index];
    out.byte(c.op).uint32(value == static_cast<cc_t>(_POSIX_VDISABLE) ? no_character : value);
  }
  for (const Flag& f : flags) out.byte(f.op).uint32((settings.*f.field & f.bit) != 0 ? 1 : 0);
  out.byte(op_cs7).uint32((settings.c_cflag & CSIZE) == CS7 ? 1 : 0);
  out.byte(op_cs8).uint32((settings.c_cflag & CSIZE) == CS8 ? 1 : 0);
  out.byte(op_input_speed).uint32(bits_of(::cfgetispeed(&settings)));
  out.byte(op_output_speed).uint32(bits_of(::cfgetospeed(&settings)));
  out.byte(op_end);
}

}  // namespace sshape::posix

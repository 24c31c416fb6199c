#include "core/wire/reader.hpp"

#include "core/wire/writer.hpp"

namespace sshape::wire {

std::uint8_t Reader::byte() {
  const Bytes one = take(1);
  return one.empty() ? 0 : std::to_integer<std::uint8_t>(one[0]);
}

bool Reader::boolean() { return byte() != 0; }

std::uint32_t Reader::uint32() {
  const Bytes four = take(4);
  return four.empty() ? 0 : load_uint32(four.data());
}

std::uint64_t Reader::uint64() {
  const std::uint64_t high = uint32();
  return high << 32 | uint32();
}

Bytes Reader::string() { return take(uint32()); }

std::string_view Reader::text() { return text_of(string()); }

Bytes Reader::mpint() {
  const Bytes value = string();
  if (value.empty()) return value;
  if ((value[0] & std::byte{0x80}) != std::byte{0}) {  // negative
    fail();
    return {};
  }
  if (value[0] != std::byte{0}) return value;
  // A leading zero is there only to keep the next bit from being a sign.
  if (value.size() < 2 || (value[1] & std::byte{0x80}) == std::byte{0}) {
    fail();
    return {};
  }
  return value.subspan(1);
}

Bytes Reader::take(std::size_t count) {
  if (!ok_ || count > rest_.size()) {
    fail();
    return {};
  }
  const Bytes taken = rest_.first(count);
  rest_ = rest_.subspan(count);
  return taken;
}

Bytes Reader::take_rest() { return take(rest_.size()); }

}  // namespace sshape::wire

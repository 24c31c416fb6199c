#include "core/wire/writer.hpp"

namespace sshape::wire {

Writer& Writer::byte(std::uint8_t value) {
  if (const MutableBytes at = reserve(1); !at.empty()) at[0] = static_cast<std::byte>(value);
  return *this;
}

Writer& Writer::boolean(bool value) { return byte(value ? 1 : 0); }

Writer& Writer::uint32(std::uint32_t value) {
  if (const MutableBytes at = reserve(4); !at.empty()) store_uint32(at.data(), value);
  return *this;
}

Writer& Writer::uint64(std::uint64_t value) {
  if (const MutableBytes at = reserve(8); !at.empty()) store_uint64(at.data(), value);
  return *this;
}

Writer& Writer::string(Bytes value) {
  uint32(static_cast<std::uint32_t>(value.size()));
  return raw(value);
}

Writer& Writer::mpint(Bytes magnitude) {
  while (!magnitude.empty() && magnitude[0] == std::byte{0}) magnitude = magnitude.subspan(1);
  const bool sign_bit = !magnitude.empty() && (magnitude[0] & std::byte{0x80}) != std::byte{0};
  uint32(static_cast<std::uint32_t>(magnitude.size() + (sign_bit ? 1 : 0)));
  if (sign_bit) byte(0);
  return raw(magnitude);
}

Writer& Writer::raw(Bytes value) {
  if (value.empty()) return *this;
  if (const MutableBytes at = reserve(value.size()); !at.empty()) copy_bytes(at, value);
  return *this;
}

std::size_t Writer::begin_string() {
  const std::size_t mark = size_;
  uint32(0);
  return mark;
}

void Writer::end_string(std::size_t mark) {
  if (ok_) store_uint32(space_.data() + mark, static_cast<std::uint32_t>(size_ - mark - 4));
}

MutableBytes Writer::reserve(std::size_t count) {
  if (!ok_ || count > space_.size() - size_) {
    ok_ = false;
    return {};
  }
  const MutableBytes at = space_.subspan(size_, count);
  size_ += count;
  return at;
}

}  // namespace sshape::wire

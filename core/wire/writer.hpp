// Writes the data types of RFC 4251, section 5 into space that the caller lends.
#pragma once

#include <bit>

#include "core/bytes.hpp"

namespace sshape::wire {

// Overflow sticks and writes nothing further; ask ok() once at the end.
class Writer {
 public:
  Writer() : Writer(MutableBytes{}) {}
  explicit Writer(MutableBytes space) : space_(space) {}

  Writer& byte(std::uint8_t value);
  Writer& boolean(bool value);
  Writer& uint32(std::uint32_t value);
  Writer& uint64(std::uint64_t value);
  Writer& string(Bytes value);
  Writer& string(std::string_view value) { return string(bytes_of(value)); }
  Writer& mpint(Bytes magnitude);  // big-endian, leading zeros allowed, non-negative
  Writer& raw(Bytes value);

  // A string whose length is known only after its content is written:
  // `auto mark = w.begin_string(); ...; w.end_string(mark);`
  std::size_t begin_string();
  void end_string(std::size_t mark);

  // `count` bytes to fill later; empty when there is no room.
  MutableBytes reserve(std::size_t count);
  MutableBytes space_left() const { return space_.subspan(size_); }

  bool ok() const { return ok_; }
  std::size_t size() const { return size_; }
  Bytes written() const { return space_.first(size_); }
  MutableBytes written_mutable() const { return space_.first(size_); }

 private:
  MutableBytes space_;
  std::size_t size_ = 0;
  bool ok_ = true;
};

// Big-endian words at any address, for code that patches in place. One instruction or two where the
// processor has them.
template <class Word>
constexpr Word big_endian(Word value) {
  return std::endian::native == std::endian::big ? value : std::byteswap(value);
}
template <class Word>
Word load_word(const std::byte* at) {
  Word value;
  std::memcpy(&value, at, sizeof value);
  return big_endian(value);
}
template <class Word>
void store_word(std::byte* at, Word value) {
  value = big_endian(value);
  std::memcpy(at, &value, sizeof value);
}
inline std::uint32_t load_uint32(const std::byte* at) { return load_word<std::uint32_t>(at); }
inline std::uint64_t load_uint64(const std::byte* at) { return load_word<std::uint64_t>(at); }
inline void store_uint32(std::byte* at, std::uint32_t value) { store_word(at, value); }
inline void store_uint64(std::byte* at, std::uint64_t value) { store_word(at, value); }

}  // namespace sshape::wire

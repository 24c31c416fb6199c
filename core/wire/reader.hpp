// Reads the data types of RFC 4251, section 5 from bytes that a stranger sent.
#pragma once

#include "core/bytes.hpp"

namespace sshape::wire {

// Cannot read out of bounds. The first failure sticks: everything read afterwards is zero or
// empty, so a handler reads all its fields and asks ok() or at_end() once.
class Reader {
 public:
  explicit Reader(Bytes input) : rest_(input) {}

  std::uint8_t byte();
  bool boolean();          // any non-zero value is true
  std::uint32_t uint32();
  std::uint64_t uint64();
  Bytes string();          // borrowed from the input
  std::string_view text();
  Bytes mpint();           // the magnitude of a non-negative mpint in shortest form, else failure
  Bytes take(std::size_t count);
  Bytes rest() const { return rest_; }  // what was not read yet
  Bytes take_rest();

  void fail() { ok_ = false; rest_ = {}; }
  bool ok() const { return ok_; }
  bool at_end() const { return ok_ && rest_.empty(); }  // everything was there and nothing is left

 private:
  Bytes rest_;
  bool ok_ = true;
};

}  // namespace sshape::wire

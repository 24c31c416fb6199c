// The identification strings (RFC 4253, 4.2).
#pragma once

#include <array>

#include "core/error.hpp"
#include "core/transport/packet_reader.hpp"

namespace sshape::transport {

class Identification {
 public:
  Identification(bool client, std::string_view software);

  std::string_view ours() const { return {ours_.data(), ours_size_}; }      // without CR LF
  std::string_view theirs() const { return {theirs_.data(), theirs_size_}; }
  Bytes ours_with_crlf() const { return Bytes(std::as_bytes(std::span(ours_))).first(ours_size_ + 2); }

  // True when the peer's string is there. A client skips bounded other lines before it, LF alone or
  // CR LF; a server takes the first line or none.
  Expected<bool> read(PacketReader& reader);

 private:
  static constexpr std::size_t limit = 255;  // with CR LF
  bool client_;
  std::array<char, limit> ours_{};
  std::size_t ours_size_ = 0;
  std::array<char, limit> theirs_{};
  std::size_t theirs_size_ = 0;
  std::size_t lines_ = 0;
};

}  // namespace sshape::transport

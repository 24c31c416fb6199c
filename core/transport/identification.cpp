#include "core/transport/identification.hpp"

#include <algorithm>

namespace sshape::transport {

namespace {

constexpr std::string_view prefix = "SSH-2.0-";
constexpr std::string_view compatible_prefix = "SSH-1.99-";  // RFC 4253, 5.1
constexpr std::size_t other_line_limit = 1'024;              // before a server's identification

bool printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

}  // namespace

Identification::Identification(bool client, std::string_view software) : client_(client) {
  const std::string_view name = software.substr(0, limit - 2 - prefix.size());
  ours_size_ = prefix.size() + name.size();
  std::copy(prefix.begin(), prefix.end(), ours_.begin());
  std::copy(name.begin(), name.end(), ours_.begin() + prefix.size());
  ours_[ours_size_] = '\r';
  ours_[ours_size_ + 1] = '\n';
}

Expected<bool> Identification::read(PacketReader& reader) {
  constexpr auto version = Disconnect::protocol_version_not_supported;
  while (true) {
    const auto line = reader.line(client_ ? other_line_limit : limit);
    if (!line) return std::unexpected(line.error());
    if (!*line) return false;
    const std::string_view text = **line;
    if (!text.starts_with("SSH-")) {
      if (!client_) return fault("identification expected: a line that begins with SSH-2.0-", version);
      if (++lines_ > active::profile.identification_lines)
        return fault("too many lines before the server's identification", version);
      continue;
    }
    if (!text.starts_with(prefix) && !text.starts_with(compatible_prefix))
      return fault("protocol version not supported: SSH-2.0 is expected", version);
    if (text.size() > limit - 2)
      return fault("identification line too long: at most 255 bytes are allowed");
    if (!printable(text)) return fault("identification holds characters that are not printable");
    std::copy(text.begin(), text.end(), theirs_.begin());
    theirs_size_ = text.size();
    return true;
  }
}

}  // namespace sshape::transport

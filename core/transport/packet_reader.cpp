#include "core/transport/packet_reader.hpp"

#include <cstring>

#include "core/wire/writer.hpp"

namespace sshape::transport {

namespace {
constexpr std::size_t length_size = 4;
}

MutableBytes PacketReader::space() {
  if (head_ == tail_) {
    head_ = tail_ = 0;
  } else if (head_ > 0) {
    // Move what is left only when the packet that began could not be completed behind it.
    const std::size_t needed = whole_ != 0 ? whole_ : packet_limit_before_login;
    if (region_.size() - head_ < needed) {
      std::memmove(region_.data(), region_.data() + head_, tail_ - head_);
      tail_ -= head_;
      head_ = 0;
    }
  }
  return region_.subspan(tail_);
}

Expected<std::optional<std::string_view>> PacketReader::line(std::size_t limit) {
  const Bytes unread = Bytes(region_).subspan(head_, tail_ - head_);
  const Bytes searched = unread.first(std::min(unread.size(), limit));
  const void* found =
      searched.empty() ? nullptr : std::memchr(searched.data(), '\n', searched.size());
  if (found == nullptr) {
    if (unread.size() >= limit)
      return fault("identification line too long: at most 255 bytes are allowed");
    return std::nullopt;
  }
  const auto length = static_cast<std::size_t>(static_cast<const std::byte*>(found) - unread.data());
  head_ += length + 1;
  std::string_view text = text_of(unread.first(length));
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

Expected<std::optional<Bytes>> PacketReader::next() {
  if (whole_ == 0) {
    if (tail_ - head_ < length_size) return std::nullopt;
    if (Status status = read_length(); !status) return std::unexpected(status.error());
  }
  if (tail_ - head_ < whole_) return std::nullopt;

  const MutableBytes packet = region_.subspan(head_, whole_);
  if (!cipher_.open(sequence_, packet))
    return fault("packet failed its integrity check", Disconnect::mac_error);

  const std::size_t length = whole_ - length_size - cipher_.shape().tag;
  const auto padding = std::to_integer<std::size_t>(packet[length_size]);
  if (padding < 4 || padding + 1 >= length)
    return fault("padding length out of range: at least 4, and less than the packet holds");

  head_ += whole_;
  whole_ = 0;
  ++sequence_;
  ++all_packets_;
  ++packets_;
  bytes_ += packet.size();
  return Bytes(packet).subspan(length_size + 1, length - 1 - padding);
}

void PacketReader::start(crypto::CipherAlgorithm algorithm, Bytes key, Bytes iv, crypto::MacAlgorithm mac, Bytes mac_key) {
  cipher_.start(algorithm, key, iv, mac, mac_key);
  bytes_ = 0;
  packets_ = 0;
}

Status PacketReader::read_length() {
  const auto first = Bytes(region_).subspan(head_).first<length_size>();
  const crypto::CipherShape& shape = cipher_.shape();
  const std::uint32_t length = cipher_.length(sequence_, first);
  if (length > limit_ - length_size - shape.tag)
    return fault("packet length above the limit of this end");
  const std::size_t padded = shape.length_outside ? length : length + length_size;
  const std::size_t block = shape.block < 8 ? 8 : shape.block;
  if (length < 6 || padded % block != 0)
    return fault("packet length is not a multiple of the cipher's block size");
  whole_ = length_size + length + shape.tag;
  return {};
}

}  // namespace sshape::transport

#include "core/transport/packet_writer.hpp"

#include <cstring>

#include "core/wire/writer.hpp"

namespace sshape::transport {

namespace {
constexpr std::size_t header = 4 + 1;  // packet_length, padding_length
}

MutableBytes PacketWriter::open(std::size_t most, Lane lane) {
  if (!room(most, lane)) return {};
  if (head_ > 0 && tail_ + framed(most) > limit(lane)) {
    std::memmove(region_.data(), region_.data() + head_, tail_ - head_);
    tail_ -= head_;
    head_ = 0;
  }
  return region_.subspan(tail_ + header, most);
}

void PacketWriter::seal(std::size_t size) {
  const crypto::CipherShape& shape = cipher_.shape();
  const std::size_t whole = framed(size);
  const MutableBytes packet = region_.subspan(tail_, whole);
  const std::size_t length = whole - 4 - shape.tag;
  const std::size_t padding = length - 1 - size;
  wire::store_uint32(packet.data(), static_cast<std::uint32_t>(length));
  packet[4] = static_cast<std::byte>(padding);
  copy_bytes(packet.subspan(header + size), Bytes(padding_).first(padding));
  cipher_.seal(sequence_, packet);
  tail_ += whole;
  ++sequence_;
  ++packets_;
  bytes_ += whole;
}

bool PacketWriter::room(std::size_t most, Lane lane) const {
  return tail_ - head_ + framed(most) <= limit(lane);
}

std::size_t PacketWriter::largest(Lane lane) const {
  const std::size_t used = tail_ - head_ + framed(0);
  return used >= limit(lane) ? 0 : limit(lane) - used;
}

bool PacketWriter::raw(Bytes bytes) {
  if (region_.size() - tail_ < bytes.size()) return false;
  copy_bytes(region_.subspan(tail_), bytes);
  tail_ += bytes.size();
  return true;
}

Bytes PacketWriter::ready() const { return Bytes(region_).subspan(head_, tail_ - head_); }

void PacketWriter::sent(std::size_t count) {
  head_ += count;
  if (head_ == tail_) head_ = tail_ = 0;
}

void PacketWriter::start(crypto::CipherAlgorithm algorithm, Bytes key, Bytes iv, crypto::MacAlgorithm mac, Bytes mac_key,
                         crypto::Random& padding) {
  cipher_.start(algorithm, key, iv, mac, mac_key);
  padding.fill(padding_);
  bytes_ = 0;
  packets_ = 0;
}

// Padding: at least 4 bytes, to a multiple of the block size and of 8 (RFC 4253, 6).
std::size_t PacketWriter::framed(std::size_t payload) const {
  const crypto::CipherShape& shape = cipher_.shape();
  const std::size_t block = shape.block < 8 ? 8 : shape.block;
  const std::size_t outside = shape.length_outside ? 0 : 4;
  const std::size_t counted = outside + 1 + payload + 4;
  const std::size_t padded = (counted + block - 1) / block * block;
  return padded - outside + 4 + shape.tag;
}

// Packets of channel data leave the rest of the region to control messages.
std::size_t PacketWriter::limit(Lane lane) const {
  return lane == Lane::data ? region_.size() - active::profile.control_transmit : region_.size();
}

}  // namespace sshape::transport

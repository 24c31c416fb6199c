// Identification and packets as a stranger sends them, in the clear and under each cipher.
#include <cstdlib>

#include "core/transport/identification.hpp"
#include "core/transport/packet_reader.hpp"
#include "tests/fuzz/input.hpp"

using namespace sshape;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static std::byte region[receive_region(active::profile)];
  fuzz::Input input(data, size);
  const std::uint8_t choice = input.byte();
  transport::PacketReader reader;
  reader.lend(region);
  transport::Identification identification((choice & 1) != 0, "fuzz");
  bool identified = (choice & 2) != 0;
  const std::byte key[64] = {};
  const auto algorithm = static_cast<crypto::CipherAlgorithm>((choice >> 2) % 6);
  const auto mac = !crypto::needs_mac(algorithm) ? crypto::MacAlgorithm::none
                   : (choice & 128) != 0         ? crypto::MacAlgorithm::hmac_sha2_256
                                                 : crypto::MacAlgorithm::hmac_sha2_256_etm;
  const crypto::CipherShape shape = crypto::shape_of(algorithm, mac);
  const std::size_t mac_key = mac == crypto::MacAlgorithm::none ? 0 : crypto::AesCtr::mac_key_size;
  if (identified)
    reader.start(algorithm, Bytes(key).first(shape.key), Bytes(key).first(shape.iv), mac, Bytes(key).first(mac_key));
  while (true) {
    const Bytes piece = input.take(1 + input.byte());
    MutableBytes space = reader.space();
    if (space.size() < piece.size()) return 0;
    copy_bytes(space, piece);
    reader.received(piece.size());
    if (!identified) {
      const auto there = identification.read(reader);
      if (!there) return 0;
      identified = *there;
    }
    while (identified) {
      const auto payload = reader.next();
      if (!payload) return 0;
      if (!*payload) break;
      if ((*payload)->empty() || (*payload)->size() > packet_limit_before_login) std::abort();
    }
    if (input.empty()) return 0;
  }
}

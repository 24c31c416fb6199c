// authorized_keys: lines cut from pieces of any size, and their options.
#include <cstdlib>

#include "port/posix/authorized_keys.hpp"
#include "tests/fuzz/input.hpp"

using namespace sshape;
using namespace sshape::posix;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const std::byte blob[51] = {};
  const KeyCandidate candidate{"ssh-ed25519", Bytes(blob), "192.0.2.1", 20260101000000, 20260101000000};
  static KeyOptions options;
  static KeyFileLines lines;
  lines = KeyFileLines{};
  const std::size_t piece_size = 1 + input.byte();
  while (true) {
    const Bytes piece = input.take(piece_size);
    const MutableBytes space = lines.space();
    if (space.empty()) std::abort();
    const std::size_t n = std::min(space.size(), piece.size());
    copy_bytes(space, piece.first(n));
    lines.filled(n);
    const bool at_end = input.empty();
    while (const auto line = lines.next(at_end)) {
      if (line->find('\n') != std::string_view::npos) std::abort();
      options = KeyOptions{};
      (void)judge_key_line(*line, candidate, options);
    }
    if (at_end) return 0;
  }
}

#include "core/transport/key_schedule.hpp"

#include <algorithm>

namespace sshape::transport {

void derive_key(crypto::HashAlgorithm algorithm, const crypto::SharedSecret& secret,
                Bytes exchange_hash, char letter, Bytes session_id, MutableBytes key) {
  std::size_t made = 0;
  while (made < key.size()) {
    crypto::Hash hash(algorithm);
    secret.add_to(hash);
    hash.update(exchange_hash);
    if (made == 0) {
      hash.update(bytes_of({&letter, 1})).update(session_id);
    } else {
      hash.update(key.first(made));
    }
    crypto::Digest digest = hash.finish();
    const std::size_t take = std::min(digest.size, key.size() - made);
    copy_bytes(key.subspan(made), digest.bytes().first(take));
    crypto::wipe(digest.value);
    made += take;
  }
}

}  // namespace sshape::transport

#include "core/crypto/hmac_sha1.hpp"

#include <wolfssl/wolfcrypt/settings.h>
#include <wolfssl/wolfcrypt/hmac.h>

#include "core/crypto/must.hpp"

namespace sshape::crypto {

Sha1Digest hmac_sha1(Bytes key, Bytes message) {
  Sha1Digest digest{};
  Hmac hmac;
  must_succeed(wc_HmacInit(&hmac, nullptr, INVALID_DEVID));
  must_succeed(wc_HmacSetKey(&hmac, WC_SHA, uchars(key), static_cast<word32>(key.size())));
  must_succeed(wc_HmacUpdate(&hmac, uchars(message), static_cast<word32>(message.size())));
  must_succeed(wc_HmacFinal(&hmac, uchars(MutableBytes(digest))));
  wc_HmacFree(&hmac);
  return digest;
}

}  // namespace sshape::crypto

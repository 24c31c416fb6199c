#include "core/crypto/hmac_sha1.hpp"

#include <wolfssl/wolfcrypt/settings.h>
#include <wolfssl/wolfcrypt/hmac.h>

namespace sshape::crypto {

// wolfCrypt's HMAC in software fails only for null arguments.
Sha1Digest hmac_sha1(Bytes key, Bytes message) {
  Sha1Digest digest{};
  Hmac hmac;
  (void)wc_HmacInit(&hmac, nullptr, INVALID_DEVID);
  (void)wc_HmacSetKey(&hmac, WC_SHA, uchars(key), static_cast<word32>(key.size()));
  (void)wc_HmacUpdate(&hmac, uchars(message), static_cast<word32>(message.size()));
  (void)wc_HmacFinal(&hmac, uchars(MutableBytes(digest)));
  wc_HmacFree(&hmac);
  return digest;
}

}  // namespace sshape::crypto

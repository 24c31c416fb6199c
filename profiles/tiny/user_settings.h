/* wolfCrypt for the tiny profile: the smallest code that is not slow. Preprocessor lines only. */
#ifndef SSHAPE_TINY_USER_SETTINGS_H
#define SSHAPE_TINY_USER_SETTINGS_H

#include "profiles/wolfcrypt_common.h"

#define WOLFSSL_SP_SMALL
/* Never GCM_SMALL: it does 5 MB/s where four-bit tables do 84, for 512 bytes a context. */
#define GCM_TABLE_4BIT
/* Its C code reads tables of bytes as 64-bit words: on some processors that needs their alignment. */
#define ALIGN16 __attribute__((aligned(8)))
#define USE_SLOW_SHA256
#define USE_SLOW_SHA512
#define WOLFSSL_AES_SMALL_TABLES
#define WOLFSSL_MLKEM_SMALL
#define WOLFSSL_MLKEM_NO_LARGE_CODE

#endif

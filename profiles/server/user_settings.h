/* wolfCrypt for the server profile: the fastest code. Preprocessor lines only: the .S files include this. */
#ifndef SSHAPE_SERVER_USER_SETTINGS_H
#define SSHAPE_SERVER_USER_SETTINGS_H

#include "profiles/wolfcrypt_common.h"

/* P-256/384/521 and RSA, DH of 2048 to 4096 bits in code of their own. */
#define WOLFSSL_HAVE_SP_ECC
#define WOLFSSL_SP_384
#define WOLFSSL_SP_521
#define WOLFSSL_HAVE_SP_RSA
#define WOLFSSL_HAVE_SP_DH
#define WOLFSSL_SP_4096
#define GCM_TABLE_4BIT

#if defined(__x86_64__)
#define WOLFSSL_X86_64_BUILD
#define USE_INTEL_SPEEDUP
#define WOLFSSL_AESNI
#define WOLFSSL_SP_ASM
#define WOLFSSL_SP_X86_64_ASM
#else
/* The C code of GCM reads tables of bytes as 64-bit words: on some processors that needs their alignment. */
#define ALIGN16 __attribute__((aligned(8)))
#endif

#endif

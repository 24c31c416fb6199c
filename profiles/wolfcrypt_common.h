/* wolfCrypt settings that every profile shares: what SSH needs, without a heap, threads, files or
   certificates. A profile's user_settings.h includes this first. Preprocessor lines only. */
#ifndef SSHAPE_WOLFCRYPT_COMMON_H
#define SSHAPE_WOLFCRYPT_COMMON_H

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define BIG_ENDIAN_ORDER /* not detected for MIPS: everything miscomputes without it */
#endif
#ifdef __SIZEOF_INT128__
#define HAVE___UINT128_T 1 /* else 64-bit targets compute with 32-bit digits */
#endif

#define WOLFCRYPT_ONLY
#define SINGLE_THREADED
#define NO_FILESYSTEM
#define NO_STDIO_FILESYSTEM
#define NO_WRITEV
#define WOLFSSL_IGNORE_FILE_WARN
#define NO_ERROR_STRINGS
#define NO_ERROR_QUEUE
#define WOLFSSL_NO_SOCK
#define WOLFSSL_USER_IO
#define NO_OLD_WC_NAMES
#define NO_OLD_RNGNAME
#define NO_SIG_WRAPPER
#define NO_ASN
#define NO_ASN_TIME
#define NO_CERTS
#define NO_CODING
#define NO_PSK
#define NO_MD4
#define NO_MD5
#define NO_DES3
#define NO_DES3_TLS_SUITES
#define NO_RC4
#define NO_DSA
#define NO_PWDBASED
#define NO_PKCS7
#define NO_PKCS8
#define NO_PKCS12
#define NO_AES_CBC
#define NO_AES_192
#define NO_KDF

/* No heap anywhere. */
#define WOLFSSL_NO_MALLOC
#define WOLFSSL_SP_NO_MALLOC
#define WOLFSSL_SP_NO_DYN_STACK
#define NO_WOLFSSL_MEMORY

/* Hashes; SHA-1 is for hashed known_hosts entries alone. */
#define WOLFSSL_SHA384
#define WOLFSSL_SHA512
#define WOLFSSL_NOSHA512_224
#define WOLFSSL_NOSHA512_256

#define WOLFSSL_AES_COUNTER
#define WOLFSSL_AES_DIRECT
#define HAVE_AES_ECB
#define HAVE_AESGCM
#define HAVE_CHACHA
#define HAVE_POLY1305
#define HAVE_ONE_TIME_AUTH
#define HAVE_CURVE25519
#define HAVE_ED25519

#define HAVE_ECC
#define ECC_USER_CURVES
#define HAVE_ECC384
#define HAVE_ECC521
#define WOLFSSL_ECDSA_DETERMINISTIC_K /* RFC 6979: a session can be replayed */
#define ECC_TIMING_RESISTANT
#define TFM_TIMING_RESISTANT
#define ECC_SHAMIR
#define WC_RSA_BLINDING
#define WC_NO_RSA_OAEP
#define WOLFSSL_KEY_GEN
#define WOLFSSL_DH_EXTRA
#define WOLFSSL_DH_CONST /* private key sizes from a table, else from pow() and log() of libm */
#define HAVE_DH_DEFAULT_PARAMS
#define FP_MAX_BITS 8192
#define SP_INT_BITS 4096
#define WOLFSSL_SP_MATH_ALL

#define WOLFSSL_HAVE_MLKEM
#define WOLFSSL_NO_ML_KEM_512
#define WOLFSSL_NO_ML_KEM_1024
#define WOLFSSL_SHA3
#define WOLFSSL_SHAKE128
#define WOLFSSL_SHAKE256

#define HAVE_HASHDRBG
#define WOLFSSL_GETRANDOM
#define NO_DEV_URANDOM

/* Inline assembler of the big number code. */
#if defined(__x86_64__)
#define WOLFSSL_SP_X86_64
#elif defined(__aarch64__)
#define WOLFSSL_SP_ARM64
#elif defined(__riscv) && __riscv_xlen == 64
#define WOLFSSL_SP_RISCV64
#elif defined(__mips__) && !defined(__mips64)
#define WOLFSSL_SP_MIPS
#elif defined(__arm__) && defined(__thumb__) && !defined(__thumb2__)
#define WOLFSSL_SP_ARM_THUMB
#elif defined(__arm__) /* Thumb-2 too: WOLFSSL_SP_ARM_THUMB computes wrong there */
#define WOLFSSL_SP_ARM32
#endif

#endif

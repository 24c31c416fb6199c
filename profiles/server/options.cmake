set(SSHAPE_PROFILE_FLAGS -O2)
# user_settings.h has WOLFSSL_AESNI: aes.c is compiled with the instructions, and asks the processor first.
set(SSHAPE_PROFILE_AESNI ON)

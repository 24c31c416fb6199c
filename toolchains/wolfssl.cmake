# sshape_wolfcrypt: the part of wolfCrypt that the profile asks for, from source.

set(SSHAPE_WOLFSSL_SOURCE "$ENV{SSHAPE_WOLFSSL_SOURCE}" CACHE PATH "wolfSSL 5.9.2: its folder or its archive")
set(SSHAPE_DOWNLOADS "$ENV{SSHAPE_DOWNLOADS}" CACHE PATH "A folder of source archives fetched beforehand")

if(IS_DIRECTORY "${SSHAPE_WOLFSSL_SOURCE}")
  if(NOT EXISTS "${SSHAPE_WOLFSSL_SOURCE}/wolfssl/wolfcrypt/settings.h")
    message(FATAL_ERROR "SSHAPE_WOLFSSL_SOURCE=${SSHAPE_WOLFSSL_SOURCE} is no wolfSSL source folder: "
                        "it has no wolfssl/wolfcrypt/settings.h")
  endif()
  set(wolfssl "${SSHAPE_WOLFSSL_SOURCE}")
else()
  set(wolfssl "${PROJECT_SOURCE_DIR}/build/_deps/wolfssl-5.9.2")
  file(MAKE_DIRECTORY "${PROJECT_SOURCE_DIR}/build/_deps")
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env "SSHAPE_WOLFSSL_SOURCE=${SSHAPE_WOLFSSL_SOURCE}" "SSHAPE_DOWNLOADS=${SSHAPE_DOWNLOADS}"
            "${PROJECT_SOURCE_DIR}/toolchains/wolfssl-source.sh" "${wolfssl}"
    RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "wolfSSL's source is missing: see the lines above")
  endif()
endif()

set(wolfcrypt_names aes chacha chacha20_poly1305 cpuid cryptocb curve25519 dh ecc ed25519 error fe_low_mem
    fe_operations ge_low_mem ge_operations hash hmac logging memory poly1305 random rsa sha sha256 sha512 sha3
    sp_int sp_c32 sp_c64 wc_port wolfmath wc_mlkem wc_mlkem_poly)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  list(APPEND wolfcrypt_names sp_x86_64)
  foreach(name aes_asm aes_gcm_asm chacha_asm fe_x25519_asm poly1305_asm sha256_asm sha512_asm sha3_asm
               sp_x86_64_asm wc_mlkem_asm)
    list(APPEND wolfcrypt_sources "${wolfssl}/wolfcrypt/src/${name}.S")
  endforeach()
endif()
foreach(name ${wolfcrypt_names})
  list(APPEND wolfcrypt_sources "${wolfssl}/wolfcrypt/src/${name}.c")
endforeach()

add_library(sshape_wolfcrypt STATIC ${wolfcrypt_sources})
# The profile's user_settings.h begins with "profiles/wolfcrypt_common.h", wherever its folder is.
target_include_directories(sshape_wolfcrypt SYSTEM PUBLIC "${SSHAPE_PROFILE_FOLDER}" "${wolfssl}" PRIVATE "${PROJECT_SOURCE_DIR}")
target_compile_definitions(sshape_wolfcrypt PUBLIC WOLFSSL_USER_SETTINGS)
target_compile_options(sshape_wolfcrypt PRIVATE -w -ffunction-sections -fdata-sections ${SSHAPE_PROFILE_FLAGS})
if(SSHAPE_PROFILE_AESNI AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  set_source_files_properties("${wolfssl}/wolfcrypt/src/aes.c" PROPERTIES COMPILE_OPTIONS "-maes;-msse4.1;-mpclmul")
endif()

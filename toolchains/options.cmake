# Compiler and linker options: for everything, and for our own code (the targets that link sshape_ours).

add_compile_options(-ffunction-sections -fdata-sections)
add_link_options(-Wl,--gc-sections)
if(SSHAPE_SANITIZE OR SSHAPE_FUZZ)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
else()
  add_compile_options(-fstack-protector-strong)
  add_link_options(-Wl,-z,relro,-z,now)
  if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
    add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
  endif()
  set(CMAKE_EXE_LINKER_FLAGS "${CMAKE_EXE_LINKER_FLAGS} -pie")
endif()
if(SSHAPE_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(SSHAPE_LTO)
  set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
endif()

add_library(sshape_ours INTERFACE)
target_include_directories(sshape_ours INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_definitions(sshape_ours INTERFACE "SSHAPE_PROFILE_HEADER=\"${SSHAPE_PROFILE_FOLDER}/profile.hpp\""
                                                 "SSHAPE_VERSION=\"${PROJECT_VERSION}\"")
target_compile_options(sshape_ours INTERFACE -Wall -Wextra ${SSHAPE_PROFILE_FLAGS} $<$<BOOL:${SSHAPE_WERROR}>:-Werror>)

# Beyond -Wall -Wextra, for core and port where warnings are errors; the tests keep -Wall -Wextra.
add_library(sshape_strict INTERFACE)
if(SSHAPE_WERROR)
  target_compile_options(sshape_strict INTERFACE
    -Wconversion -Wshadow -Wcast-qual -Wformat=2 $<$<COMPILE_LANGUAGE:CXX>:-Wold-style-cast> $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>)
endif()

# What is linked into a firmware image needs no C++ runtime library.
add_library(sshape_runtime_free INTERFACE)
target_compile_options(sshape_runtime_free INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions> $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti>
  $<$<COMPILE_LANGUAGE:CXX>:-fno-threadsafe-statics>)

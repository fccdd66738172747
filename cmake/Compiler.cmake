# SPDX-License-Identifier: Apache-2.0
#
# Flags for every target: the language, warnings, sanitizers, and the faster tools where they exist.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g")    # assertions stay on
# Half the compile time of -O1 -g, and stack traces with line numbers all the same.
set(CMAKE_CXX_FLAGS_SANITIZE "-Og -g1 -fno-omit-frame-pointer")

add_compile_options(-Wall -Wextra -Wpedantic -Werror)
# One set of flags for the library, the binary and the tests, so that one precompiled header serves them all.
add_compile_options(-fPIC -pthread)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  add_compile_options(-fno-semantic-interposition)  # calls inside the library stay direct
  if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # False alarms of GCC 12 inside std::string's own operator+ (GCC bugs 105329 and 105651).
    add_compile_options(-Wno-restrict -Wno-array-bounds -Wno-stringop-overflow)
  endif()
endif()
add_link_options(-Wl,--as-needed)

if(FRAZIL_SANITIZE)
  # Arrow's libraries are not instrumented and keep some type information to themselves: no vptr check.
  add_compile_options(-fsanitize=${FRAZIL_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${FRAZIL_SANITIZE})
  if(FRAZIL_SANITIZE MATCHES undefined)
    add_compile_options(-fno-sanitize=vptr)
  endif()
endif()

find_program(FRAZIL_CCACHE ccache)
if(FRAZIL_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # What ccache needs to accept a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${FRAZIL_CCACHE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    add_compile_options(-fpch-preprocess)
  endif()
endif()

find_program(FRAZIL_MOLD mold)
if(FRAZIL_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

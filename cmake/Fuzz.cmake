# SPDX-License-Identifier: Apache-2.0
#
# One libFuzzer program per tests/fuzz/fuzz_<name>.cc, with the library's code instrumented in the same way.
if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
  message(FATAL_ERROR "The fuzz targets need clang: cmake --preset fuzz")
endif()
file(GLOB fuzz_sources CONFIGURE_DEPENDS tests/fuzz/fuzz_*.cc)
target_compile_options(frazil PRIVATE -fsanitize=fuzzer-no-link)
add_custom_target(fuzz_targets)
foreach(source IN LISTS fuzz_sources)
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_include_directories(${name} PRIVATE .)
  target_link_libraries(${name} PRIVATE frazil)
  target_compile_definitions(${name} PRIVATE FRAZIL_FUZZ_PROGRAM)
  target_compile_options(${name} PRIVATE -fsanitize=fuzzer-no-link)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  add_dependencies(fuzz_targets ${name})
endforeach()

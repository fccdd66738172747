# SPDX-License-Identifier: Apache-2.0
#
# Two test programs: unit_tests (every src/**/*_test.cc) and system_tests (tests/*.cc and the tests of tests/filegen).
# ctest runs each in two shards, which fill two cores, and the checks of the tree itself (label `tree`).
find_package(GTest REQUIRED)
include(ProcessorCount)

# Where data from outside lies and how sanitizers behave: read when ctest starts, so that the environment can override.
configure_file(cmake/TestEnvironment.cmake.in ${CMAKE_BINARY_DIR}/TestEnvironment.cmake @ONLY)
set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${CMAKE_BINARY_DIR}/TestEnvironment.cmake)

function(frazil_test_program name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE frazil_cli GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE
    FRAZIL_SOURCE_DIR="${CMAKE_SOURCE_DIR}" FRAZIL_BINARY="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/frazil")
  target_precompile_headers(${name} REUSE_FROM frazil)
  foreach(shard IN ITEMS 0 1)
    add_test(NAME ${name}.${shard} COMMAND ${name})
    set_tests_properties(${name}.${shard} PROPERTIES
      TIMEOUT 1200 ENVIRONMENT "GTEST_TOTAL_SHARDS=2;GTEST_SHARD_INDEX=${shard}")
  endforeach()
endfunction()

if(test_sources)
  frazil_test_program(unit_tests ${test_sources})
endif()

file(GLOB filegen_sources CONFIGURE_DEPENDS tests/filegen/*.cc)
file(GLOB system_sources CONFIGURE_DEPENDS tests/*.cc)
set(filegen_tests ${filegen_sources})
list(FILTER filegen_tests INCLUDE REGEX "_test\\.cc$")
list(FILTER filegen_sources EXCLUDE REGEX "_test\\.cc$")
if(filegen_sources)
  add_library(filegen STATIC ${filegen_sources})
  target_include_directories(filegen PUBLIC ${CMAKE_SOURCE_DIR})
  target_link_libraries(filegen PUBLIC frazil)
  target_precompile_headers(filegen REUSE_FROM frazil)
  if(TARGET unit_tests)
    target_link_libraries(unit_tests PRIVATE filegen)
  endif()
endif()
if(system_sources OR filegen_tests)
  frazil_test_program(system_tests ${system_sources} ${filegen_tests})
  add_dependencies(system_tests frazil_bin)
  if(TARGET filegen)
    target_link_libraries(system_tests PRIVATE filegen)
  endif()
endif()

find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME tidy COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/tidy/tidy.py
         --compile-commands ${CMAKE_BINARY_DIR}/compile_commands.json)
add_test(NAME install COMMAND ${CMAKE_SOURCE_DIR}/tests/install/run ${CMAKE_BINARY_DIR})
add_test(NAME bench COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/bench/measure_test.py)
set_tests_properties(tidy install bench PROPERTIES LABELS tree TIMEOUT 900)

# SPDX-License-Identifier: Apache-2.0
#
# Two test programs: unit_tests (every src/**/*_test.cc) and system_tests (tests/*.cc and the tests of tests/filegen).
# ctest runs each in two shards, which fill two cores, the command line tests (tests/cli), and the checks of the tree
# itself (label `tree`).
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
file(GLOB system_sources CONFIGURE_DEPENDS tests/*.cc tests/fuzz/*.cc)
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

# With the Python that has pyarrow and duckdb: that of the virtual environment.
set(venv ${CMAKE_SOURCE_DIR}/build/deps/venv)
if(DEFINED ENV{FRAZIL_VENV})
  set(venv $ENV{FRAZIL_VENV})
endif()
if(EXISTS ${venv}/bin/python)
  add_test(NAME strangers COMMAND ${venv}/bin/python ${CMAKE_SOURCE_DIR}/tests/strangers/compare.py
           $<TARGET_FILE:frazil_bin>)
  set_tests_properties(strangers PROPERTIES TIMEOUT 600 SKIP_RETURN_CODE 77)
endif()

add_test(NAME tidy COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/tidy/tidy.py
         --compile-commands ${CMAKE_BINARY_DIR}/compile_commands.json)
add_test(NAME install COMMAND ${CMAKE_SOURCE_DIR}/tests/install/run ${CMAKE_BINARY_DIR})

# The command line as a user sees it. Needs pyarrow, so it runs in the virtual environment.
find_program(FRAZIL_PYTHON python HINTS "$ENV{FRAZIL_VENV}/bin" ${CMAKE_SOURCE_DIR}/build/deps/venv/bin
             NO_DEFAULT_PATH REQUIRED)
file(GLOB cli_tests CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/tests/cli tests/cli/test_*.py)
foreach(file IN LISTS cli_tests)
  string(REGEX REPLACE "^test_(.*)\\.py$" "cli.\\1" name ${file})
  add_test(NAME ${name} COMMAND ${FRAZIL_PYTHON} -B ${CMAKE_SOURCE_DIR}/tests/cli/${file})
  set_tests_properties(${name} PROPERTIES
    TIMEOUT 600 ENVIRONMENT "FRAZIL_BINARY=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/frazil")
endforeach()

# Catalogs as they are found in the world: files and databases by pyiceberg, a PostgreSQL and a REST server that the tests
# start themselves. The probe asks a catalog one question.
add_executable(catalog_probe tests/catalogs/probe.cc)
target_link_libraries(catalog_probe PRIVATE frazil_cli)
target_precompile_headers(catalog_probe REUSE_FROM frazil)
file(GLOB catalog_tests CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/tests/catalogs tests/catalogs/test_*.py)
foreach(file IN LISTS catalog_tests)
  string(REGEX REPLACE "^test_(.*)\\.py$" "catalogs.\\1" name ${file})
  add_test(NAME ${name} COMMAND ${FRAZIL_PYTHON} -B ${CMAKE_SOURCE_DIR}/tests/catalogs/${file})
  set_tests_properties(${name} PROPERTIES LABELS services TIMEOUT 300 ENVIRONMENT
    "FRAZIL_BINARY=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/frazil;FRAZIL_PROBE=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/catalog_probe")
endforeach()

# Stores: an S3 server, and nginx before it, that the tests start themselves.
file(GLOB store_tests CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/tests/stores tests/stores/test_*.py)
foreach(file IN LISTS store_tests)
  string(REGEX REPLACE "^test_(.*)\\.py$" "stores.\\1" name ${file})
  add_test(NAME ${name} COMMAND ${FRAZIL_PYTHON} -B ${CMAKE_SOURCE_DIR}/tests/stores/${file})
  set_tests_properties(${name} PROPERTIES
    LABELS services TIMEOUT 300 ENVIRONMENT "FRAZIL_BINARY=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/frazil")
endforeach()

# Random Iceberg tables against what follows from how they were made.
add_executable(table_scans tests/tables/scans.cc)
target_link_libraries(table_scans PRIVATE frazil)
target_precompile_headers(table_scans REUSE_FROM frazil)
add_test(NAME tables COMMAND ${FRAZIL_PYTHON} -B ${CMAKE_SOURCE_DIR}/tests/tables/test_random_tables.py
         $<TARGET_FILE:table_scans>)
set_tests_properties(tables PROPERTIES TIMEOUT 300)

add_test(NAME docs COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/docs/run.py ${CMAKE_BINARY_DIR})
add_test(NAME bench COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/bench/measure_test.py)
set_tests_properties(tidy install docs bench PROPERTIES LABELS tree TIMEOUT 900)

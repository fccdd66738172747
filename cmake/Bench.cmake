# SPDX-License-Identifier: Apache-2.0
#
# What bench/run measures with; built when it asks for it, not by `make`.
add_executable(scan_loop EXCLUDE_FROM_ALL bench/scan_loop.cc)
target_link_libraries(scan_loop PRIVATE frazil CLI11::CLI11)
target_precompile_headers(scan_loop REUSE_FROM frazil)
add_executable(snappy_loop EXCLUDE_FROM_ALL bench/snappy_loop.cc)
target_link_libraries(snappy_loop PRIVATE frazil)
target_include_directories(snappy_loop PRIVATE ${CMAKE_SOURCE_DIR})
target_precompile_headers(snappy_loop REUSE_FROM frazil)
add_executable(manifest_loop EXCLUDE_FROM_ALL bench/manifest_loop.cc)
target_link_libraries(manifest_loop PRIVATE frazil CLI11::CLI11)
target_include_directories(manifest_loop PRIVATE ${CMAKE_SOURCE_DIR})
target_precompile_headers(manifest_loop REUSE_FROM frazil)

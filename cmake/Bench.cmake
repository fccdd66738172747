# SPDX-License-Identifier: Apache-2.0
#
# What bench/run measures with; built when it asks for it, not by `make`.
add_executable(scan_loop EXCLUDE_FROM_ALL bench/scan_loop.cc)
target_link_libraries(scan_loop PRIVATE frazil CLI11::CLI11)
target_precompile_headers(scan_loop REUSE_FROM frazil)

# SPDX-License-Identifier: Apache-2.0
#
# The system's own Arrow packages, under the target names that FindArrowWheel gives.
foreach(pair IN ITEMS arrow:Arrow::arrow_shared compute:ArrowCompute::arrow_compute_shared
                      parquet:Parquet::parquet_shared)
  string(REGEX REPLACE ":.*" "" name ${pair})
  string(REGEX REPLACE "^[a-z]+:" "" target ${pair})
  if(name STREQUAL compute)
    find_package(ArrowCompute 26 CONFIG REQUIRED)
  endif()
  add_library(Arrow::${name} INTERFACE IMPORTED)
  target_link_libraries(Arrow::${name} INTERFACE ${target})
endforeach()

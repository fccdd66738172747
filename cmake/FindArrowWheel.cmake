# SPDX-License-Identifier: Apache-2.0
#
# Arrow C++ as the pyarrow wheel ships it: headers and lib*.so.2600, without any CMake package.
#
# Gives the imported targets Arrow::arrow, Arrow::compute and Arrow::parquet, and ArrowWheel_ROOT_DIR: the folder with
# the libraries and include/. Looked for, in this order: FRAZIL_ARROW_ROOT; the virtual environment named by the
# environment variable FRAZIL_VENV; the one that scripts/bootstrap makes, build/deps/venv.
set(ArrowWheel_SOVERSION 2600)

set(venvs "$ENV{FRAZIL_VENV}" ${CMAKE_SOURCE_DIR}/build/deps/venv)
list(TRANSFORM venvs APPEND /lib/python3*/site-packages/pyarrow)
file(GLOB candidates ${venvs})
find_path(ArrowWheel_ROOT_DIR NAMES libarrow.so.${ArrowWheel_SOVERSION}
          HINTS ${FRAZIL_ARROW_ROOT} ${candidates} NO_DEFAULT_PATH)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ArrowWheel
  REQUIRED_VARS ArrowWheel_ROOT_DIR
  REASON_FAILURE_MESSAGE "Run scripts/bootstrap, or name the pyarrow folder by -DFRAZIL_ARROW_ROOT=...")

if(ArrowWheel_FOUND AND NOT TARGET Arrow::arrow)
  foreach(pair IN ITEMS arrow:arrow compute:arrow_compute parquet:parquet)
    string(REPLACE ":" ";" pair ${pair})
    list(GET pair 0 name)
    list(GET pair 1 file)
    add_library(Arrow::${name} SHARED IMPORTED)
    set_target_properties(Arrow::${name} PROPERTIES
      IMPORTED_LOCATION ${ArrowWheel_ROOT_DIR}/lib${file}.so.${ArrowWheel_SOVERSION}
      IMPORTED_SONAME lib${file}.so.${ArrowWheel_SOVERSION}
      INTERFACE_INCLUDE_DIRECTORIES ${ArrowWheel_ROOT_DIR}/include
      INTERFACE_COMPILE_FEATURES cxx_std_20
      # The wheel is built with the new string ABI.
      INTERFACE_COMPILE_DEFINITIONS _GLIBCXX_USE_CXX11_ABI=1)
  endforeach()
  target_link_libraries(Arrow::compute INTERFACE Arrow::arrow)
  target_link_libraries(Arrow::parquet INTERFACE Arrow::arrow)
endif()

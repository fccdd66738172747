# SPDX-License-Identifier: Apache-2.0
#
# A tree that can be moved anywhere: bin/frazil, lib/libfrazil.so beside the Arrow libraries it needs, the public
# headers with Arrow's, and a CMake package (find_package(frazil), target frazil::frazil).
# With Arrow from the system, only Frazil's own files are installed.
include(CMakePackageConfigHelpers)
set(CMAKE_INSTALL_MESSAGE NEVER)  # four hundred headers of Arrow
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/frazil)

install(TARGETS frazil EXPORT frazilTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS frazil_bin RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/frazil DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
# Of what is compiled or linked into the library and the binary: their licences want to go with every copy.
install(DIRECTORY cmake/licenses DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(FRAZIL_BUNDLED_ARROW_SOVERSION "")
if(ArrowWheel_FOUND)
  set(FRAZIL_BUNDLED_ARROW_SOVERSION ${ArrowWheel_SOVERSION})
  foreach(name IN ITEMS arrow arrow_compute parquet)
    install(PROGRAMS ${ArrowWheel_ROOT_DIR}/lib${name}.so.${ArrowWheel_SOVERSION} DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endforeach()
  # Without the headers of libraries that are not installed here.
  install(DIRECTORY ${ArrowWheel_ROOT_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp"
    REGEX "/arrow/(acero|adapters|dataset|engine|flight|python|testing)$" EXCLUDE)
  file(GLOB arrow_licenses ${ArrowWheel_ROOT_DIR}/../pyarrow-*.dist-info/licenses/*.txt)
  install(FILES ${arrow_licenses} DESTINATION ${CMAKE_INSTALL_DOCDIR}/arrow)
else()
  install(FILES cmake/ArrowPackage.cmake DESTINATION ${package_folder})
endif()

install(EXPORT frazilTargets NAMESPACE frazil:: DESTINATION ${package_folder})
configure_package_config_file(cmake/frazilConfig.cmake.in ${CMAKE_BINARY_DIR}/frazilConfig.cmake
  INSTALL_DESTINATION ${package_folder} PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/frazilConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/frazilConfig.cmake ${CMAKE_BINARY_DIR}/frazilConfigVersion.cmake
  DESTINATION ${package_folder})

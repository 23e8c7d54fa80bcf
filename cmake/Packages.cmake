# SPDX-License-Identifier: MIT
# `cpack` in the build folder makes
#   liblloyd-dev_<version>_all.deb            the headers, CMake's package and lloyd.pc
#   lloyd-cluster_<version>_<machine>.deb     the program, with LLOYD_BUILD_TOOLS=ON
#   lloyd-<version>.tar.gz                    all of it, to be unpacked anywhere
set(CPACK_PACKAGE_NAME lloyd)
set(CPACK_PACKAGE_VENDOR "The lloyd authors")
set(CPACK_PACKAGE_CONTACT "The lloyd authors")
set(CPACK_PACKAGE_FILE_NAME "lloyd-${PROJECT_VERSION}")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_RESOURCE_FILE_README "${PROJECT_SOURCE_DIR}/README.md")
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_GENERATOR TGZ)
find_program(LLOYD_DPKG dpkg)
mark_as_advanced(LLOYD_DPKG)
if(LLOYD_DPKG)
  list(APPEND CPACK_GENERATOR DEB)
endif()
set(CPACK_COMPONENTS_ALL dev)
if(LLOYD_BUILD_TOOLS)
  list(APPEND CPACK_COMPONENTS_ALL program)
endif()

# One archive of everything, a Debian package for each component.
set(CPACK_ARCHIVE_COMPONENT_INSTALL OFF)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION math)

set(CPACK_DEBIAN_DEV_PACKAGE_NAME liblloyd-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libeigen3-dev (>= 3.4)")
# g++ brings its OpenMP; clang++ has it in a package of its own.
set(CPACK_DEBIAN_DEV_PACKAGE_RECOMMENDS "g++ | libomp-dev")
set(CPACK_COMPONENT_DEV_DESCRIPTION "Exact labels, exact sums, and the same bits for any number of threads.
The headers, with what CMake and pkg-config need to find them.")

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME lloyd-cluster)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS python3-matplotlib)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "The program: it clusters the rows of .csv, .npy and .fvecs files, labels
others by the result, compares numbers of clusters, and reduces pictures to k
colours.")
include(CPack)

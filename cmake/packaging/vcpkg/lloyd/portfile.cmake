# SPDX-License-Identifier: MIT
# An overlay port: it packs the source tree that it lies in.
#   vcpkg install lloyd --overlay-ports=cmake/packaging/vcpkg
set(VCPKG_BUILD_TYPE release)  # headers: there is nothing to debug
cmake_path(SET SOURCE_PATH NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../../../..")

vcpkg_check_features(
  OUT_FEATURE_OPTIONS FEATURE_OPTIONS
  FEATURES
    cuda LLOYD_CUDA
    tools LLOYD_BUILD_TOOLS)
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS -DLLOYD_BUILD_TESTS=OFF -DLLOYD_BUILD_EXAMPLES=OFF -DLLOYD_INSTALL=ON ${FEATURE_OPTIONS})
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME lloyd CONFIG_PATH share/cmake/lloyd)
vcpkg_fixup_pkgconfig()
if("tools" IN_LIST FEATURES)
  vcpkg_copy_tools(TOOL_NAMES lloyd-cluster AUTO_CLEAN)
endif()

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/share/doc")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")

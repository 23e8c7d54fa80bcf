# SPDX-License-Identifier: MIT
# The port's portfile.cmake with vcpkg's functions played by the few lines of CMake that matter here: what it names
# exists, what it installs is where vcpkg wants it, and a project finds it there. vcpkg itself is not run.
cmake_minimum_required(VERSION 3.22)
file(REMOVE_RECURSE "${WORK}")
set(CURRENT_PACKAGES_DIR "${WORK}/packages")
set(PORT lloyd)
set(FEATURES core)

function(vcpkg_check_features)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "OUT_FEATURE_OPTIONS" "FEATURES")
  set(options "")
  file(READ "${PORT_DIR}/vcpkg.json" manifest)
  file(READ "${LLOYD_CHECKOUT}/CMakeLists.txt" project)
  while(arg_FEATURES)
    list(POP_FRONT arg_FEATURES feature option)
    string(JSON description GET "${manifest}" features ${feature} description)
    if(NOT project MATCHES "option\\(${option} ")
      message(FATAL_ERROR "the feature ${feature} sets ${option}, which CMakeLists.txt does not know")
    endif()
    list(APPEND options -D${option}=OFF)
  endwhile()
  set(${arg_OUT_FEATURE_OPTIONS} "${options}" PARENT_SCOPE)
endfunction()

function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "SOURCE_PATH" "OPTIONS")
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -S "${arg_SOURCE_PATH}" -B "${WORK}/build" -G "${GENERATOR}" ${arg_OPTIONS}
            "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR}"
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(vcpkg_cmake_install)
  execute_process(COMMAND "${CMAKE_COMMAND}" --install "${WORK}/build" OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# CMake's files move up to share/<package>, and the paths in them with them.
function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "PACKAGE_NAME;CONFIG_PATH" "")
  file(GLOB files RELATIVE "${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}" "${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}/*")
  if(NOT "lloydConfig.cmake" IN_LIST files)
    message(FATAL_ERROR "${arg_CONFIG_PATH} holds no package: ${files}")
  endif()
  foreach(file IN LISTS files)
    file(READ "${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}/${file}" text)
    string(REPLACE "get_filename_component(PACKAGE_PREFIX_DIR \"\${CMAKE_CURRENT_LIST_DIR}/../../../\""
                   "get_filename_component(PACKAGE_PREFIX_DIR \"\${CMAKE_CURRENT_LIST_DIR}/../../\"" text "${text}")
    set(up "get_filename_component(_IMPORT_PREFIX \"\${_IMPORT_PREFIX}\" PATH)\n")
    string(REPLACE "${up}${up}${up}" "${up}${up}" text "${text}")
    file(WRITE "${CURRENT_PACKAGES_DIR}/share/${arg_PACKAGE_NAME}/${file}" "${text}")
  endforeach()
  file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/share/cmake")
endfunction()

function(vcpkg_fixup_pkgconfig)
  if(NOT EXISTS "${CURRENT_PACKAGES_DIR}/share/pkgconfig/lloyd.pc")
    message(FATAL_ERROR "there is no lloyd.pc")
  endif()
endfunction()

function(vcpkg_copy_tools)
  message(FATAL_ERROR "the program was not asked for")
endfunction()

function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "FILE_LIST")
  file(READ "${arg_FILE_LIST}" text)
  file(WRITE "${CURRENT_PACKAGES_DIR}/share/${PORT}/copyright" "${text}")
endfunction()

include("${PORT_DIR}/portfile.cmake")
foreach(file IN ITEMS usage copyright lloydConfig.cmake)
  if(NOT EXISTS "${CURRENT_PACKAGES_DIR}/share/lloyd/${file}")
    message(FATAL_ERROR "the port installs no share/lloyd/${file}")
  endif()
endforeach()
file(GLOB folders RELATIVE "${CURRENT_PACKAGES_DIR}" "${CURRENT_PACKAGES_DIR}/*")
if(NOT "${folders}" STREQUAL "include;share")
  message(FATAL_ERROR "the port installs ${folders}")
endif()

# What `usage` promises: the target is found.
file(WRITE "${WORK}/app/CMakeLists.txt" "cmake_minimum_required(VERSION 3.22)
project(app CXX)
find_package(lloyd CONFIG REQUIRED)
get_target_property(folder lloyd::core INTERFACE_INCLUDE_DIRECTORIES)
if(NOT TARGET lloyd::lloyd OR NOT EXISTS \"\${folder}/lloyd/lloyd.hpp\")
  message(FATAL_ERROR \"no headers in \${folder}\")
endif()
")
execute_process(COMMAND "${CMAKE_COMMAND}" -S "${WORK}/app" -B "${WORK}/app/build" -G "${GENERATOR}"
                        "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_PREFIX_PATH=${CURRENT_PACKAGES_DIR}"
                COMMAND_ERROR_IS_FATAL ANY)

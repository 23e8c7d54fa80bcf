# SPDX-License-Identifier: MIT
# Installed under a prefix with a space in it, moved away, found there.
include("${CMAKE_CURRENT_LIST_DIR}/steps.cmake")
install_to("${WORK}/first home")
file(RENAME "${WORK}/first home" "${WORK}/second home")

# The package holds no path of the machine it was made on.
file(GLOB_RECURSE files "${WORK}/second home/*.cmake")
if(NOT files)
  message(FATAL_ERROR "no CMake files were installed")
endif()
foreach(file IN LISTS files)
  file(READ "${file}" text)
  foreach(path IN ITEMS "${LLOYD_CHECKOUT}" "${LLOYD_BUILD}" "first home")
    string(FIND "${text}" "${path}" position)
    if(NOT position EQUAL -1)
      message(FATAL_ERROR "${file} holds the path ${path}")
    endif()
  endforeach()
endforeach()

# The program is there where it was asked for, and only there.
set(program "${WORK}/second home/bin/lloyd-cluster")
if(TOOLS)
  execute_process(COMMAND "${program}" --version COMMAND_ERROR_IS_FATAL ANY)
elseif(EXISTS "${program}")
  message(FATAL_ERROR "${program} is installed without LLOYD_BUILD_TOOLS")
endif()

set(prefix "-DCMAKE_PREFIX_PATH=${WORK}/second home")
build_and_run(find_package app "${prefix}")

# A version that it is not, and a component that it has not.
configure(find_package wrong_version "${prefix}" -DWANTED=999.0)
refuse("999.0")
configure(find_package wrong_component "${prefix}" "-DWANTED=COMPONENTS teapot")
refuse("there is no 'teapot'")

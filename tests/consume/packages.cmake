# SPDX-License-Identifier: MIT
# CPack's packages, unpacked into a folder (nothing is installed), and a project built against each.
include("${CMAKE_CURRENT_LIST_DIR}/steps.cmake")
find_program(DPKG_DEB dpkg-deb)
if(NOT DPKG_DEB)
  message("skipped: there is no dpkg-deb")
  return()
endif()
if(TOOLS)
  foreach(program IN ITEMS dpkg-shlibdeps file)  # by which CPack finds the libraries that the program needs
    find_program(found_${program} ${program})
    if(NOT found_${program})
      message("skipped: there is no ${program}")
      return()
    endif()
  endforeach()
endif()
cmake_path(GET CMAKE_COMMAND PARENT_PATH programs)
find_program(CPACK cpack HINTS "${programs}" REQUIRED)

# Ninja, whatever the build folder is of: its generator builds nothing before it packs.
execute_process(COMMAND "${CPACK}" --config "${LLOYD_BUILD}/CPackConfig.cmake" -G "DEB;TGZ" -B "${WORK}/made"
                        -D CPACK_CMAKE_GENERATOR=Ninja OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)

# the_one(out pattern): there must be one such file.
function(the_one out pattern)
  file(GLOB found "${WORK}/made/${pattern}")
  list(LENGTH found count)
  if(NOT count EQUAL 1)
    file(GLOB made RELATIVE "${WORK}/made" "${WORK}/made/*")
    message(FATAL_ERROR "not one ${pattern}, but '${found}' among ${made}")
  endif()
  set(${out} "${found}" PARENT_SCOPE)
endfunction()

# field(out package name)
function(field out package name)
  execute_process(COMMAND "${DPKG_DEB}" --field "${package}" "${name}" OUTPUT_VARIABLE value
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(${out} "${value}" PARENT_SCOPE)
endfunction()

# --- the headers, as a Debian package ----------------------------------------------------------------------------------
the_one(package "liblloyd-dev_*_all.deb")
field(depends "${package}" Depends)
if(NOT depends MATCHES "libeigen3-dev")
  message(FATAL_ERROR "liblloyd-dev depends on '${depends}', not on Eigen")
endif()
execute_process(COMMAND "${DPKG_DEB}" -x "${package}" "${WORK}/root" COMMAND_ERROR_IS_FATAL ANY)
file(GLOB_RECURSE files RELATIVE "${WORK}/root" "${WORK}/root/*")
foreach(file IN LISTS files)
  if(NOT file MATCHES "^usr/(include/lloyd|share/(cmake|pkgconfig|doc))/")
    message(FATAL_ERROR "liblloyd-dev holds ${file}")
  endif()
endforeach()
build_and_run(find_package app_deb "-DCMAKE_PREFIX_PATH=${WORK}/root/usr")

# --- the archive -------------------------------------------------------------------------------------------------------
the_one(archive "lloyd-*.tar.gz")
file(ARCHIVE_EXTRACT INPUT "${archive}" DESTINATION "${WORK}/any where")
file(GLOB prefix "${WORK}/any where/lloyd-*")
build_and_run(core_only app_archive "-DCMAKE_PREFIX_PATH=${prefix}")

# --- the program, where it was asked for -------------------------------------------------------------------------------
file(GLOB programs "${WORK}/made/lloyd-cluster_*.deb")
if(NOT TOOLS)
  if(programs)
    message(FATAL_ERROR "there is ${programs} without LLOYD_BUILD_TOOLS")
  endif()
  return()
endif()
the_one(package "lloyd-cluster_*.deb")
field(depends "${package}" Depends)
field(architecture "${package}" Architecture)
if(NOT depends MATCHES "libstdc\\+\\+6" OR architecture STREQUAL "all")
  message(FATAL_ERROR "lloyd-cluster is for '${architecture}' and depends on '${depends}'")
endif()
execute_process(COMMAND "${DPKG_DEB}" -x "${package}" "${WORK}/program" COMMAND_ERROR_IS_FATAL ANY)
foreach(folder IN ITEMS "${WORK}/program/usr" "${prefix}")
  execute_process(COMMAND "${folder}/bin/lloyd-cluster" --version COMMAND_ERROR_IS_FATAL ANY)
endforeach()

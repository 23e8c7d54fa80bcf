# SPDX-License-Identifier: MIT
# Without CMake: a compiler's line made by pkg-config, for a package that was installed under a prefix with a space in
# it and moved away.
include("${CMAKE_CURRENT_LIST_DIR}/steps.cmake")
find_program(PKG_CONFIG NAMES pkg-config pkgconf)
if(NOT PKG_CONFIG)
  message("skipped: there is no pkg-config")
  return()
endif()
install_to("${WORK}/first home")
file(RENAME "${WORK}/first home" "${WORK}/second home")
file(READ "${WORK}/second home/share/pkgconfig/lloyd.pc" text)
foreach(path IN ITEMS "${LLOYD_CHECKOUT}" "${LLOYD_BUILD}" "first home")
  if(text MATCHES "${path}")
    message(FATAL_ERROR "lloyd.pc holds the path ${path}")
  endif()
endforeach()

# ask(arguments...): sets `answer`.
function(ask)
  execute_process(COMMAND "${PKG_CONFIG}" ${ARGN} OUTPUT_VARIABLE output OUTPUT_STRIP_TRAILING_WHITESPACE
                  COMMAND_ERROR_IS_FATAL ANY)
  set(answer "${output}" PARENT_SCOPE)
endfunction()
set(ENV{PKG_CONFIG_PATH} "${WORK}/second home/share/pkgconfig")
ask(--modversion lloyd)
file(STRINGS "${LLOYD_CHECKOUT}/include/lloyd/version.hpp" version REGEX "define LLOYD_VERSION_(MAJOR|MINOR|PATCH) ")
string(REGEX REPLACE "[^0-9]+" "." version "${version}")
string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" version "${version}")
if(NOT answer STREQUAL version)
  message(FATAL_ERROR "lloyd.pc is of version ${answer}, the headers are of ${version}")
endif()

# What a shell makes of its answer, whose spaces are escaped.
ask(--cflags --libs lloyd)
separate_arguments(flags UNIX_COMMAND "${answer}")
message("flags: ${answer}")
execute_process(COMMAND "${COMPILER}" -std=c++20 "${CMAKE_CURRENT_LIST_DIR}/app.cpp" -o "${WORK}/app" ${flags}
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${WORK}/app" COMMAND_ERROR_IS_FATAL ANY)

# Where Eigen is not known pkg-config says so.
set(ENV{PKG_CONFIG_LIBDIR} "${WORK}/nothing")
execute_process(COMMAND "${PKG_CONFIG}" --cflags lloyd RESULT_VARIABLE code ERROR_VARIABLE errors OUTPUT_QUIET)
if(code EQUAL 0 OR NOT errors MATCHES "eigen3")
  message(FATAL_ERROR "without Eigen pkg-config answers ${code}: ${errors}")
endif()

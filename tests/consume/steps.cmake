# SPDX-License-Identifier: MIT
# The steps of a consumer's day, for the scripts beside this file. The work folder starts empty.
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")

# configure(project folder [arguments...]): into ${WORK}/<folder>; sets `configured` to whether it went well and
# `printed` to all that CMake said.
function(configure project folder)
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/${project}" -B "${WORK}/${folder}" -G "${GENERATOR}"
            "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DLLOYD_CHECKOUT=${LLOYD_CHECKOUT}" ${ARGN}
    OUTPUT_VARIABLE output ERROR_VARIABLE errors RESULT_VARIABLE code)
  set(printed "${output}${errors}" PARENT_SCOPE)
  if(code EQUAL 0)
    set(configured TRUE PARENT_SCOPE)
  else()
    set(configured FALSE PARENT_SCOPE)
  endif()
endfunction()

# build_and_run(project folder [arguments...]): all three must go well.
function(build_and_run project folder)
  configure(${project} ${folder} ${ARGN})
  if(NOT configured)
    message(FATAL_ERROR "${project} cannot be configured:\n${printed}")
  endif()
  execute_process(COMMAND "${CMAKE_COMMAND}" --build "${WORK}/${folder}" COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND "${WORK}/${folder}/app" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# install_to(prefix): the package, built by nobody's help but the build folder's install rules.
function(install_to prefix)
  execute_process(COMMAND "${CMAKE_COMMAND}" --install "${LLOYD_BUILD}" --prefix "${prefix}" OUTPUT_QUIET
                  COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# refuse(sentence...): the configuration just tried must have failed and said every one of them.
function(refuse)
  if(configured)
    message(FATAL_ERROR "this should not have been configured:\n${printed}")
  endif()
  # CMake wraps long messages where it likes.
  string(REGEX REPLACE "[ \n]+" " " text "${printed}")
  foreach(sentence IN LISTS ARGN)
    string(FIND "${text}" "${sentence}" position)
    if(position EQUAL -1)
      message(FATAL_ERROR "CMake does not say '${sentence}':\n${printed}")
    endif()
  endforeach()
endfunction()

# SPDX-License-Identifier: MIT
# A machine without Eigen and OpenMP: lloyd::core and the Reference backend work there, installed or as a folder.
include("${CMAKE_CURRENT_LIST_DIR}/steps.cmake")
set(bare -DCMAKE_DISABLE_FIND_PACKAGE_Eigen3=ON -DCMAKE_DISABLE_FIND_PACKAGE_OpenMP=ON)
build_and_run(core_only app_folder ${bare} -DAS_FOLDER=ON)

install_to("${WORK}/installed here")
build_and_run(core_only app_installed ${bare} "-DCMAKE_PREFIX_PATH=${WORK}/installed here")

# Such a machine can also make the package, for others: the headers are all there is to it.
execute_process(
  COMMAND "${CMAKE_COMMAND}" -S "${LLOYD_CHECKOUT}" -B "${WORK}/bare_build" -G "${GENERATOR}" ${bare}
          "-DCMAKE_CXX_COMPILER=${COMPILER}" -DLLOYD_BUILD_TESTS=OFF -DLLOYD_BUILD_EXAMPLES=OFF
  OUTPUT_QUIET ERROR_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${WORK}/bare_build" --prefix "${WORK}/made bare" OUTPUT_QUIET
                COMMAND_ERROR_IS_FATAL ANY)
build_and_run(find_package app_made_bare "-DCMAKE_PREFIX_PATH=${WORK}/made bare")

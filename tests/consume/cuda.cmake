# SPDX-License-Identifier: MIT
# lloyd::cuda, installed: the example for GPUs is built with it, and run where there is a device. A package that was
# made without it says so.
include("${CMAKE_CURRENT_LIST_DIR}/steps.cmake")
set(nvcc "-DCMAKE_CUDA_COMPILER=${NVCC}" -DCMAKE_CUDA_ARCHITECTURES=90)
install_to("${WORK}/without")
configure(cuda app_without ${nvcc} "-DCMAKE_PREFIX_PATH=${WORK}/without")
refuse("lloyd was installed without lloyd::cuda: configure it with -DLLOYD_CUDA=ON")

execute_process(
  COMMAND "${CMAKE_COMMAND}" -S "${LLOYD_CHECKOUT}" -B "${WORK}/build" -G "${GENERATOR}" -DLLOYD_CUDA=ON
          "-DCMAKE_CXX_COMPILER=${COMPILER}" -DLLOYD_BUILD_TESTS=OFF -DLLOYD_BUILD_EXAMPLES=OFF
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${WORK}/build" --prefix "${WORK}/with" OUTPUT_QUIET
                COMMAND_ERROR_IS_FATAL ANY)
configure(cuda app ${nvcc} "-DCMAKE_PREFIX_PATH=${WORK}/with")
if(NOT configured)
  message(FATAL_ERROR "the example cannot be configured:\n${printed}")
endif()
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${WORK}/app" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${WORK}/app/app" RESULT_VARIABLE code)
if(NOT code EQUAL 0 AND NOT code EQUAL 77)
  message(FATAL_ERROR "the example failed: ${code}")
endif()

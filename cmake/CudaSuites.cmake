# SPDX-License-Identifier: MIT
# Tests of CUDA kernels. One text of GoogleTest cases is built for the CPU test double (tests/cuda_cpu), which runs it
# here, and by nvcc, for a machine with a GPU. Whatever is missing is a test that is skipped and counted.
option(LLOYD_CUDA_CPU "Run CUDA kernels on the CPU test double" ON)
option(LLOYD_CUDA_NVCC "Build the CUDA tests with nvcc too, and check the code it makes" ON)
set(LLOYD_CUDA_ARCHITECTURES 90 CACHE STRING "GPU architectures of the tests that nvcc builds")

# lloyd_skip_cuda(name why)
function(lloyd_skip_cuda name why)
  lloyd_skip_test(${name} cuda "${why}")
endfunction()

# --- what there is -----------------------------------------------------------------------------------------------------
if(LLOYD_SANITIZE)
  set(LLOYD_CUDA_CPU OFF)  # the double has sanitized modes of its own
  set(LLOYD_CUDA_NVCC OFF)
endif()
if(LLOYD_CUDA_CPU OR LLOYD_CUDA_NVCC)
  find_package(CUDAToolkit QUIET)
endif()
if(LLOYD_CUDA_CPU AND NOT CUDAToolkit_FOUND)
  lloyd_skip_cuda(cuda_cpu "no CUDA toolkit, whose headers the test double needs")
  set(LLOYD_CUDA_CPU OFF)
elseif(LLOYD_CUDA_CPU AND NOT (CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64"))
  lloyd_skip_cuda(cuda_cpu "the test double is for g++ on x86-64")
  set(LLOYD_CUDA_CPU OFF)
endif()
if(LLOYD_CUDA_NVCC AND NOT (CUDAToolkit_NVCC_EXECUTABLE AND TARGET CUDA::cublas))
  lloyd_skip_cuda(cuda_nvcc "no nvcc, or no cuBLAS to link")
  set(LLOYD_CUDA_NVCC OFF)
elseif(LLOYD_CUDA_NVCC)
  if(NOT DEFINED CMAKE_CUDA_COMPILER)
    set(CMAKE_CUDA_COMPILER "${CUDAToolkit_NVCC_EXECUTABLE}")
  endif()
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES ${LLOYD_CUDA_ARCHITECTURES})
  endif()
  enable_language(CUDA)
endif()
# The numerics of kmeans/ are constexpr, and called by kernels.
set(lloyd_nvcc_flags -std=c++20 --expt-relaxed-constexpr -Werror all-warnings)

# --- on the double -----------------------------------------------------------------------------------------------------
# plain  results, in every order of threads and blocks
# asan   AddressSanitizer and UndefinedBehaviorSanitizer: bounds, alignment, lifetime; and a * b + c contracted, as nvcc
#        does by default, where this machine can. The checks of null pointers and sizes of objects, which
#        AddressSanitizer notices only at the access, and of virtual tables are off: a fifth of the compilation
# tsan   ThreadSanitizer, where every CUDA thread, stream and host thread is a thread: races; for tiny sizes
set(lloyd_cuda_modes plain asan tsan)
set(lloyd_cuda_flags_plain -O2)
set(lloyd_cuda_flags_asan -O1 -g1 -fsanitize=address,undefined -fno-sanitize=null,vptr,object-size
    -fno-sanitize-recover=all)
set(lloyd_cuda_flags_tsan -O1 -g1 -fsanitize=thread)
if(LLOYD_CUDA_CPU)
  include(CheckCXXSourceRuns)
  check_cxx_source_runs("int main() { return __builtin_cpu_supports(\"fma\") ? 0 : 1; }" LLOYD_CUDA_CPU_FMA)
  if(LLOYD_CUDA_CPU_FMA)
    list(APPEND lloyd_cuda_flags_asan -mfma -ffp-contract=fast -fexpensive-optimizations)  # it is off at -O1
  endif()
endif()

# lloyd_add_cuda_program(target mode source...): a program on the double.
function(lloyd_add_cuda_program target mode)
  add_executable(${target} ${ARGN})
  target_link_libraries(${target} PRIVATE lloyd_cuda_double_${mode} lloyd::core)
  target_compile_options(${target} PRIVATE ${lloyd_cuda_flags_${mode}} "SHELL:-include cuda_cpu.hpp"
                                           -Wno-unknown-pragmas)  # unroll
  lloyd_test_target(${target})
endfunction()

# lloyd_add_cuda_run(name mode order arguments...)
function(lloyd_add_cuda_run name mode order)
  set(test ${name}.${mode}.${order})
  lloyd_add_test(${test} cuda lloyd_${name}_${mode} "--gtest_output=xml:${lloyd_results_dir}/${test}.xml"
                 --gtest_brief=1 ${ARGN})
  set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT CUDA_CPU_ORDER=${order})
endfunction()

function(lloyd_add_cuda_suite_on_double name)
  cmake_parse_arguments(PARSE_ARGV 1 suite "" "TINY" "SOURCES;LIBRARIES")
  if(NOT suite_TINY)
    set(suite_TINY "*")
  endif()
  foreach(mode IN LISTS lloyd_cuda_modes)
    lloyd_add_cuda_program(lloyd_${name}_${mode} ${mode} ${suite_SOURCES})
    target_link_libraries(lloyd_${name}_${mode} PRIVATE ${suite_LIBRARIES} GTest::gmock GTest::gtest_main)
  endforeach()
  foreach(order IN ITEMS forward reverse shuffle)
    lloyd_add_cuda_run(${name} plain ${order})
  endforeach()
  lloyd_add_cuda_run(${name} asan forward)
  lloyd_add_cuda_run(${name} tsan forward "--gtest_filter=${suite_TINY}")
endfunction()

# --- by nvcc -----------------------------------------------------------------------------------------------------------
# Without a device every case is skipped, and counted; with LLOYD_REQUIRE_GPU=1 in the environment that is a failure.
function(lloyd_add_cuda_suite_by_nvcc name)
  cmake_parse_arguments(PARSE_ARGV 1 suite "" "TINY" "SOURCES;LIBRARIES")
  set(target lloyd_${name}_device)
  add_executable(${target} "${PROJECT_SOURCE_DIR}/tests/cuda/device_main.cpp")
  foreach(source IN LISTS suite_SOURCES)
    get_filename_component(path "${source}" ABSOLUTE)
    get_filename_component(unit "${source}" NAME_WE)
    file(CONFIGURE OUTPUT "${name}/${unit}.cu" CONTENT "#include \"@path@\"\n" @ONLY)
    target_sources(${target} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}/${name}/${unit}.cu")
  endforeach()
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  target_link_libraries(${target} PRIVATE ${suite_LIBRARIES} lloyd::core CUDA::cublas CUDA::cudart_static GTest::gmock
                                          GTest::gtest)
  string(REPLACE ";" " " flags "${lloyd_nvcc_flags}")
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:${flags}>")
  lloyd_add_test(${name}.device cuda ${target} "--gtest_output=xml:${lloyd_results_dir}/${name}.device.xml"
                 --gtest_brief=1)
  set_tests_properties(${name}.device PROPERTIES LABELS "cuda;gpu" SKIP_RETURN_CODE 77)
endfunction()

# lloyd_add_cuda_suite(name SOURCES source... [LIBRARIES library...] [TINY gtest-filter])
# From the same sources: <name>.plain in three orders, <name>.asan and <name>.tsan on the double, the last with the
# cases of TINY alone if given, and <name>.device by nvcc.
function(lloyd_add_cuda_suite)
  if(LLOYD_CUDA_CPU)
    lloyd_add_cuda_suite_on_double(${ARGN})
  endif()
  if(LLOYD_CUDA_NVCC)
    lloyd_add_cuda_suite_by_nvcc(${ARGN})
  endif()
endfunction()

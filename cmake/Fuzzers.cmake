# SPDX-License-Identifier: MIT
# tests/fuzz/<name>_fuzz.cpp, built by the preset `fuzz` alone. ctest replays the corpus in tests/fuzz/corpus/<name>
# and then looks for new inputs for LLOYD_FUZZ_SECONDS; what it finds stays in the build folder.
option(LLOYD_FUZZ "Build the fuzzers (clang++ only)" OFF)
set(LLOYD_FUZZ_SECONDS 20 CACHE STRING "Seconds each fuzzer looks for new inputs under ctest")
if(NOT LLOYD_FUZZ)
  return()
endif()

add_custom_target(lloyd_fuzzers)
file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/fuzz/*_fuzz.cpp")
foreach(source IN LISTS sources)
  get_filename_component(name "${source}" NAME_WE)
  string(REGEX REPLACE "_fuzz$" "" name "${name}")
  set(corpus "${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name}")
  set(found "${PROJECT_BINARY_DIR}/fuzz/${name}")
  file(MAKE_DIRECTORY "${found}")

  add_executable(lloyd_${name}_fuzz "${source}")
  target_link_libraries(lloyd_${name}_fuzz PRIVATE lloyd::lloyd)
  target_include_directories(lloyd_${name}_fuzz PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  lloyd_test_target(lloyd_${name}_fuzz)
  target_compile_options(lloyd_${name}_fuzz PRIVATE -fsanitize=fuzzer)
  target_link_options(lloyd_${name}_fuzz PRIVATE -fsanitize=fuzzer)
  add_dependencies(lloyd_fuzzers lloyd_${name}_fuzz)

  # -runs=0 reads every input of the corpus once; then the new inputs go to the first folder.
  lloyd_add_test(fuzz.${name}.replay fuzz lloyd_${name}_fuzz -runs=0 -timeout=20 "${corpus}")
  lloyd_add_test(fuzz.${name}.search fuzz lloyd_${name}_fuzz -max_total_time=${LLOYD_FUZZ_SECONDS} -timeout=20
                 -rss_limit_mb=4096 -print_final_stats=1 "-artifact_prefix=${found}-" "${found}" "${corpus}")
endforeach()

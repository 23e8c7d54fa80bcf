# SPDX-License-Identifier: MIT
# The checkout as a folder of another project, which must get two targets and nothing else.
include("${CMAKE_CURRENT_LIST_DIR}/steps.cmake")
build_and_run(add_subdirectory app)

execute_process(COMMAND "${CMAKE_CTEST_COMMAND}" -N WORKING_DIRECTORY "${WORK}/app" OUTPUT_VARIABLE tests)
if(NOT tests MATCHES "Total Tests: 0")
  message(FATAL_ERROR "the parent got tests:\n${tests}")
endif()
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${WORK}/app" --prefix "${WORK}/installed" OUTPUT_QUIET)
file(GLOB_RECURSE installed "${WORK}/installed/*")
if(installed)
  message(FATAL_ERROR "the parent installs: ${installed}")
endif()

# The parent may still ask for the install rules, as a distribution that ships both would.
build_and_run(add_subdirectory app_installing -DLLOYD_INSTALL=ON -DCHECK_LEAKS=OFF)

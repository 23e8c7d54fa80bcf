# SPDX-License-Identifier: MIT
# The checkout through FetchContent.
include("${CMAKE_CURRENT_LIST_DIR}/steps.cmake")
build_and_run(fetchcontent app)

# SPDX-License-Identifier: MIT
# Where Eigen or OpenMP is missing and lloyd::lloyd is asked for, CMake says what to install and the way without.
include("${CMAKE_CURRENT_LIST_DIR}/steps.cmake")
install_to("${WORK}/installed")
set(prefix "-DCMAKE_PREFIX_PATH=${WORK}/installed")
set(without_eigen -DCMAKE_DISABLE_FIND_PACKAGE_Eigen3=ON)
set(without_openmp -DCMAKE_DISABLE_FIND_PACKAGE_OpenMP=ON)
set(way_out "COMPONENTS core" "lloyd::core" "lloyd/reference.hpp")

configure(find_package no_eigen "${prefix}" ${without_eigen})
refuse("apt-get install libeigen3-dev" ${way_out})
configure(find_package no_openmp "${prefix}" ${without_openmp})
refuse("apt-get install libomp-dev" ${way_out})
configure(find_package neither "${prefix}" ${without_eigen} ${without_openmp})
refuse("libeigen3-dev" "libomp-dev" ${way_out})

# Not switched off but truly not there.
configure(find_package bare_machine "${prefix}" -DBARE_MACHINE=ON)
refuse("apt-get install libeigen3-dev" ${way_out})

# As a folder of another project the same sentence comes when the target is linked.
configure(fetchcontent folder_no_eigen ${without_eigen})
refuse("apt-get install libeigen3-dev" ${way_out})
configure(fetchcontent folder_no_openmp ${without_openmp})
refuse("apt-get install libomp-dev" ${way_out})

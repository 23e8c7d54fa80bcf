# SPDX-License-Identifier: MIT
# What lloyd::lloyd needs and how to get it, said in one place for the source tree and the installed package.

# Sets `out` to a sentence that names what is missing and how to install it, or to nothing.
function(lloyd_needs out)
  set(missing "")
  if(NOT TARGET Eigen3::Eigen)
    list(APPEND missing "Eigen 3 (Debian: apt-get install libeigen3-dev)")
  endif()
  if(NOT TARGET OpenMP::OpenMP_CXX)
    list(APPEND missing "OpenMP for C++ (g++ has it, clang on Debian: apt-get install libomp-dev)")
  endif()
  if(missing)
    list(JOIN missing " and " missing)
    string(PREPEND missing "lloyd::lloyd needs ")
    string(APPEND missing ". Without it use find_package(lloyd COMPONENTS core) or link lloyd::core, and include "
           "lloyd/reference.hpp: that needs neither.")
  endif()
  set(${out} "${missing}" PARENT_SCOPE)
endfunction()

// SPDX-License-Identifier: MIT
// without: system folders
// expect: lloyd: Cpu needs Eigen 3 (Debian: libeigen3-dev, -I /usr/include/eigen3); lloyd/reference.hpp needs none
// errors: 2
#include <lloyd/lloyd.hpp>

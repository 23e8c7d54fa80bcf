// SPDX-License-Identifier: MIT
// flags: -std=c++17
// expect: lloyd needs C++20: compile with -std=c++20
// errors: 2
#include <lloyd/kmeans.hpp>
#include <lloyd/reference.hpp>

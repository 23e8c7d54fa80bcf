// SPDX-License-Identifier: MIT
/// @file
/// Everything for the CPU. Includes Eigen, and OpenMP where the compiler has it on.
#pragma once

#include "lloyd/cpu.hpp"
#include "lloyd/kmeans.hpp"
#include "lloyd/version.hpp"

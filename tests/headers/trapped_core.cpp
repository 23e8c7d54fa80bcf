// SPDX-License-Identifier: MIT
/// @file
/// The macros come first, `N` among them, then what needs no Eigen.
#include "traps.hpp"
#define N 100

#include <lloyd/csv.hpp>
#include <lloyd/fvecs.hpp>
#include <lloyd/kmeans.hpp>
#include <lloyd/npy.hpp>
#include <lloyd/npz.hpp>
#include <lloyd/reference.hpp>
#include <lloyd/sweep.hpp>

int trapped_core();
int trapped_core() { return N; }

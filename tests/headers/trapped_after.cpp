// SPDX-License-Identifier: MIT
/// @file
/// The standard library and Eigen come first, then the macros: now nothing but this library meets them.
#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cfenv>
#include <charconv>
#include <chrono>
#include <cmath>
#include <concepts>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <istream>
#include <iterator>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <optional>
#include <ostream>
#include <random>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>
#ifdef _OPENMP
#include <omp.h>
#endif
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "traps.hpp"
#define N 100

#include "every_header.hpp"

#if !defined(min) || !defined(max) || !defined(I) || !defined(B0) || !defined(small) || !defined(N)
#error "a header of lloyd took a macro away that was the user's"
#endif

int trapped_after();
int trapped_after() { return N; }

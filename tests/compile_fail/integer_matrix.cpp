// SPDX-License-Identifier: MIT
// expect: lloyd: a matrix holds float or double; convert integer, half and other values first
#include <lloyd/matrix.hpp>

#include <vector>

#ifdef RIGHT
using Value = float;
#else
using Value = int;
#endif

lloyd::Index f(const std::vector<Value>& values) { return lloyd::MatrixView(values.data(), 2, 2).rows(); }

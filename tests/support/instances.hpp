// SPDX-License-Identifier: MIT
// The heavy templates of a fit in memory by one process, for every backend and scalar of the tests: compiled once, in
// instances.cpp, instead of in every test.
#pragma once

#include "lloyd/lloyd.hpp"
#include "lloyd/reference.hpp"

namespace lloyd::test {

template <class T, class B>
using InMemoryProblem = detail::Problem<T, B, const SingleProcess, InMemory<T>>;

}  // namespace lloyd::test

namespace lloyd::detail {

// NOLINTBEGIN(bugprone-macro-parentheses)
#define LLOYD_TEST_INSTANCES(prefix, T, B)                                                                       \
  prefix template bool survey(test::InMemoryProblem<T, B>&, int);                                                \
  prefix template bool seed(const test::InMemoryProblem<T, B>&, Workspace<T, B>&, Index);                        \
  prefix template Outcome lloyd(const test::InMemoryProblem<T, B>&, Workspace<T, B>&);                           \
  prefix template Clustering<T, B> finish(const test::InMemoryProblem<T, B>&, Workspace<T, B>&, const Outcome&); \
  prefix template class Evaluation<T, B, SingleProcess, InMemory<T>>;
// NOLINTEND(bugprone-macro-parentheses)

#ifndef LLOYD_TEST_DEFINES_INSTANCES
LLOYD_TEST_INSTANCES(extern, float, Cpu)
LLOYD_TEST_INSTANCES(extern, double, Cpu)
LLOYD_TEST_INSTANCES(extern, float, Reference)
LLOYD_TEST_INSTANCES(extern, double, Reference)
#endif

}  // namespace lloyd::detail

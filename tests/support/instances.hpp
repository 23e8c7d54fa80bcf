// SPDX-License-Identifier: MIT
// The heavy templates, for every backend and scalar of the tests: compiled once, in instances_*.cpp, instead of in
// every test. Those of a fit in memory by one process, and the primitives of Cpu for all others.
#pragma once

#include "lloyd/lloyd.hpp"
#include "lloyd/reference.hpp"

namespace lloyd::test {

template <class T, class B>
using InMemoryProblem = detail::Problem<T, B, const SingleProcess, InMemory<T>>;

}  // namespace lloyd::test

namespace lloyd::inline LLOYD_ABI::detail {

// NOLINTBEGIN(bugprone-macro-parentheses)
#define LLOYD_TEST_INSTANCES(prefix, T, B)                                                                       \
  prefix template bool survey(test::InMemoryProblem<T, B>&, bool);                                               \
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

}  // namespace lloyd::inline LLOYD_ABI::detail

namespace lloyd::inline LLOYD_ABI::cpu {

// NOLINTBEGIN(bugprone-macro-parentheses)
#define LLOYD_TEST_PRIMITIVES(prefix, T)                                                                               \
  prefix template Prepared<T> prepare<T, Sound>(MatrixView<const T>, std::span<const T>, const detail::Batching&,      \
                                                const Options&, MatrixView<const T>, int, Isa);                        \
  prefix template Index assign<T, Sound>(const Tile<T>&, const Prepared<T>&, std::span<Label>, std::span<double>,      \
                                         detail::ExactSum*);                                                           \
  prefix template void assign_accumulate<T, Sound>(const Tile<T>&, const Prepared<T>&, const detail::RowState&,        \
                                                   const detail::Quanta&, const detail::SumsView&, detail::ExactSum*,  \
                                                   detail::ExactSum*);                                                 \
  prefix template void accumulate<T>(const Tile<T>&, const Options&, std::span<const Label>, const detail::Quanta&,    \
                                     const detail::SumsView&, MoveRowFunction<T>, int);                                \
  prefix template double lower<T, Sound>(const Tile<T>&, const Prepared<T>&, MatrixView<const T>, Label,               \
                                         std::span<double>, std::span<Label>, detail::ExactSum*);                      \
  prefix template void gain<T, Sound>(const Tile<T>&, const Prepared<T>&, MatrixView<const T>, std::span<const Label>, \
                                      std::span<const double>, std::span<detail::ExactSum>, detail::Improvements*);
// NOLINTEND(bugprone-macro-parentheses)

#ifndef LLOYD_TEST_DEFINES_INSTANCES
LLOYD_TEST_PRIMITIVES(extern, float)
LLOYD_TEST_PRIMITIVES(extern, double)
#endif

}  // namespace lloyd::inline LLOYD_ABI::cpu

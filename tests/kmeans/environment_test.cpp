// SPDX-License-Identifier: MIT
// Whatever rounding, flushing and traps the caller has set: the same bits, and everything is back afterwards.
#include "lloyd/kmeans/environment.hpp"

#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <vector>

#include "lloyd/lloyd.hpp"
#include "support/problem.hpp"
#include "support/verify.hpp"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace lloyd::test {
namespace {

/// Rows of ordinary and of subnormal size, so that flushing and rounding both show.
template <Real T>
Matrix<T> rows() {
  const auto x = blobs<T>(500, 3, 4, 1);
  return generate<T>(500, 3, [&](Index i, Index q) {
    return q == 2 ? static_cast<double>(x(i, q)) * 100 * static_cast<double>(std::numeric_limits<T>::denorm_min())
                  : static_cast<double>(x(i, q));
  });
}

/// Only the subnormal column.
template <Real T>
Matrix<T> tiny_rows() {
  const auto x = rows<T>();
  return generate<T>(x.rows(), 1, [&](Index i, Index) { return x(i, 2); });
}

template <class B, Real T>
struct Answers {
  Outcome<T> fit, fit_tiny;
  std::vector<Label> predicted;
  Matrix<double> transformed;
  double score = 0;
};

template <class B, Real T>
Answers<B, T> answers(const B& backend) {
  static const auto x = rows<T>(), tiny = tiny_rows<T>();
  const KMeans<B> kmeans({.n_clusters = 5, .n_init = 2, .max_iter = 20, .batch_rows = 64}, backend);
  const auto result = kmeans.fit(x);
  const auto small = kmeans.fit(tiny);
  return {outcome_of(result), outcome_of(small), kmeans.predict(small.centroids, tiny),
          kmeans.transform(small.centroids, tiny), kmeans.score(result.centroids, x)};
}

template <class B, Real T>
void expect_equal(const Answers<B, T>& a, const Answers<B, T>& b) {
  EXPECT_EQ(difference(a.fit, b.fit), "");
  EXPECT_EQ(difference(a.fit_tiny, b.fit_tiny), "");
  EXPECT_EQ(a.predicted, b.predicted);
  EXPECT_EQ(a.transformed, b.transformed);
  EXPECT_EQ(a.score, b.score);
}

template <class B>
void for_both_scalars(const B& backend, const std::function<void()>& set, const std::function<void()>& expect_set,
                      const std::function<void()>& restore) {
  const auto check = [&]<class T>(T) {
    const auto expected = answers<B, T>(backend);
    set();
    const auto found = answers<B, T>(backend);
    expect_set();
    restore();
    expect_equal(found, expected);
  };
  check(float{});
  check(double{});
}

class Environment : public testing::Test {
 protected:
  void SetUp() override { std::fegetenv(&before_); }
  void TearDown() override { std::fesetenv(&before_); }

 private:
  std::fenv_t before_{};
};

TEST_F(Environment, RoundingOfTheCaller) {
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    const auto set = [&] { ASSERT_EQ(std::fesetround(mode), 0); };
    const auto expect_set = [&] { EXPECT_EQ(std::fegetround(), mode); };
    const auto restore = [] { std::fesetround(FE_TONEAREST); };
    for_both_scalars(Reference(), set, expect_set, restore);
    for_both_scalars(Cpu{3}, set, expect_set, restore);
  }
}

#if defined(__x86_64__)
TEST_F(Environment, FlushingOfSubnormals) {
  constexpr unsigned flush_to_zero = 0x8000, denormals_are_zero = 0x0040;
  const unsigned before = _mm_getcsr();
  const auto set = [&] { _mm_setcsr(before | flush_to_zero | denormals_are_zero); };
  const auto expect_set = [&] {
    EXPECT_EQ(_mm_getcsr() & (flush_to_zero | denormals_are_zero), flush_to_zero | denormals_are_zero);
  };
  const auto restore = [&] { _mm_setcsr(before); };
  for_both_scalars(Reference(), set, expect_set, restore);
  for_both_scalars(Cpu{1}, set, expect_set, restore);
  for_both_scalars(Cpu{3}, set, expect_set, restore);
}
#else
TEST_F(Environment, FlushingOfSubnormals) { GTEST_SKIP() << "set by _mm_setcsr, which is of x86-64"; }
#endif

#if defined(__GLIBC__) && defined(__x86_64__)
TEST_F(Environment, TrapsOfTheCallerAreNotSprung) {
  // Flags that inexact or underflowing operations raise must not trap while the library computes.
  const auto set = [] {
    std::feclearexcept(FE_ALL_EXCEPT);  // what was raised before would trap at once
    feenableexcept(FE_INEXACT | FE_UNDERFLOW | FE_OVERFLOW | FE_INVALID | FE_DIVBYZERO);
  };
  const auto expect_set = [] { EXPECT_EQ(fegetexcept() & FE_INEXACT, FE_INEXACT); };
  const auto restore = [] { fedisableexcept(FE_ALL_EXCEPT); };
  static const auto x = rows<float>();
  const KMeans<Cpu> kmeans({.n_clusters = 5, .max_iter = 5, .batch_rows = 64}, Cpu{2});
  const auto expected = outcome_of(kmeans.fit(x));
  set();
  const auto found = kmeans.fit(x);
  expect_set();
  restore();
  EXPECT_EQ(difference(outcome_of(found), expected), "");
}
#endif

TEST_F(Environment, IsRestoredAfterAnException) {
  std::fesetround(FE_UPWARD);
  EXPECT_THROW((void)KMeans<Reference>({.n_clusters = 9}).fit(Matrix<float>(3, 1)), InvalidArgument);
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  Options options{.n_clusters = 2};
  options.callback = [](const Iteration&) -> bool { throw std::runtime_error("enough"); };
  EXPECT_THROW((void)KMeans<Reference>(options).fit(Matrix<float>(3, 1)), std::runtime_error);
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
}

}  // namespace
}  // namespace lloyd::test

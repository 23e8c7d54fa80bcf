// SPDX-License-Identifier: MIT
/// @file
/// Says what this build is and fails where that is not what the build was told to be.
#ifdef _OPENMP
#include <omp.h>
#endif

#include <iostream>
#include <string_view>

#ifndef __has_feature
#define __has_feature(x) 0
#endif

namespace {

#ifdef __clang__
constexpr std::string_view compiler = "Clang";
#else
constexpr std::string_view compiler = "GNU";
#endif

#ifdef NDEBUG
constexpr bool asserts = false;
#else
constexpr bool asserts = true;
#endif

#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
constexpr bool address = true;
#else
constexpr bool address = false;
#endif

#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
constexpr bool thread = true;
#else
constexpr bool thread = false;
#endif

bool failed = false;

void expect(bool condition, std::string_view what) {
  std::cout << (condition ? "yes: " : "NO:  ") << what << '\n';
  failed = failed || !condition;
}

}  // namespace

int main() {
  constexpr std::string_view build_type = EXPECTED_BUILD_TYPE;
  constexpr std::string_view sanitizers = EXPECTED_SANITIZERS;
  const auto sanitized_by = [&](std::string_view name) { return sanitizers.find(name) != std::string_view::npos; };

  expect(compiler == EXPECTED_COMPILER, "compiled by " EXPECTED_COMPILER);
  expect(address == sanitized_by("address"), "AddressSanitizer as in '" EXPECTED_SANITIZERS "'");
  expect(thread == sanitized_by("thread"), "ThreadSanitizer as in '" EXPECTED_SANITIZERS "'");
  if (sanitizers.empty())
    expect(asserts == (build_type == "Debug"), "asserts as in the build type " EXPECTED_BUILD_TYPE);
#ifdef _GLIBCXX_ASSERTIONS
  expect(true, "the standard library asserts");
#else
  expect(false, "the standard library asserts");
#endif
#if defined(__AVX__) || defined(__FMA__)
  expect(false, "no instruction set beyond the baseline is on for the whole build");
#else
  expect(true, "no instruction set beyond the baseline is on for the whole build");
#endif
#ifdef _OPENMP
  int threads = 0;
#pragma omp parallel num_threads(3) reduction(+ : threads)
  threads += 1;
  expect(threads == 3, "OpenMP gives three threads where three are asked for");
#else
  expect(false, "OpenMP is on");
#endif
  return failed ? 1 : 0;
}

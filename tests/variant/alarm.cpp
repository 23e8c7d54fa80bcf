// SPDX-License-Identifier: MIT
/// @file
/// Commits the fault named on the command line, so that a sanitizer that sleeps is noticed.
#include <omp.h>

#include <iostream>
#include <limits>
#include <string_view>
#include <vector>

namespace {

void overrun(int argc) {
  const std::vector<int> values(static_cast<std::size_t>(argc), 1);
  const int* const beyond = values.data() + argc;
  std::cout << *beyond << '\n';
}

void overflow(int argc) { std::cout << std::numeric_limits<int>::max() - 1 + argc << '\n'; }

void race() {
  int count = 0;
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 100000; ++i) count += 1;
  std::cout << count << '\n';
}

/// No fault: the second loop reads what other threads wrote before the barrier. Without Archer this is reported.
int barrier() {
  std::vector<int> values(1000), sums(1000);
#pragma omp parallel num_threads(4)
  {
#pragma omp for schedule(static)
    for (int i = 0; i < 1000; ++i) values[static_cast<std::size_t>(i)] = i;
#pragma omp for schedule(static)
    for (int i = 0; i < 1000; ++i) {
      sums[static_cast<std::size_t>(i)] =
          values[static_cast<std::size_t>(i)] + values[static_cast<std::size_t>(999 - i)];
    }
  }
  for (const int sum : sums) {
    if (sum != 999) return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view fault = argc > 1 ? argv[1] : "";
  if (fault == "overrun") overrun(argc);
  if (fault == "overflow") overflow(argc);
  if (fault == "race") race();
  if (fault == "barrier") return barrier();
  return 0;
}

// SPDX-License-Identifier: MIT
/// @file
/// main() of a program of CUDA tests that nvcc built. Without a device all cases are skipped, counted as such in the
/// results, and the program returns 77; with LLOYD_REQUIRE_GPU=1 it fails.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "support/device_counters.hpp"

namespace lloyd::test {

std::optional<DeviceCounters> device_counters() { return std::nullopt; }
bool limit_device_memory(std::size_t /*bytes*/) { return false; }
bool limit_events(std::int64_t /*more*/) { return false; }

}  // namespace lloyd::test

namespace {

/// Skips every case before its body; its fixture's constructor must not touch the device.
class SkipEverything : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo& /*test*/) override { skip(); }
  static void skip() { GTEST_SKIP() << "no CUDA device"; }
};

bool has_device() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

}  // namespace

int main(int count, char** words) {
  constexpr int skipped = 77;
  testing::InitGoogleTest(&count, words);
  if (has_device()) {
    cudaDeviceProp properties{};
    if (cudaGetDeviceProperties(&properties, 0) == cudaSuccess) std::printf("on %s\n", properties.name);
    return RUN_ALL_TESTS();
  }
  const char* required = std::getenv("LLOYD_REQUIRE_GPU");
  if (required != nullptr && std::strcmp(required, "0") != 0) {
    std::printf("LLOYD_REQUIRE_GPU is set and there is no CUDA device\n");
    return 1;
  }
  testing::UnitTest& all = *testing::UnitTest::GetInstance();
  all.listeners().Append(new SkipEverything);
  const int status = RUN_ALL_TESTS();
  std::printf("skipped: no CUDA device, %d cases\n", all.skipped_test_count());
  return status == 0 && all.skipped_test_count() == all.test_to_run_count() ? skipped : 1;
}

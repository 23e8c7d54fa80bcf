// SPDX-License-Identifier: MIT
#include "support/measure.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "support/tasks.hpp"

namespace bench {
namespace {

TEST(PhasedFit, GivesTheBitsOfTheFrontDoor) {
  const Task task = scaled(all_tasks()[1], 0.001);
  const Rows rows(task.recipe, task.n, task.d, 1);
  const auto starts = gather(rows.view(), start_rows(task.n, task.k, 0));
  for (const auto* given : {&starts, static_cast<const lloyd::Matrix<float>*>(nullptr)}) {
    for (const auto init : {lloyd::Init::kmeans_plus_plus, lloyd::Init::scalable_kmeans_plus_plus}) {
      const Fit fit{rows.view(), {.n_clusters = task.k, .max_iter = 5, .tol = 0, .seed = 3, .init = init}, given};
      const Outcome phased = phased_fit(fit, lloyd::Cpu{2}, {}), whole = whole_fit(fit, lloyd::Cpu{1});
      EXPECT_EQ(phased.inertia, whole.inertia);
      EXPECT_EQ(phased.n_iter, whole.n_iter);
      EXPECT_EQ(phased.centroid_shift, whole.centroid_shift);
      EXPECT_EQ(phased.seeding.has_value(), given == nullptr);
      EXPECT_GT(phased.loop.value_or(0), 0);
    }
  }
}

TEST(Meters, TheHeapPeakIsCounted) {
  const HeapPeak heap;
  const auto before = heap.bytes();
  std::vector<char>(std::size_t{1} << 20, 'x').swap(*std::make_unique<std::vector<char>>());
  EXPECT_GE(heap.bytes() - before, 1 << 20);
  EXPECT_LT(heap.bytes() - before, (1 << 20) + 100'000);
}

// Bytes that AddressSanitizer touches beside those of a program: one for eight.
#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
constexpr std::int64_t shadow = (std::int64_t{1} << 26) / 8;
#else
constexpr std::int64_t shadow = 0;
#endif

TEST(Meters, TheResidentPeakSeesWhatWasFreed) {
  const ResidentPeak peak;
  {
    std::vector<char> touched(std::size_t{1} << 26, 'x');
    asm volatile("" : : "g"(touched.data()) : "memory");
  }
  if (!peak.bytes())
    GTEST_SKIP() << "this system does not let the peak be set back: the column "
                    "is absent here";
  EXPECT_GE(*peak.bytes(), (1 << 26) - (1 << 21));
  EXPECT_LT(*peak.bytes(), (1 << 26) + (1 << 23) + shadow);
}

TEST(Plant, SlowsItsPhaseAlone) {
  const auto work = [] {
    const auto start = Clock::now();
    while (seconds_since(start) < 0.02) {
    }
  };
  const Plant plant{"assign", 50};
  EXPECT_GE(timed("assign", plant, work), 0.03);
  const double other = timed("survey", plant, work);
  EXPECT_GE(other, 0.02);
}

TEST(Records, AreJsonWithoutWhatIsUnknown) {
  Record record;
  record.add("name", "a \"b\"").add("n", 3).add("x", 0.5).add("yes", true).add("none", std::optional<double>());
  record.add("infinite", 1.0 / std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(record.line(), "{\"name\": \"a \\\"b\\\"\", \"n\": 3, \"x\": 0.5, \"yes\": true}\n");
}

TEST(Measure, WritesEveryRepetition) {
  const auto path = std::filesystem::temp_directory_path() / "lloyd_measure_test.jsonl";
  std::filesystem::remove(path);
  Settings settings;
  settings.reps = 3;
  int calls = 0;
  {
    Journal journal(path.string());
    Watchdog watchdog(0, journal);
    const Way way{Record().add("case", "x"), [&] {
                    Outcome outcome;
                    outcome.seconds = 0.02 + 0.001 * ++calls;
                    return outcome;
                  }};
    const auto measured = measure({way, way}, settings, journal, watchdog);
    EXPECT_EQ(measured[1].warm.size(), 3U);
    EXPECT_GT(measured[1].median(), 0.02);
  }
  std::ifstream in(path);
  int lines = 0;
  for (std::string line; std::getline(in, line);) ++lines;
  EXPECT_GE(lines, 6);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace bench

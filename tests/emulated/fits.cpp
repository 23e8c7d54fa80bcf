// SPDX-License-Identifier: MIT
// Fits of many small problems by one instruction set, a line each with a hash of all results: two runs are compared
// line by line. tests/emulated.sh runs it on an emulated processor.
//   fits ISA PROBLEMS     portable, avx2, avx512 or amx; so many random problems of each type, half of them hostile
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>

#include "support/backends.hpp"
#include "support/checked.hpp"
#include "support/data.hpp"
#include "support/random_problem.hpp"

namespace lloyd::test {
namespace {

/// FNV-1a, of Fowler, Noll and Vo.
class Hash {
 public:
  template <class V>
  void add(const V* values, std::size_t count) {
    for (std::size_t i = 0; i < count * sizeof(V); ++i)
      value_ = (value_ ^ reinterpret_cast<const unsigned char*>(values)[i]) * 0x100000001b3;
  }
  template <class Values>
  void add(const Values& values) {
    add(values.data(), values.size());
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

template <class Result>
void print(const std::string& what, const Result& r) {
  Hash hash;
  hash.add(r.labels);
  hash.add(r.cluster_sizes);
  hash.add(r.cluster_weights);
  hash.add(r.centroids.data(), static_cast<std::size_t>(r.centroids.rows() * r.centroids.cols()));
  const std::array<double, 2> doubles = {r.inertia, r.centroid_shift};
  const std::array<Index, 2> counts = {r.n_iter, r.n_empty};
  hash.add(doubles);
  hash.add(counts);
  std::cout << "fit " << what << ' ' << std::hex << hash.value() << std::dec << std::endl;  // an emulator may stop
}

template <Real T>
void fit_problems(const Cpu& cpu, std::uint64_t count) {
  for (std::uint64_t number = 0; number < count; ++number) {
    const auto p = random_problem<T>(number, {}, {.large = false});
    const KMeans<Cpu> kmeans(p.other_options, cpu);
    const auto fit = [&](const auto& w) {
      return p.input.seeded() ? kmeans.fit(p.rows(), w) : kmeans.fit_from(p.input.c, p.rows(), w);
    };
    print(std::to_string(sizeof(T)) + " bytes, problem " + std::to_string(number),
          p.single.empty() ? fit(p.input.w) : fit(p.single));
  }
}

/// Numbers of features and centroids on both sides of every width of a kernel.
template <Real T>
void fit_shapes(const Cpu& cpu) {
  for (const Index d : {1, 2, 3, 4, 5, 8, 12, 16, 17, 18, 31, 33, 64, 100, 180, 1030})
    for (const Index k : {2, 3, 7, 16, 17, 64, 150})
      for (const Assignment assignment : {Assignment::fused, Assignment::gram}) {
        if (d * k > 30000) continue;  // an emulator takes long for these
        const auto kind = d % 2 == 1 ? ProblemKind::clouds : ProblemKind::offset;
        const Input<T> input{rows_of_kind<T>(kind, 260, d, static_cast<std::uint64_t>(d * k))};
        Options options{.n_clusters = k, .max_iter = 3, .tol = 0};
        options.init = k % 2 == 1 ? Init::random : Init::kmeans_plus_plus;
        options.assignment = assignment;
        print(std::to_string(sizeof(T)) + " bytes, d " + std::to_string(d) + ", k " + std::to_string(k) +
                  (assignment == Assignment::fused ? ", fused" : ", gram"),
              fit_input(KMeans<Cpu>(options, cpu), input));
      }
}

int run(std::string_view name, std::uint64_t problems) {
  constexpr std::array<std::pair<std::string_view, Isa>, 4> known = {
      {{"portable", Isa::portable}, {"avx2", Isa::avx2}, {"avx512", Isa::avx512}, {"amx", Isa::amx}}};
  for (const auto& [text, isa] : known) {
    if (text != name || cpu::usable_isa(isa) != isa) continue;
    const Cpu cpu{.n_threads = 1, .widest = isa};
    fit_problems<float>(cpu, problems);
    fit_problems<double>(cpu, problems);
    fit_shapes<float>(cpu);
    fit_shapes<double>(cpu);
    std::cout << "done" << std::endl;
    return 0;
  }
  std::cerr << "fits: \"" << name << "\" is no instruction set, or not of this processor\n";
  return 1;
}

}  // namespace
}  // namespace lloyd::test

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "fits ISA PROBLEMS\n";
    return 2;
  }
  return lloyd::test::run(argv[1], std::strtoull(argv[2], nullptr, 10));
}

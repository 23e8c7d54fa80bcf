// SPDX-License-Identifier: MIT
// Any options, shapes, values (NaN, infinities and subnormals among them) and weights: Reference and Cpu both refuse
// with an InvalidArgument, or both fit and agree bit for bit, and predict and score confirm the result.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <iostream>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "lloyd/lloyd.hpp"
#include "lloyd/reference.hpp"
#include "support/verify.hpp"

namespace {

using lloyd::Index;

/// The input, piece by piece; zeros once it is used up.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

  std::uint8_t next() { return at_ < size_ ? data_[at_++] : std::uint8_t{0}; }
  /// 0 .. count - 1
  Index below(Index count) { return next() % count; }
  bool flip() { return (next() & 1) != 0; }
  template <class V>
  V one_of(std::initializer_list<V> choices) {
    return choices.begin()[below(static_cast<Index>(choices.size()))];
  }
  /// Any bit pattern.
  template <class V>
  V raw() {
    std::uint8_t bytes[sizeof(V)];
    for (auto& byte : bytes) byte = next();
    V value;
    std::memcpy(&value, bytes, sizeof(V));
    return value;
  }
  /// A value in one of three manners: any bits, a small whole number (they tie), or one of any scale.
  template <class V>
  V value(Index manner) {
    if (manner == 0) return raw<V>();
    const auto whole = static_cast<V>(static_cast<std::int8_t>(next()));
    return manner == 1 ? whole : std::ldexp(whole, static_cast<std::int8_t>(next()));
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_, at_ = 0;
};

[[noreturn]] void fail(const std::string& what) {
  std::cerr << "fit_fuzz: " << what << '\n';
  std::abort();
}

/// One call and how to make it.
template <lloyd::Real T>
struct Call {
  lloyd::Options options;
  Index reports = 0;  // after so many the callback says stop; 0: there is no callback
  lloyd::Cpu cpu;
  lloyd::Matrix<T> x, centroids;
  std::vector<float> w_float;
  std::vector<double> w_double;
  bool seeded = true;
};

lloyd::Options read_options(Bytes& in) {
  lloyd::Options o;
  o.n_clusters = in.below(10);
  o.n_init = in.below(4);
  o.max_iter = in.below(7) - (in.next() == 255 ? 1 : 0);
  o.tol = in.one_of({0.0, 1e-4, 1.0, -1.0, std::numeric_limits<double>::quiet_NaN()});
  o.seed = in.raw<std::uint16_t>();
  o.init = static_cast<lloyd::Init>(in.below(4));
  o.init_size = in.flip() ? in.below(70) : 0;
  o.n_local_trials = in.below(4);
  o.init_rounds = in.below(4);
  o.oversampling_factor = in.one_of({2.0, 0.001, 0.5, 1e300, 0.0});
  o.empty_clusters = static_cast<lloyd::EmptyClusters>(in.below(3));
  o.update = static_cast<lloyd::CentroidUpdate>(in.below(4));
  o.assignment = static_cast<lloyd::Assignment>(in.below(4));
  o.check_finite = in.flip();
  o.memory_budget = in.one_of({std::size_t{64} << 20, std::size_t{1} << 20, std::size_t{4096}, std::size_t{0}});
  o.batch_rows = in.below(9);
  o.batch_centroids = in.below(5);
  o.labels = in.next() != 1;
  return o;
}

template <lloyd::Real T>
Call<T> read_call(Bytes& in) {
  Call<T> call;
  call.options = read_options(in);
  call.reports = in.flip() ? in.below(30) : 0;
  call.cpu.widest = static_cast<lloyd::Isa>(in.below(4));
  // What fits the budget depends on the number of threads, and starting them takes longer than the work.
  call.cpu.n_threads = static_cast<int>(in.one_of<Index>({1, 1, 1, 1, 2, 3}));
  if (call.options.memory_budget < std::size_t{1} << 20) call.cpu.n_threads = 1;
  call.seeded = in.next() % 4 != 0;
  const Index n = in.below(65), d = in.below(10), manner = in.below(3), weighting = in.below(3), w_manner = in.below(3);
  call.x = lloyd::Matrix<T>(n, d);
  for (Index i = 0; i < n * d; ++i) call.x.data()[i] = in.value<T>(manner);
  for (Index i = 0; i < n && weighting == 1; ++i) call.w_float.push_back(std::fabs(in.value<float>(w_manner)));
  for (Index i = 0; i < n && weighting == 2; ++i) call.w_double.push_back(std::fabs(in.value<double>(w_manner)));
  if (!call.seeded) {
    call.centroids = lloyd::Matrix<T>(call.options.n_clusters, d);
    for (Index i = 0; i < call.options.n_clusters * d; ++i) call.centroids.data()[i] = in.value<T>(manner);
  }
  return call;
}

/// use(w) with the weights of the call, whichever they are.
template <lloyd::Real T, class Use>
auto with_weights(const Call<T>& call, const Use& use) {
  if (!call.w_float.empty()) return use(call.w_float);
  return use(call.w_double);
}

/// The result is what it says of itself.
template <class B, lloyd::Real T>
void confirm(const Call<T>& call, const lloyd::KMeans<B>& kmeans, const lloyd::Clustering<T, B>& result) {
  if (result.centroids.rows() == 0) {
    if (result.stop_reason != lloyd::StopReason::cancelled) fail("no centroids, though nobody said stop");
    return;
  }
  if (!(result.inertia >= 0)) fail("inertia " + std::to_string(result.inertia));
  for (Index i = 0; i < result.centroids.rows() * result.centroids.cols(); ++i)
    if (!std::isfinite(result.centroids.data()[i])) fail("a centroid is not finite");
  if (call.options.labels && kmeans.predict(result.centroids, call.x) != result.labels)
    fail("predict does not confirm the labels");
  const double score = with_weights(call, [&](const auto& w) { return kmeans.score(result.centroids, call.x, w); });
  if (score != -result.inertia) fail("score does not confirm the inertia");
}

/// The result on a backend, or none where the call is refused.
template <class B, lloyd::Real T>
std::optional<lloyd::test::Outcome<T>> run(const Call<T>& call, const B& backend) {
  try {
    lloyd::Options options = call.options;
    Index reports = 0;
    if (call.reports > 0) options.callback = [&](const lloyd::Iteration&) { return ++reports != call.reports; };
    const lloyd::KMeans<B> kmeans(options, backend);
    const auto result = with_weights(call, [&](const auto& w) {
      return call.seeded ? kmeans.fit(call.x, w) : kmeans.fit_from(call.centroids, call.x, w);
    });
    confirm(call, kmeans, result);
    return lloyd::test::outcome_of(result);
  } catch (const lloyd::InvalidArgument&) {
    return std::nullopt;  // refused with a message; anything else ends the program
  }
}

template <lloyd::Real T>
void compare(Bytes& in) {
  const Call<T> call = read_call<T>(in);
  const auto expected = run(call, lloyd::Reference());
  const auto found = run(call, call.cpu);
  if (expected.has_value() != found.has_value()) fail("only one backend refuses");
  if (!expected) return;
  const std::string complaint = lloyd::test::difference(*found, *expected);
  if (!complaint.empty()) fail("Cpu and Reference: " + complaint);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes in(data, size);
  if (in.flip()) {
    compare<float>(in);
  } else {
    compare<double>(in);
  }
  return 0;
}

// SPDX-License-Identifier: MIT
// A backend that has every primitive but one.
// expect: lloyd: the backend lacks a primitive; lloyd/backend.hpp lists what it needs
// expect: pick
#include <lloyd/kmeans.hpp>
#include <lloyd/reference.hpp>

struct Mine : lloyd::Reference {
#ifndef RIGHT
  void pick() const = delete;
#endif
};

auto f(const lloyd::Matrix<float>& x) { return lloyd::KMeans<Mine>({.n_clusters = 2}).fit(x); }

// SPDX-License-Identifier: MIT
/// @file
/// The floating-point environment that the numbers are defined in.
#pragma once

#include <cfenv>

#include "lloyd/version.hpp"

namespace lloyd::inline LLOYD_ABI::detail {

/// Rounds to nearest, keeps subnormals and traps nothing while it lives, whatever the caller had set (flush to zero,
/// another rounding, unmasked exceptions); then the caller's environment is back. One for each thread that computes.
class DefaultEnvironment {
 public:
  DefaultEnvironment() {
    std::fegetenv(&saved_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultEnvironment() { std::fesetenv(&saved_); }
  DefaultEnvironment(const DefaultEnvironment&) = delete;
  DefaultEnvironment& operator=(const DefaultEnvironment&) = delete;

 private:
  std::fenv_t saved_{};
};

}  // namespace lloyd::inline LLOYD_ABI::detail

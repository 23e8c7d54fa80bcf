// SPDX-License-Identifier: MIT
/// @file
/// What is said when a call is refused.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "lloyd/error.hpp"

namespace lloyd::test {

/// The text of an InvalidArgument, which the call must throw.
template <class Call>
[[nodiscard]] std::string refusal_of(const Call& call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  ADD_FAILURE() << "not refused";
  return "";
}

}  // namespace lloyd::test

// SPDX-License-Identifier: MIT
/// @file
/// One unit: everything, for both scalar types.
#include "everything.hpp"

void use_in_a(std::ostream& out) {
  use_everything<float>(out);
  use_everything<double>(out);
}

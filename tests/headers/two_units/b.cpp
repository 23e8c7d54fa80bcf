// SPDX-License-Identifier: MIT
/// @file
/// The other unit, the same once more: they link, and they agree.
#include <iostream>
#include <sstream>

#include "everything.hpp"

int main() {
  std::ostringstream b;
  use_everything<float>(b);
  use_everything<double>(b);
#ifdef TWO_UNITS
  std::ostringstream a;
  use_in_a(a);
  if (a.str() != b.str()) {
    std::cerr << "the two units disagree\n";
    return 1;
  }
#endif
  std::cout << b.str();
}

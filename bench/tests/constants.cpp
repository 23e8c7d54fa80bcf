// SPDX-License-Identifier: MIT
// Prints the constants by which the library chooses between two ways of doing the same.
#include <iostream>

#include "lloyd/lloyd.hpp"

int main() {
  std::cout << R"({"one_hot_factor": )" << lloyd::cpu::one_hot_factor << R"(, "fused_up_to": )"
            << lloyd::cpu::fused_up_to << R"(, "features_in_lanes_from": )" << lloyd::cpu::features_in_lanes_from
            << "}\n";
}

// SPDX-License-Identifier: MIT
#include "use.hpp"

std::size_t bytes_of_second();
bool second_works();
std::size_t bytes_of_first() { return sizeof(lloyd::Options); }

int main() {
  const bool first_works = fits_two_groups("first", bytes_of_second());
  const bool differ = bytes_of_first() != bytes_of_second();
  return first_works && second_works() && differ ? 0 : 1;
}

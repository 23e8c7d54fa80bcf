// SPDX-License-Identifier: MIT
#include "use.hpp"

std::size_t bytes_of_first();
std::size_t bytes_of_second() { return sizeof(lloyd::Options); }
bool second_works() { return fits_two_groups("second", bytes_of_first()); }

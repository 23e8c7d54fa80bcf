// SPDX-License-Identifier: MIT
// What to do about a field that is no number, by all rows of its column and of the others.
#pragma once

#include <string>

#include "second_look.hpp"

namespace program {

/// @param weights  the number of the column of weights; 0: none
[[nodiscard]] std::string hint_of_field(const SecondLook& found, Place place, char separator, const RowsArguments& rows,
                                        lloyd::Index weights);

}  // namespace program

// SPDX-License-Identifier: MIT
// What float keeps of text.
#pragma once

#include "table.hpp"

namespace program {

/// Says on stderr which columns of a text are too fine for float: where all values lie within a thousand of its steps,
/// or are one value so large that its neighbours are whole numbers.
template <class T>
void say_too_fine(const Table<T>& table, const RowsArguments& rows, int threads);

}  // namespace program

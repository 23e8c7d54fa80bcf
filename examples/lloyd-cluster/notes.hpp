// SPDX-License-Identifier: MIT
// What a user may want to know of the columns before they are clustered.
#pragma once

#include "table.hpp"

namespace program {

/// Says on stderr, of a text: which columns are too fine for float (all values lie within a thousand of its steps, or
/// are one value so large that its neighbours are whole numbers); which number the rows, where no columns were chosen;
/// where points may stand between thousands; that line 1 may be names, or none; and that one column decides alone,
/// where columns are not standardised.
template <class T>
void say_notes(const Table<T>& table, const RowsArguments& rows, bool standardize, int threads);

}  // namespace program

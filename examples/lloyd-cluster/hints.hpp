// SPDX-License-Identifier: MIT
// What a file that cannot be read as rows of numbers may be: the likely cause, and what mends it.
#pragma once

#include <string>

#include "arguments.hpp"
#include "lloyd/csv.hpp"

namespace program {

/// What to do about missing values, and how many rows have one; 0: unknown.
[[nodiscard]] std::string advice_on_missing(lloyd::Index rows);

/// The option that leaves these columns out beside those that are left out already.
[[nodiscard]] std::string skipping(const std::string& columns, const RowsArguments& rows);

/// The library's complaint about a file of text in the words of this program, with a hint. Looks at the file again.
/// @param weights  the number of the column of weights; 0: none
[[nodiscard]] std::string explained(const std::string& complaint, const RowsArguments& rows,
                                    const lloyd::CsvOptions& options, lloyd::Index weights);

}  // namespace program

// SPDX-License-Identifier: MIT
// Which columns of a file of rows are read: what the options and a model ask for, as numbers.
#pragma once

#include <string>
#include <vector>

#include "arguments.hpp"
#include "format.hpp"

namespace program {

struct Choice {
  std::vector<lloyd::CsvColumns> columns, skip_columns;  // as in CsvOptions, without the weights; in the order wanted
  lloyd::Index weights = 0;                              // the number of their column; 0: none
  bool names_of_model = false;                           // whether line 1 is the names of the model, though numbers
  bool by_name = false;                                  // whether an option gave a name, so that line 1 must hold some

  [[nodiscard]] lloyd::CsvOptions csv_options(const RowsArguments& rows, Format format) const;
};

/// The ranges of a list such as 2-5,8; none where it is no such list.
[[nodiscard]] std::optional<std::vector<lloyd::CsvColumns>> parse_ranges(const std::string& list);

/// Looks for names in line 1 of the file, if there are any to look for.
/// @throws std::runtime_error for what is neither a number nor such a name, and for a column that the model has and the
///         file lacks
[[nodiscard]] Choice choose_columns(const RowsArguments& rows, Format format);

}  // namespace program

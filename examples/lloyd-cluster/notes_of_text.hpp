// SPDX-License-Identifier: MIT
// What the first lines of a table tell as they are written, which numbers do not.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "table.hpp"

namespace program {

/// The fields of the first lines of a table, for its columns in their order.
class Beginning {
 public:
  template <class T>
  Beginning(const Table<T>& table, const RowsArguments& rows)
      : Beginning(table.beginning, table.columns, !table.names.empty(), rows) {}

  /// What is to be said of line 1; empty: nothing.
  [[nodiscard]] std::string on_first_line(lloyd::CsvHeader header) const;

  /// A field of a column whose points may stand between thousands; empty: there is none.
  [[nodiscard]] std::string grouped(std::size_t column) const;

  /// Two fields of a column whose numbers differ, if any do.
  [[nodiscard]] std::optional<std::pair<std::string, std::string>> two_of(std::size_t column) const;

 private:
  Beginning(const std::vector<std::string>& lines, const std::vector<lloyd::Index>& columns, bool named,
            const RowsArguments& rows);

  std::vector<std::string> first_;              // the fields of line 1
  std::vector<std::vector<std::string>> rows_;  // those below the names
  bool named_, quoted_ = false;                 // whether line 1 is names; whether it stands in quotes, line 2 not
};

}  // namespace program

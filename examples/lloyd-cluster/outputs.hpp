// SPDX-License-Identifier: MIT
// Files that a run writes: whether they can be written is found before the work, and all appear or none.
#pragma once

#include <initializer_list>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "format.hpp"
#include "interrupt.hpp"
#include "lloyd/io/file.hpp"
#include "lloyd/matrix.hpp"

namespace program {

class Outputs {
 public:
  /// Files that are read, which no output may overwrite.
  explicit Outputs(const std::vector<fs::path>& inputs);

  /// Takes a path that an option gave; an empty one is none. Tries whether it can be written and leaves no trace of it.
  /// @throws std::runtime_error, in the name of the option
  void promise(const char* option, const fs::path& path, std::initializer_list<Format> taken);

  /// The file of a path, to be written. It appears when commit() is called.
  [[nodiscard]] lloyd::detail::OutputFile& open(const fs::path& path);

  /// Closes all files, so that a full disk is found, and then gives them their names.
  /// @throws Interrupted if the program was asked to stop before that
  void commit();

 private:
  struct Place {
    fs::path given, place;  // as the option says it, and the one name of the file
    std::string of;         // whose it is, for a message; empty: an input
  };
  std::vector<Place> places_;              // of inputs and promised outputs: no output goes to one of them
  std::optional<AsksForInterrupts> asks_;  // while there are files that are not complete
  std::list<lloyd::detail::OutputFile> files_;
};

/// Writes a matrix in the format of its name; names of columns go above text.
template <class T>
void write_matrix(Outputs& outputs, const fs::path& path, const lloyd::Matrix<T>& x,
                  const std::vector<std::string>& names, std::optional<char> separator = std::nullopt);

/// Writes one value a row: labels or distances; a name goes above text, so that lines stand beside those of the rows.
template <class V>
void write_column(Outputs& outputs, const fs::path& path, const std::vector<V>& values, const std::string& name);

}  // namespace program

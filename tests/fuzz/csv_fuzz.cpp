// SPDX-License-Identifier: MIT
// Any bytes are a table or a BackendError. The first byte chooses separator, header, columns and type.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "lloyd/csv.hpp"

namespace {

template <lloyd::Real T>
void read(const std::string& bytes, const lloyd::CsvOptions& options) {
  std::istringstream in(bytes);
  try {
    const auto table = lloyd::read_csv_table<T>(in, options);
    const auto columns = static_cast<std::size_t>(table.values.cols());
    if (table.values.rows() == 0 || columns == 0) std::abort();
    if (!table.names.empty() && table.names.size() != columns) std::abort();
    if (table.columns.size() != columns) std::abort();
  } catch (const lloyd::BackendError&) {
    return;  // refused with a message
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  constexpr char separators[] = {',', ';', '\t', ' '};
  const std::vector<lloyd::CsvColumns> second = {{2}}, none;
  const unsigned choice = data[0] / 12U % 3U;
  const lloyd::CsvOptions options = {.separator = separators[data[0] % 4U],
                                     .header = static_cast<lloyd::CsvHeader>(data[0] / 4U % 3U),
                                     .columns = choice == 1 ? second : none,
                                     .skip_columns = choice == 2 ? second : none};
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] < 128) {
    read<float>(bytes, options);
  } else {
    read<double>(bytes, options);
  }
  return 0;
}

// SPDX-License-Identifier: MIT
#include "picture.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace program {

Picture upright(Picture picture, int orientation) {
  if (orientation <= 1 || orientation > 8) return picture;
  // From 5 on rows and columns change places; then it is mirrored from left to right, from top to bottom, or both.
  const bool transposed = orientation >= 5;
  const bool mirrored = orientation == 2 || orientation == 3 || orientation == 6 || orientation == 7;
  const bool upside_down = orientation == 3 || orientation == 4 || orientation == 7 || orientation == 8;
  Picture turned{transposed ? picture.height : picture.width, transposed ? picture.width : picture.height, {}};
  turned.rgba.resize(picture.rgba.size());
  for (std::size_t i = 0; i < turned.height; ++i) {
    for (std::size_t j = 0; j < turned.width; ++j) {
      const std::size_t row = upside_down ? turned.height - 1 - i : i, column = mirrored ? turned.width - 1 - j : j;
      const std::size_t from = transposed ? column * picture.width + row : row * picture.width + column;
      std::copy_n(picture.rgba.data() + 4 * from, 4, turned.rgba.data() + 4 * (i * turned.width + j));
    }
  }
  return turned;
}

int exif_orientation(const std::uint8_t* bytes, std::size_t size) {
  constexpr std::string_view exif("Exif\0\0", 6);
  constexpr std::size_t first = exif.size(), entry = 12;
  if (size < first + 8 || !std::equal(exif.begin(), exif.end(), bytes,
                                      [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; }))
    return 1;
  const bool little = bytes[first] == 'I';
  const auto number = [&](std::size_t at, std::size_t count) {  // 0 beyond the end
    std::size_t value = 0;
    for (std::size_t i = 0; i < count && at + count <= size; ++i)
      value = 256 * value + bytes[at + (little ? count - 1 - i : i)];
    return value;
  };
  const std::size_t directory = first + number(first + 4, 4), count = number(directory, 2);
  for (std::size_t i = 0; i < count; ++i) {
    constexpr std::size_t orientation = 0x0112;
    const std::size_t at = directory + 2 + entry * i;
    if (number(at, 2) == orientation) return static_cast<int>(number(at + 8, 2));
  }
  return 1;
}

}  // namespace program

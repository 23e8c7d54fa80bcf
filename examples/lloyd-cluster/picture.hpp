// SPDX-License-Identifier: MIT
// Pictures of PNG and JPEG files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "format.hpp"

namespace program {

/// Rows of pixels from the top, each of red, green, blue and opacity from 0 to 255.
struct Picture {
  std::size_t width = 0, height = 0;
  std::vector<std::uint8_t> rgba;

  [[nodiscard]] std::size_t pixels() const { return width * height; }
};

/// More pixels than this are refused before there is memory for them.
inline constexpr std::size_t most_pixels = std::size_t{1} << 28;

/// Refuses where the program was built without the library that the format needs.
void require_png();
void require_jpeg();

/// Takes the bytes of a file. @throws std::runtime_error in the name of the file for what is damaged or too large
[[nodiscard]] Picture read_png(const std::string& bytes, const std::string& file);
[[nodiscard]] Picture read_jpeg(const std::string& bytes, const std::string& file);

/// The bytes of a PNG file: of the picture, or of a palette of at most 256 colours (red, green, blue) and an index a
/// pixel.
[[nodiscard]] std::string png_bytes(const Picture& picture);
[[nodiscard]] std::string png_bytes(std::size_t width, std::size_t height, const std::vector<std::uint8_t>& indices,
                                    const std::vector<std::uint8_t>& palette);

/// Turns a picture as the camera's note of its position (1 to 8, TIFF's Orientation) wants it shown.
[[nodiscard]] Picture upright(Picture picture, int orientation);

/// That note in the Exif segment of a JPEG file; 1, which is upright, where there is none.
[[nodiscard]] int exif_orientation(const std::uint8_t* bytes, std::size_t size);

}  // namespace program

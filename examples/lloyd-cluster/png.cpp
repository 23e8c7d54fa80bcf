// SPDX-License-Identifier: MIT
// PNG by libpng's simplified interface.
#include <png.h>

#include "errors.hpp"
#include "picture.hpp"

namespace program {
namespace {

/// The state of libpng, freed in any case.
struct Image : png_image {
  Image() : png_image{} { version = PNG_IMAGE_VERSION; }
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;
  ~Image() { png_image_free(this); }
};

std::string written(Image& image, const std::uint8_t* pixels, const std::uint8_t* palette) {
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string bytes(size, '\0');
  if (png_image_write_to_memory(&image, bytes.data(), &size, 0, pixels, 0, palette) == 0)
    refuse("the picture cannot be written: ", image.message);
  bytes.resize(size);
  return bytes;
}

}  // namespace

void require_png() {}

Picture read_png(const std::string& bytes, const std::string& file) {
  Image image;
  if (png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()) == 0) refuse(file, ": ", image.message);
  image.format = PNG_FORMAT_RGBA;
  image.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;  // libpng would take 16 bits without a note of their gamma for linear
  Picture picture{image.width, image.height, {}};
  if (picture.pixels() > most_pixels)
    refuse(file, " has ", picture.pixels(), " pixels, expected at most ", most_pixels);
  picture.rgba.resize(PNG_IMAGE_SIZE(image));
  if (png_image_finish_read(&image, nullptr, picture.rgba.data(), 0, nullptr) == 0) refuse(file, ": ", image.message);
  return picture;
}

std::string png_bytes(const Picture& picture) {
  Image image;
  image.width = static_cast<png_uint_32>(picture.width);
  image.height = static_cast<png_uint_32>(picture.height);
  image.format = PNG_FORMAT_RGBA;
  return written(image, picture.rgba.data(), nullptr);
}

std::string png_bytes(std::size_t width, std::size_t height, const std::vector<std::uint8_t>& indices,
                      const std::vector<std::uint8_t>& palette) {
  Image image;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = PNG_FORMAT_RGB_COLORMAP;
  image.colormap_entries = static_cast<png_uint_32>(palette.size() / 3);
  return written(image, indices.data(), palette.data());
}

}  // namespace program

// SPDX-License-Identifier: MIT
// JPEG by libjpeg, which leaves by longjmp where it fails: no object that must be destroyed lives in decode().
#include <cstdio>
// libjpeg wants stdio before it.
#include <jerror.h>
#include <jpeglib.h>

#include <array>
#include <csetjmp>

#include "errors.hpp"
#include "picture.hpp"

namespace program {
namespace {

struct Decoder {
  jpeg_decompress_struct info{};
  jpeg_error_mgr errors{};
  std::jmp_buf failed{};
  std::array<char, JMSG_LENGTH_MAX> message{};  // why the file is damaged; empty: it is not

  Decoder() {
    info.err = jpeg_std_error(&errors);
    info.client_data = this;
    errors.error_exit = [](j_common_ptr common) {
      note(common);
      std::longjmp(static_cast<Decoder*>(common->client_data)->failed, 1);
    };
    errors.emit_message = [](j_common_ptr common, int level) {  // warnings, which the library would print
      const int code = common->err->msg_code;
      const bool harmless = code == JWRN_EXTRANEOUS_DATA || code == JWRN_JFIF_MAJOR || code == JWRN_ADOBE_XFORM;
      if (level < 0 && !harmless) note(common);
    };
  }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  ~Decoder() { jpeg_destroy_decompress(&info); }

  static void note(j_common_ptr common) {
    common->err->format_message(common, static_cast<Decoder*>(common->client_data)->message.data());
  }
};

/// Fills `picture`, or leaves a message.
void decode(Decoder& decoder, const std::string& bytes, Picture& picture, int& orientation) {
  jpeg_decompress_struct& info = decoder.info;
  if (setjmp(decoder.failed) != 0) return;
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  jpeg_save_markers(&info, JPEG_APP0 + 1, 0xffff);
  static_cast<void>(jpeg_read_header(&info, TRUE));
  for (auto* marker = info.marker_list; marker != nullptr; marker = marker->next)
    if (orientation == 1) orientation = exif_orientation(marker->data, marker->data_length);
  if (info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK) {
    decoder.message = {"its colours are CMYK (for print), expected RGB or grey: convert the picture first"};
    return;
  }
  info.out_color_space = JCS_RGB;
  static_cast<void>(jpeg_start_decompress(&info));
  picture.width = info.output_width;
  picture.height = info.output_height;
  if (picture.pixels() > most_pixels) return;
  picture.rgba.resize(4 * picture.pixels());
  while (info.output_scanline < info.output_height) {
    std::uint8_t* const row = picture.rgba.data() + 4 * picture.width * info.output_scanline;
    std::uint8_t* rows[] = {row};
    static_cast<void>(jpeg_read_scanlines(&info, rows, 1));
    for (std::size_t i = picture.width; i-- > 0;) {  // from the end: pixels of three bytes become such of four in place
      row[4 * i + 3] = 255;
      for (std::size_t c = 3; c-- > 0;) row[4 * i + c] = row[3 * i + c];
    }
  }
  static_cast<void>(jpeg_finish_decompress(&info));
}

}  // namespace

void require_jpeg() {}

Picture read_jpeg(const std::string& bytes, const std::string& file) {
  Decoder decoder;
  Picture picture;
  int orientation = 1;
  decode(decoder, bytes, picture, orientation);
  if (decoder.message[0] != '\0') refuse(file, ": ", decoder.message.data());
  if (picture.pixels() > most_pixels)
    refuse(file, " has ", picture.pixels(), " pixels, expected at most ", most_pixels);
  return upright(std::move(picture), orientation);
}

}  // namespace program

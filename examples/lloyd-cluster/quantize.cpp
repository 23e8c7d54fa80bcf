// SPDX-License-Identifier: MIT
// lloyd-cluster quantize: a picture in k colours. The rows are its distinct colours, the weights how many pixels have
// each: a weight is a repetition, so from the same starting colours the result is that of all pixels, bit for bit.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "clustering.hpp"
#include "commands.hpp"
#include "engine.hpp"
#include "errors.hpp"
#include "outputs.hpp"
#include "picture.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "stopwatch.hpp"

namespace program {
namespace {

using lloyd::Index;

constexpr std::size_t all_colours = std::size_t{1} << 24;

std::size_t colour_of(const std::uint8_t* pixel) {
  return static_cast<std::size_t>(pixel[0]) << 16 | static_cast<std::size_t>(pixel[1]) << 8 | pixel[2];
}

Picture read_picture(const fs::path& path) {
  const Format format = format_of(path, {Format::png, Format::jpeg});
  if (format == Format::jpeg) require_jpeg();
  const lloyd::detail::Origin origin{"read", path.string()};
  auto in = lloyd::detail::open_to_read(path, origin);
  const std::string bytes = lloyd::detail::read_all(in, origin);
  return format == Format::png ? read_png(bytes, origin.name) : read_jpeg(bytes, origin.name);
}

/// A number for each colour that there is.
using ByColour = std::vector<std::uint32_t>;

/// The distinct colours in ascending order and how many pixels have each; pixels that cannot be seen do not count.
Table<float> colours_of(const Picture& picture, ByColour& counts) {
  std::size_t distinct = 0;
  for (std::size_t i = 0; i < picture.pixels(); ++i) {
    const std::uint8_t* const pixel = picture.rgba.data() + 4 * i;
    if (pixel[3] != 0 && counts[colour_of(pixel)]++ == 0) ++distinct;
  }
  Table<float> table{lloyd::Matrix<float>(distinct, 3), {"red", "green", "blue"}, {1, 2, 3}, {}, 0};
  float* row = table.x.data();
  for (std::size_t colour = 0; colour < all_colours; ++colour) {
    if (counts[colour] == 0) continue;
    for (const std::size_t shift : {16U, 8U, 0U}) *row++ = static_cast<float>(colour >> shift & 255U);
    table.weights.push_back(counts[colour]);
  }
  return table;
}

/// The colours of a picture in k, from the one that most pixels have.
struct Palette {
  std::vector<std::size_t> clusters;  // of each place
  std::vector<std::uint8_t> rgb;      // three values a place, rounded

  [[nodiscard]] std::string hex(std::size_t place) const {
    constexpr std::string_view digit = "0123456789abcdef";
    std::string text = "#";
    for (std::size_t c = 0; c < 3; ++c)
      text.append(1, digit[rgb[3 * place + c] / 16U]).append(1, digit[rgb[3 * place + c] % 16U]);
    return text;
  }
};

Palette palette_of(const lloyd::Clustering<float>& result) {
  Palette palette;
  palette.clusters.resize(result.cluster_weights.size());
  std::iota(palette.clusters.begin(), palette.clusters.end(), std::size_t{0});
  std::stable_sort(palette.clusters.begin(), palette.clusters.end(),
                   [&](std::size_t a, std::size_t b) { return result.cluster_weights[a] > result.cluster_weights[b]; });
  for (const std::size_t cluster : palette.clusters)
    for (Index c = 0; c < 3; ++c)
      palette.rgb.push_back(static_cast<std::uint8_t>(
          std::clamp(std::rint(result.centroids(static_cast<Index>(cluster), c)), 0.0F, 255.0F)));
  return palette;
}

/// The bytes of the picture in these colours: by a palette where the format has room for it.
std::string recoloured(Picture picture, const Table<float>& colours, const std::vector<lloyd::Label>& labels,
                       const Palette& palette, ByColour& place_of_colour) {
  std::vector<std::uint32_t> place_of_cluster(palette.clusters.size());
  for (std::size_t place = 0; place < palette.clusters.size(); ++place)
    place_of_cluster[palette.clusters[place]] = static_cast<std::uint32_t>(place);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const float* const rgb = colours.x.row(static_cast<Index>(i));
    const std::array<std::uint8_t, 3> bytes = {static_cast<std::uint8_t>(rgb[0]), static_cast<std::uint8_t>(rgb[1]),
                                               static_cast<std::uint8_t>(rgb[2])};
    place_of_colour[colour_of(bytes.data())] = place_of_cluster[static_cast<std::size_t>(labels[i])];
  }
  constexpr std::size_t most_places = 256;
  std::vector<std::uint8_t> places;
  bool opaque = true;
  for (std::size_t i = 0; i < picture.pixels(); ++i) {
    std::uint8_t* const pixel = picture.rgba.data() + 4 * i;
    const std::size_t place = pixel[3] == 0 ? 0 : place_of_colour[colour_of(pixel)];
    std::copy_n(palette.rgb.data() + 3 * place, 3, pixel);
    opaque = opaque && pixel[3] == 255;
    if (palette.clusters.size() <= most_places) places.push_back(static_cast<std::uint8_t>(place));
  }
  return opaque && !places.empty() ? png_bytes(picture.width, picture.height, places, palette.rgb) : png_bytes(picture);
}

void print_table(const Palette& palette, const lloyd::Clustering<float>& result, const Summary& summary) {
  const double all = std::reduce(result.cluster_weights.begin(), result.cluster_weights.end());
  std::vector<std::vector<std::string>> rows = {{"colour", "red", "green", "blue", "pixels", "share %", "inertia"}};
  for (std::size_t place = 0; place < palette.clusters.size(); ++place) {
    const std::size_t cluster = palette.clusters[place];
    auto& row = rows.emplace_back();
    row.push_back(palette.hex(place));
    for (std::size_t c = 0; c < 3; ++c) row.push_back(std::to_string(palette.rgb[3 * place + c]));
    row.push_back(digits(result.cluster_weights[cluster], std::chars_format::fixed, 0));
    row.push_back(digits(100 * result.cluster_weights[cluster] / all, std::chars_format::fixed, 1));
    row.push_back(shown(summary.inertias[cluster]));
  }
  print_cells(rows);
}

void print_json(const QuantizeArguments& arguments, const Picture& picture, const Table<float>& colours,
                const Palette& palette, const lloyd::Clustering<float>& result, const Stopwatch& watch) {
  Json json;
  json.open('{').member("command", "quantize").member("input", arguments.input.string());
  json.member("output", arguments.output.string()).member("width", picture.width).member("height", picture.height);
  json.member("colours", colours.x.rows()).member("k", result.centroids.rows());
  json.member("seed", arguments.engine.options.seed);
  print_result(json, result);
  json.key("palette").open('[');
  for (std::size_t place = 0; place < palette.clusters.size(); ++place) {
    const auto cluster = static_cast<Index>(palette.clusters[place]);
    json.open('{').member("colour", palette.hex(place));
    json.member("pixels", result.cluster_weights[palette.clusters[place]]);
    json.member("mean", std::vector<float>(result.centroids.row(cluster), result.centroids.row(cluster) + 3));
    json.close('}');
  }
  json.close(']');
  watch.print(json);
  print_end(json.close('}').text());
}

}  // namespace

void run(const QuantizeArguments& given) {
  QuantizeArguments arguments = given;
  require_png();
  Outputs outputs({arguments.input, arguments.start});
  outputs.promise("output", arguments.output, {Format::png});
  outputs.promise("--centroids", arguments.centroids, {Format::csv, Format::tsv, Format::npy, Format::fvecs});
  Stopwatch watch;
  Progress progress;
  progress.say(lloyd::detail::text("reading ", arguments.input.string()));
  const Picture picture = read_picture(arguments.input);
  ByColour by_colour(all_colours);
  const auto colours = colours_of(picture, by_colour);
  std::optional<Model<float>> start;
  if (!arguments.start.empty())
    start = check_start(read_model<float>(arguments.start, {}, Role::colours), arguments.engine, 3);
  if (arguments.engine.options.n_clusters > colours.x.rows()) {
    refuse("-k/--n-clusters: ", arguments.engine.options.n_clusters, ", but \"", arguments.input.string(),
           "\" has only ", counted(colours.x.rows(), "colour"));
  }
  watch.lap("read");
  progress.expect("", arguments.engine.options.n_init);
  const auto result = cluster(arguments.engine, colours, std::move(start), {}, progress);
  const double seconds = watch.lap("fit");
  const auto nearest = Engine<float>::assign(arguments.engine, result.centroids.view(), colours.x.view());
  const auto summary = summarize(nearest.labels, nearest.distances, colours.weights, result.centroids.rows());
  const Palette palette = palette_of(result);
  watch.lap("summarize");
  outputs.open(arguments.output).write(recoloured(picture, colours, result.labels, palette, by_colour));
  if (!arguments.centroids.empty()) write_matrix(outputs, arguments.centroids, result.centroids, colours.names);
  outputs.commit();
  watch.lap("write");

  progress.clear();
  if (arguments.json) return print_json(arguments, picture, colours, palette, result, watch);
  print_table(palette, result, summary);
  print_end(lloyd::detail::text(picture.width, " x ", picture.height, " pixels of ", colours.x.rows(),
                                " colours, now of ", result.centroids.rows(), "; inertia ",
                                digits(result.inertia, std::chars_format::general, 9), ", ",
                                end_of_fit(result, seconds)));
}

}  // namespace program

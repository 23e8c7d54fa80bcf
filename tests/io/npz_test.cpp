// SPDX-License-Identifier: MIT
#include "lloyd/npz.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "io/files.hpp"
#include "io/pipe.hpp"

namespace lloyd::test {
namespace {

/// Written by NumPy: see the README.md there.
const std::filesystem::path fixtures = std::filesystem::path(LLOYD_TEST_DATA) / "../../tests/data";

const std::string who = "lloyd::read_npz: stream: ";

Npz parse(const std::string& file) {
  std::istringstream in(file);
  return read_npz(in);
}

std::string error(const std::string& file) {
  return refusal<BackendError>([&] { static_cast<void>(parse(file)); });
}

/// The file that write_npz makes of some arrays.
std::string written(const Npz& arrays) {
  TemporaryDirectory directory;
  write_npz(directory / "x.npz", arrays);
  EXPECT_EQ(directory.entries(), 1) << "nothing is left beside it";
  return read_file(directory / "x.npz");
}

Npz example() {
  Npz arrays;
  arrays.add("centroids", read_npy<float>(fixtures / "float32_v1.npy"));
  arrays.add("mean", std::vector<double>{0.1, 2, 3});
  arrays.add("names", std::vector<std::string>{"a", "bcd", ""});
  arrays.add("sizes", std::vector<Index>{0, 1, 2});
  return arrays;
}

/// `file` with the bytes from `at` on replaced.
std::string replaced(std::string file, std::size_t at, const std::string& bytes) {
  return file.replace(at, bytes.size(), bytes);
}

TEST(Npz, ReadsWhatNumpyWrote) {
  const Npz arrays = read_npz(fixtures / "savez.npz");
  EXPECT_EQ(arrays.matrix<float>("centroids"), read_npy<float>(fixtures / "float32_v1.npy"));
  EXPECT_EQ(arrays.matrix<double>("mean")(0, 0), 0.1);
  EXPECT_EQ(arrays.matrix<double>("mean").rows(), 3);
  EXPECT_EQ(arrays.texts("names"), (std::vector<std::string>{"a", "bcd", ""}));
  EXPECT_EQ(arrays.scalar("centroids"), NpyScalar::float32);
  EXPECT_EQ(arrays.scalar("mean"), NpyScalar::float64);
  EXPECT_TRUE(arrays.contains("sizes"));
  EXPECT_FALSE(arrays.contains("size"));
  Pipe pipe(read_file(fixtures / "savez.npz"));
  EXPECT_EQ(read_npz(pipe).texts("names").size(), 3U);
}

TEST(Npz, WritesTheArraysThatNumpyWrote) {
  const auto ours = example().members(), numpys = read_npz(fixtures / "savez.npz").members();
  ASSERT_EQ(ours.size(), numpys.size());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    EXPECT_EQ(ours[i].name, numpys[i].name);
    EXPECT_EQ(ours[i].bytes, numpys[i].bytes) << ours[i].name;
  }
}

TEST(Npz, ReadsWhatItWrote) {
  const std::string file = written(example());
  EXPECT_EQ(written(example()), file) << "equal arrays are equal files";
  const auto ours = example().members(), read = parse(file).members();
  ASSERT_EQ(ours.size(), read.size());
  for (std::size_t i = 0; i < ours.size(); ++i) EXPECT_EQ(ours[i].bytes, read[i].bytes);
  EXPECT_FALSE(parse(written({})).contains("centroids")) << "no array at all";
  Npz more = example();
  more.add("inertia", 1.5);
  more.add("labels", std::vector<Label>{1, -1});
  const std::vector<double> strided = {1, 2, 0, 3, 4, 0};
  more.add("strided", MatrixView(strided, 2, 2, 3));
  const Npz again = parse(written(more));
  EXPECT_EQ(again.matrix<double>("strided")(1, 1), 4);
  EXPECT_NE(refusal<BackendError>([&] { static_cast<void>(again.matrix<double>("inertia")); }), "");
  EXPECT_NE(refusal<BackendError>([&] { static_cast<void>(again.scalar("labels")); }), "");
}

TEST(Npz, SaysWhatAnArrayIs) {
  const Npz arrays = read_npz(fixtures / "savez.npz");
  const std::string file = "lloyd::read_npz: " + (fixtures / "savez.npz").string();
  EXPECT_EQ(refusal<BackendError>([&] { static_cast<void>(arrays.matrix("scale")); }),
            file + ": has no array \"scale\", only centroids, mean, names, sizes");
  EXPECT_EQ(refusal<BackendError>([] { static_cast<void>(Npz().matrix("scale")); }),
            "lloyd::Npz: arrays: has no array \"scale\"");
  EXPECT_EQ(refusal<BackendError>([&] { static_cast<void>(arrays.scalar("sizes")); }),
            file + ": sizes: holds integers, expected float32 or float64: numpy.save(path, x.astype(numpy.float32))");
  EXPECT_EQ(refusal<BackendError>([&] { static_cast<void>(arrays.texts("mean")); }),
            file + ": mean: holds float64 of shape (3,), expected a vector of texts: numpy.array(names, dtype=\"S\")");
  EXPECT_EQ(refusal<InvalidArgument>([] { example().add("mean", 1); }), "lloyd::Npz::add: \"mean\" is there already");
  EXPECT_EQ(refusal<InvalidArgument>([] { Npz().add("", 1); }), "lloyd::Npz::add: a name is empty");
}

TEST(Npz, RefusesCompressedArrays) {
  const auto path = fixtures / "compressed.npz";
  EXPECT_EQ(refusal<BackendError>([&] { static_cast<void>(read_npz(path)); }),
            "lloyd::read_npz: " + path.string() +
                ": \"centroids.npy\" is compressed, expected numpy.savez, which stores arrays as they are");
}

TEST(Npz, RefusesWhatIsNoSuchFile) {
  EXPECT_EQ(error(""), who + "the file is empty, expected a .npz file");
  EXPECT_EQ(error("a,b\n1,2\n"), who + "begins with \"a,b\\x0a1,2\\x0a\", expected \"PK\\x03\\x04\" of a .npz file");
  EXPECT_EQ(error(read_file(fixtures / "float32_v1.npy")).substr(0, who.size() + 22), who + "begins with \"\\x93NUMPY");
  TemporaryDirectory directory;
  EXPECT_EQ(refusal<BackendError>([] { static_cast<void>(read_npz("nowhere.npz")); }),
            "lloyd::read_npz: nowhere.npz: no such file");
  EXPECT_NE(refusal<BackendError>([&] { write_npz(directory / "none/x.npz", example()); }), "");
  EXPECT_EQ(directory.entries(), 0);
}

TEST(Npz, RefusesDamage) {
  const std::string file = written(example());
  const std::size_t directory = file.find("PK\1\2"), end = file.find("PK\5\6");
  EXPECT_EQ(error(replaced(file, 30 + 13 + 128, "x")), who + "\"centroids.npy\" is damaged: its checksum differs");
  EXPECT_EQ(error(replaced(file, directory, "x")), who + "the directory of the archive is damaged or cut off");
  EXPECT_EQ(error(replaced(file, directory + 8, "\1")), who + "\"centroids.npy\" is encrypted");
  EXPECT_EQ(error(replaced(file, directory + 24, std::string("\0\0\0\1", 4))),
            who + "\"centroids.npy\" is cut off: needs 16777216 bytes, found " + std::to_string(file.size() - 43));
  EXPECT_EQ(error(replaced(file, directory + 24, "\xff\xff\xff\xff")),
            who + "\"centroids.npy\" is 4 GiB or larger, which is not read");
  EXPECT_EQ(error(replaced(file, end + 10, "\xff\xff")), who + "is a ZIP64 archive, which is not read");
  EXPECT_EQ(error(replaced(file, end + 10, "\5")), who + "the directory of the archive is damaged or cut off");
  EXPECT_EQ(error(replaced(file, end + 16, "x")), who + "the directory of the archive is damaged or cut off");
  EXPECT_EQ(error(file.substr(0, file.size() - 1)), who + "the end of the archive is damaged or cut off");
  const std::string comment = file.substr(0, file.size() - 2) + std::string("\3\0abc", 5);
  EXPECT_EQ(parse(comment).members().size(), 4U) << "an archive may end with a comment";
}

TEST(Npz, RefusesANameThatIsThereTwice) {
  Npz arrays;
  arrays.add("a", 1);
  arrays.add("b", 2);
  std::string file = written(arrays);
  for (std::size_t at = file.find("b.npy"); at != std::string::npos; at = file.find("b.npy")) file[at] = 'a';
  EXPECT_EQ(error(file), who + "\"a.npy\" is there twice");
}

TEST(Npz, CutOffAtEveryByteAndDamagedAtEveryByte) {
  Npz arrays;
  arrays.add("c", read_npy<float>(fixtures / "float32_v1.npy"));
  arrays.add("names", std::vector<std::string>{"a", "bcd"});
  const std::string whole = written(arrays);
  for (std::size_t size = 0; size < whole.size(); ++size) EXPECT_NE(error(whole.substr(0, size)), "") << size;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char value : {'\0', '\1', 'x', '\x7f', '\xff'}) {
      try {
        const Npz read = parse(replaced(whole, at, {value}));
        if (read.contains("c")) static_cast<void>(read.matrix("c"));
        if (read.contains("names")) static_cast<void>(read.texts("names"));
      } catch (const BackendError&) {
        continue;  // a refusal is fine, anything else ends the test
      }
    }
  }
}

}  // namespace
}  // namespace lloyd::test

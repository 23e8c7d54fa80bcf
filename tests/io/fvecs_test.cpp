// SPDX-License-Identifier: MIT
#include "lloyd/fvecs.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "io/files.hpp"
#include "io/pipe.hpp"

namespace lloyd::test {
namespace {

const std::string who = "lloyd::read_fvecs: stream: ";

template <class V>
std::string bytes(const std::vector<V>& values) {
  std::string out(values.size() * sizeof(V), '\0');
  if (!values.empty()) std::memcpy(out.data(), values.data(), out.size());
  return out;
}

/// A vector that says it has dimension d.
std::string fvec(std::int32_t d, const std::vector<float>& values) {
  return bytes(std::vector<std::int32_t>{d}) + bytes(values);
}

Matrix<float> parse(const std::string& file) {
  std::istringstream in(file);
  return read_fvecs(in);
}

/// The text of the refusal, which a stream that cannot seek must give too.
std::string error(const std::string& file) {
  const std::string message = refusal<BackendError>([&] { static_cast<void>(parse(file)); });
  Pipe pipe(file);
  EXPECT_EQ(refusal<BackendError>([&] { static_cast<void>(read_fvecs(pipe)); }), message);
  return message;
}

TEST(Fvecs, ReadsVectorsAsRows) {
  const std::string file = fvec(3, {1.5F, -2, 3e38F}) + fvec(3, {0.1F, 1e-45F, -0.0F});
  const auto x = parse(file);
  ASSERT_EQ(x.rows(), 2);
  ASSERT_EQ(x.cols(), 3);
  EXPECT_EQ(bytes(std::vector<float>(x.row(0), x.row(0) + 6)), file.substr(4, 12) + file.substr(20, 12));
  Pipe pipe(file);
  EXPECT_EQ(read_fvecs(pipe), x);
}

TEST(Fvecs, WritesWhatItReads) {
  TemporaryDirectory directory;
  for (const Index rows : {1, 3, 5000}) {
    for (const Index cols : {1, 7, 1000}) {
      Matrix<float> x(rows, cols);
      for (Index i = 0; i < rows * cols; ++i) x.data()[i] = static_cast<float>(i) / 3;
      write_fvecs(directory / "x.fvecs", x);
      EXPECT_EQ(read_fvecs(directory / "x.fvecs"), x) << rows << " x " << cols;
      Pipe pipe(read_file(directory / "x.fvecs"));
      EXPECT_EQ(read_fvecs(pipe), x) << rows << " x " << cols;
    }
  }
  const std::vector<float> strided = {1, 2, 0, 3, 4, 0};
  write_fvecs(directory / "x.fvecs", MatrixView(strided, 2, 2, 3));
  EXPECT_EQ(read_file(directory / "x.fvecs"), fvec(2, {1, 2}) + fvec(2, {3, 4}));
  EXPECT_EQ(directory.entries(), 1) << "nothing is left beside it";
}

TEST(Fvecs, VectorsLongerThanABlock) {
  const std::vector<float> values(300000, 1.5F);
  const std::string file = fvec(300000, values) + fvec(300000, values);
  EXPECT_EQ(parse(file).rows(), 2);
  EXPECT_EQ(error(file.substr(0, file.size() - 1)), who + "vector 2 is cut off: needs 1200000 bytes, found 1199999");
}

TEST(Fvecs, RefusesWhatIsNoSuchFile) {
  EXPECT_EQ(error(""), who + "the file is empty, expected a .fvecs file");
  EXPECT_EQ(error("ab"), who + "vector 1 is cut off within its dimension");
  EXPECT_EQ(error("a,b\n1,2\n"),
            who + "vector 1 has dimension 174206049, expected 1 to 16777216 (is it a .fvecs file?)");
  EXPECT_EQ(error(fvec(0, {})), who + "vector 1 has dimension 0, expected 1 to 16777216 (is it a .fvecs file?)");
  EXPECT_EQ(error(fvec(-1, {1})), who + "vector 1 has dimension -1, expected 1 to 16777216 (is it a .fvecs file?)");
  EXPECT_EQ(error(fvec(16777216, {1})), who + "vector 1 is cut off: needs 67108864 bytes, found 4");
  EXPECT_EQ(error(fvec(2, {1, 2}) + fvec(3, {1, 2})), who + "vector 2 has dimension 3, expected 2 as vector 1 has");
}

TEST(Fvecs, CutOffAtEveryByte) {
  const std::string whole = fvec(2, {1, 2}) + fvec(2, {3, 4});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    if (size == 12) continue;  // a file of one vector
    EXPECT_NE(error(whole.substr(0, size)), "") << size;
  }
  EXPECT_EQ(parse(whole.substr(0, 12)).rows(), 1);
  EXPECT_EQ(error(whole.substr(0, 14)), who + "vector 2 is cut off within its dimension");
  EXPECT_EQ(error(whole.substr(0, 23)), who + "vector 2 is cut off: needs 8 bytes, found 7");
}

TEST(Fvecs, RefusesFilesThatCannotBeReadOrWritten) {
  TemporaryDirectory directory;
  EXPECT_EQ(refusal<BackendError>([] { static_cast<void>(read_fvecs("nowhere.fvecs")); }),
            "lloyd::read_fvecs: nowhere.fvecs: no such file");
  const auto target = directory / "none/x.fvecs";
  EXPECT_EQ(refusal<BackendError>([&] { write_fvecs(target, Matrix<float>(1, 1)); }),
            "lloyd::write_fvecs: " + target.string() + ": cannot be written: No such file or directory");
  EXPECT_EQ(refusal<InvalidArgument>([&] { write_fvecs(directory / "x.fvecs", Matrix<float>(1, 0)); }),
            "lloyd::write_fvecs: 0 columns, expected 1 to 16777216");
  EXPECT_EQ(directory.entries(), 0);
}

}  // namespace
}  // namespace lloyd::test

// SPDX-License-Identifier: MIT
#include "lloyd/npy.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "io/files.hpp"
#include "io/pipe.hpp"

namespace lloyd::test {
namespace {

/// Written by NumPy: see the README.md there.
const std::filesystem::path fixtures = std::filesystem::path(LLOYD_TEST_DATA) / "../../tests/data";

const std::string who = "lloyd::read_npy: stream: ";

/// A version 1 file with this dictionary, whatever it says.
std::string npy(const std::string& dictionary, std::size_t bytes_of_values = 0) {
  std::string bytes = "\x93NUMPY";
  bytes += {'\1', '\0', static_cast<char>(dictionary.size() % 256), static_cast<char>(dictionary.size() / 256)};
  return bytes + dictionary + std::string(bytes_of_values, '\0');
}

std::string header(const std::string& descr, const std::string& shape, const std::string& fortran = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n";
}

template <Real T = float>
Matrix<T> parse(const std::string& bytes) {
  std::istringstream in(bytes);
  return read_npy<T>(in);
}

/// The text of the refusal; a stream that cannot seek must be refused too (its text may have another count of bytes).
template <Real T = float>
std::string error(const std::string& bytes) {
  const std::string message = refusal<BackendError>([&] { static_cast<void>(parse<T>(bytes)); });
  Pipe pipe(bytes);
  EXPECT_NE(refusal<BackendError>([&] { static_cast<void>(read_npy<T>(pipe)); }), "") << message;
  return message;
}

template <Real T>
Matrix<T> expected() {
  Matrix<T> x(2, 3);
  x(0, 0) = T(1.5), x(0, 1) = T(-2), x(0, 2) = std::is_same_v<T, float> ? T(3e38F) : T(1e308);
  x(1, 0) = std::is_same_v<T, float> ? T(0.1F) : T(0.1), x(1, 1) = std::numeric_limits<T>::denorm_min();
  x(1, 2) = T(-0.0);
  return x;
}

TEST(Npy, ReadsWhatNumpyWrote) {
  EXPECT_EQ(read_npy<float>(fixtures / "float32_v1.npy"), expected<float>());
  EXPECT_EQ(read_npy<float>(fixtures / "float32_v3.npy"), expected<float>());
  EXPECT_EQ(read_npy<double>(fixtures / "float64_v2.npy"), expected<double>());
  EXPECT_TRUE(std::signbit(read_npy<float>(fixtures / "float32_v1.npy")(1, 2)));
  const auto column = read_npy<double>(fixtures / "float64_vector.npy");
  EXPECT_EQ(column.rows(), 3);
  EXPECT_EQ(column.cols(), 1);
  EXPECT_EQ(column(0, 0), 0.1);
  Pipe pipe(read_file(fixtures / "float64_v2.npy"));
  EXPECT_EQ(read_npy<double>(pipe), expected<double>());
}

TEST(Npy, WritesWhatNumpyWrites) {
  TemporaryDirectory directory;
  write_npy(directory / "x.npy", expected<float>());
  EXPECT_EQ(read_file(directory / "x.npy"), read_file(fixtures / "float32_v1.npy"));
  write_npy(directory / "x.npy", expected<double>());
  EXPECT_EQ(read_npy<double>(directory / "x.npy"), expected<double>());
  const std::vector<float> strided = {1, 2, 0, 3, 4, 0};
  write_npy(directory / "x.npy", MatrixView(strided, 2, 2, 3));
  EXPECT_EQ(read_npy(directory / "x.npy")(1, 1), 4);
  write_npy(directory / "labels.npy", std::vector<Label>{0, 7, -1});
  const std::string labels = read_file(directory / "labels.npy");
  EXPECT_EQ(labels.size(), 128 + 12U);
  EXPECT_NE(labels.find("{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }"), std::string::npos);
  Label last = 0;
  std::memcpy(&last, labels.data() + 136, sizeof last);
  EXPECT_EQ(last, -1);
  EXPECT_EQ(directory.entries(), 2) << "nothing is left beside them";
}

TEST(Npy, RoundTripsOfEveryShape) {
  TemporaryDirectory directory;
  for (const Index rows : {0, 1, 3, 1000}) {
    for (const Index cols : {0, 1, 7, 1000}) {
      Matrix<double> x(rows, cols);
      for (Index i = 0; i < rows * cols; ++i) x.data()[i] = static_cast<double>(i) / 3;
      write_npy(directory / "x.npy", x);
      EXPECT_EQ(read_npy<double>(directory / "x.npy"), x) << rows << " x " << cols;
      Pipe pipe(read_file(directory / "x.npy"));
      EXPECT_EQ(read_npy<double>(pipe), x) << rows << " x " << cols;
    }
  }
}

TEST(Npy, SaysWhatAFileHolds) {
  EXPECT_EQ(npy_scalar(fixtures / "float32_v3.npy"), NpyScalar::float32);
  EXPECT_EQ(npy_scalar(fixtures / "float64_fortran.npy"), NpyScalar::float64);
  const auto file = fixtures / "int64.npy";
  EXPECT_EQ(refusal<BackendError>([&] { static_cast<void>(npy_scalar(file)); }),
            "lloyd::npy_scalar: " + file.string() +
                ": holds integers, expected float32 or float64: numpy.save(path, x.astype(numpy.float32))");
}

TEST(Npy, RefusesFortranOrderOnlyWhereItMatters) {
  const auto file = fixtures / "float64_fortran.npy";
  EXPECT_EQ(refusal<BackendError>([&] { static_cast<void>(read_npy<double>(file)); }),
            "lloyd::read_npy: " + file.string() +
                ": is in Fortran order, expected C order: numpy.save(path, numpy.ascontiguousarray(x))");
  EXPECT_EQ(parse(npy(header("<f4", "(1, 3)", "True"), 12)).cols(), 3);
  EXPECT_EQ(parse(npy(header("<f4", "(3, 1)", "True"), 12)).rows(), 3);
}

TEST(Npy, RefusesOtherTypes) {
  EXPECT_EQ(
      error<float>(npy(header("<f8", "(1, 1)"), 8)),
      who + "holds float64, asked for float32: use read_npy<double>, or numpy.save(path, x.astype(numpy.float32))");
  EXPECT_EQ(
      error<double>(npy(header("<f4", "(1, 1)"), 4)),
      who + "holds float32, asked for float64: use read_npy<float>, or numpy.save(path, x.astype(numpy.float64))");
  const auto other = [](const std::string& held, const std::string& type = "float32") {
    return who + "holds " + held + ", expected float32 or float64: numpy.save(path, x.astype(numpy." + type + "))";
  };
  EXPECT_EQ(error(npy(header("<f2", "(1, 1)"), 2)), other("float16"));
  EXPECT_EQ(error(npy(header(">f4", "(1, 1)"), 4)), other("big-endian float32"));
  EXPECT_EQ(error(npy(header(">f8", "(1, 1)"), 8)), other("big-endian float64", "float64"));
  EXPECT_EQ(error(npy(header("<i8", "(1, 1)"), 8)), other("integers"));
  EXPECT_EQ(error(npy(header("|u1", "(1, 1)"), 1)), other("integers"));
  EXPECT_EQ(error(npy(header("|b1", "(1, 1)"), 1)), other("bool"));
  EXPECT_EQ(error(npy(header("|O", "(1, 1)"), 8)), other("Python objects"));
  EXPECT_EQ(error(npy(header("<U3", "(1, 1)"), 12)), other("texts"));
  EXPECT_EQ(error(npy(header("<c8", "(1, 1)"), 8)), other("complex numbers"));
  EXPECT_EQ(error(npy(header("<f16", "(1, 1)"), 16)), other("values of type \"<f16\""));
  EXPECT_EQ(error(npy(header("", "(1, 1)"), 16)), other("values of type \"\""));
  EXPECT_EQ(error(npy("{'descr': [('a', '<f4'), ('b', '<f4')], 'fortran_order': False, 'shape': (1,), }", 8)),
            who + "holds records of several fields, expected float32 or float64");
}

TEST(Npy, TakesTheMachinesOrderOfBytesWhereNoneIsSaid) {
  for (const std::string order : {"<", "=", "|", ""}) {
    EXPECT_EQ(parse<float>(npy(header(order + "f4", "(1, 2)"), 8)).cols(), 2) << order;
    EXPECT_EQ(parse<double>(npy(header(order + "f8", "(1, 2)"), 16)).cols(), 2) << order;
  }
}

TEST(Npy, RefusesOtherShapes) {
  EXPECT_EQ(error(npy(header("<f4", "()"), 4)),
            who + "has 0 dimensions (), expected 2: numpy.save(path, x.reshape(rows, columns))");
  EXPECT_EQ(error(npy(header("<f4", "(2, 3, 4)"), 96)),
            who + "has 3 dimensions (2, 3, 4), expected 2: numpy.save(path, x.reshape(rows, columns))");
  EXPECT_EQ(error(npy(header("<f4", "(4611686018427387904, 4)"))),
            who + "shape (4611686018427387904, 4) exceeds the address space");
  EXPECT_EQ(error(npy(header("<f4", "(4294967296, 4294967296)"))),
            who + "shape (4294967296, 4294967296) exceeds the address space");
  EXPECT_EQ(error(npy(header("<f4", "(9223372036854775808, 4)"))),
            who + "header: \"9223372036854775808, 4), }\\x0a\" at byte 51, expected a size below 2^63");
  EXPECT_EQ(error(npy(header("<f4", "(-1, 4)"))), who + "header: \"-1, 4), }\\x0a\" at byte 51, expected a size");
  EXPECT_EQ(error(npy(header("<f4", "(1000000000, 1000000000)"), 16)),
            who + "shape (1000000000, 1000000000) needs 4000000000000000000 bytes after the header, found 16");
  EXPECT_EQ(parse(npy(header("<f4", "(0, 4611686018427387904)"))).rows(), 0);
  EXPECT_EQ(parse(npy(header("<f4", "(2L, 3L)"), 24)).cols(), 3) << "as Python 2 wrote it";
}

TEST(Npy, RefusesHeadersThatAreNone) {
  EXPECT_EQ(error(""), who + "the file is empty, expected a .npy file");
  EXPECT_EQ(error("a,b\n1,2\n"), who + "begins with \"a,b\\x0a1,2\\x0a\", expected \"\\x93NUMPY\" of a .npy file");
  EXPECT_EQ(error("PK\3\4zipped.npz"),
            who + "begins with \"PK\\x03\\x04zipp\", expected \"\\x93NUMPY\" of a .npy file");
  EXPECT_EQ(error("\x93NUMPY\4" + std::string(10, '\0')),
            who + "is of version 4 of the .npy format, expected 1, 2 or 3");
  EXPECT_EQ(error(std::string("\x93NUMPY\2\0\0\0\1\0{}", 14)), who + "a header of 65536 bytes, expected at most 65535");
  EXPECT_EQ(error(npy("")), who + "header: \"\" at byte 0, expected '{'");
  EXPECT_EQ(error(npy("{}")), who + "header: one of 'descr', 'fortran_order' and 'shape' is missing");
  EXPECT_EQ(error(npy("{'descr': '<f4', }")), who + "header: one of 'descr', 'fortran_order' and 'shape' is missing");
  EXPECT_EQ(error(npy("{'descr': '<f4', 'descr': '<f4'}")), who + "header: key \"descr\" is unknown or comes twice");
  EXPECT_EQ(error(npy("{'order': 1}")), who + "header: key \"order\" is unknown or comes twice");
  EXPECT_EQ(error(npy("{'descr': 4}")), who + "header: \"4}\" at byte 10, expected a text in quotes");
  EXPECT_EQ(error(npy("{'descr': '<f4")), who + "header: \"'<f4\" at byte 10, expected a text in quotes");
  EXPECT_EQ(error(npy("{'descr' '<f4'}")), who + "header: \"'<f4'}\" at byte 9, expected ':'");
  EXPECT_EQ(error(npy("{'descr': '<f4' 'shape': ()}")),
            who + "header: \"'shape': ()}\" at byte 16, expected ',' or '}'");
  EXPECT_EQ(error(npy("{'fortran_order': 0}")), who + "header: \"0}\" at byte 18, expected True or False");
  EXPECT_EQ(error(npy("{'shape': 3}")), who + "header: \"3}\" at byte 10, expected '('");
  EXPECT_EQ(error(npy("{'shape': (3 4)}")), who + "header: \"4)}\" at byte 13, expected ',' or ')'");
  EXPECT_EQ(error(npy(header("<f4", "(1, 1)") + "{", 4)), who + "header: \"{\" at byte 60, expected its end");
  EXPECT_EQ(error(npy(header("<f4", "(1, 1)") + std::string(1, '\0'), 4)),
            who + "header: \"\\x00\" at byte 60, expected its end");
  EXPECT_EQ(parse(npy("{\"shape\":(1,1),\"fortran_order\":True,\"descr\":\"<f4\"}", 4)).rows(), 1)
      << "keys in another order, other quotes, no last comma";
}

TEST(Npy, CutOffAtEveryByte) {
  for (const char* name : {"float32_v1.npy", "float32_v3.npy"}) {
    const std::string whole = read_file(fixtures / name);
    ASSERT_EQ(whole.size(), 152U);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const std::string message = error(whole.substr(0, size));
      EXPECT_NE(message, "") << size;
      if (size >= 128) {
        EXPECT_EQ(message, who + "shape (2, 3) needs 24 bytes after the header, found " + std::to_string(size - 128));
      }
    }
    EXPECT_EQ(error(whole.substr(0, 4)), who + "the header is cut off after 4 bytes");
    EXPECT_EQ(error(whole.substr(0, 9)), who + "the header is cut off within its length");
    const std::size_t before = name == std::string("float32_v1.npy") ? 10 : 12;
    EXPECT_EQ(error(whole.substr(0, 100)), who + "the header is cut off: needs " + std::to_string(128 - before) +
                                               " bytes, found " + std::to_string(100 - before));
  }
}

TEST(Npy, RefusesBytesBeyondTheValues) {
  const std::string whole = read_file(fixtures / "float32_v1.npy");
  EXPECT_EQ(error(whole + "x"), who + "shape (2, 3) needs 24 bytes after the header, found 25");
  Pipe pipe(whole + "xyz");
  EXPECT_EQ(refusal<BackendError>([&] { static_cast<void>(read_npy(pipe)); }),
            who + "shape (2, 3) needs 24 bytes after the header, found 25 or more");
}

TEST(Npy, EveryByteMayBeDamaged) {
  const std::string whole = read_file(fixtures / "float32_v1.npy");
  for (std::size_t at = 0; at < 128; ++at) {
    for (int value = 0; value < 256; ++value) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(value);
      try {
        static_cast<void>(parse(damaged));
      } catch (const BackendError&) {
        continue;  // a refusal is fine, anything else ends the test
      }
    }
  }
}

TEST(Npy, RefusesFilesThatCannotBeReadOrWritten) {
  TemporaryDirectory directory;
  EXPECT_EQ(refusal<BackendError>([] { static_cast<void>(read_npy("nowhere.npy")); }),
            "lloyd::read_npy: nowhere.npy: no such file");
  EXPECT_EQ(refusal<BackendError>([&] { static_cast<void>(read_npy(directory.path())); }),
            "lloyd::read_npy: " + directory.path().string() + ": is a directory, expected a file");
  EXPECT_EQ(refusal<BackendError>([] { static_cast<void>(npy_scalar("nowhere.npy")); }),
            "lloyd::npy_scalar: nowhere.npy: no such file");
  const auto target = directory / "none/x.npy";
  EXPECT_EQ(refusal<BackendError>([&] { write_npy(target, Matrix<float>(1, 1)); }),
            "lloyd::write_npy: " + target.string() + ": cannot be written: No such file or directory");
  EXPECT_EQ(directory.entries(), 0);
}

}  // namespace
}  // namespace lloyd::test

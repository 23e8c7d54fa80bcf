// SPDX-License-Identifier: MIT
#include "lloyd/csv.hpp"

#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <limits>
#include <locale>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "io/files.hpp"
#include "io/pipe.hpp"

namespace lloyd::test {
namespace {

template <Real T = double>
CsvTable<T> parse(const std::string& text, const CsvOptions& options = {}) {
  std::istringstream in(text);
  return read_csv_table<T>(in, options);
}

template <Real T = double>
std::vector<T> values(const std::string& text, const CsvOptions& options = {}) {
  const auto table = parse<T>(text, options).values;
  return {table.data(), table.data() + table.rows() * table.cols()};
}

template <Real T = double>
std::string error(const std::string& text, const CsvOptions& options = {}) {
  return refusal<BackendError>([&] { static_cast<void>(parse<T>(text, options)); });
}

const std::string who = "lloyd::read_csv: stream: ";

TEST(Csv, ReadsRowsAndColumns) {
  const auto table = parse("1,2,3\n4,5,6\n");
  EXPECT_EQ(table.values.rows(), 2);
  EXPECT_EQ(table.values.cols(), 3);
  EXPECT_EQ(table.values(1, 0), 4);
  EXPECT_TRUE(table.names.empty());
}

TEST(Csv, AcceptsTheWaysOfWritingTheSameTable) {
  const std::vector<double> expected = {1, -2.5, 3e4, 4};
  for (const char* text : {"1,-2.5\n3e4,4\n", "1,-2.5\n3e4,4", "1,-2.5\r\n3e4,4\r\n",
                           "\xEF\xBB\xBF"
                           "1,-2.5\n3e4,4\n",
                           " 1 ,\t-2.5\t\n  3e4,4  \n", "\"1\",\"-2.5\"\n\" 3e4 \" , \"4\" \n", "+1,-2.5\n+3E+4,4.\n",
                           "1,-2.5\n3e4,4\n\n\n", "1,-2.5\n3e4,4\n \t\r\n", "1,-25e-1\n.3e5,04\n",
                           "a,b\n1,-2.5\n3e4,4\n", "\"a\",\"b\"\r\n1,-2.5\r\n3e4,4\r\n"}) {
    EXPECT_EQ(values(text), expected) << text;
  }
}

TEST(Csv, Separators) {
  EXPECT_EQ(values("1;2\n3;4", {.separator = ';'}), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(values("1\t2\n3\t 4", {.separator = '\t'}), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(values("1 2\n3 4", {.separator = ' '}), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(error("1  2\n", {.separator = ' '}), who + "line 1, column 2: the field is empty, expected a number");
  EXPECT_EQ(error("\t\n", {.separator = '\t', .header = CsvHeader::no}),
            who + "line 1, column 1: the field is empty, expected a number");
  for (const char bad : {'1', '-', '+', '.', 'e', 'x', '"', '\n', '\r', '\0', '_'}) {
    EXPECT_NE(refusal<InvalidArgument>([&] { static_cast<void>(parse("1", {.separator = bad})); }), "") << bad;
  }
  EXPECT_EQ(refusal<InvalidArgument>([&] { static_cast<void>(parse("1", {.separator = '\n'})); }),
            "lloyd::read_csv: separator \"\\x0a\", expected a character that no number, quote or line end contains");
}

TEST(Csv, Names) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(parse("a, b c ,\"d,\"\"e\"\"\"\n1,2,3").names, (Names{"a", "b c", "d,\"e\""}));
  EXPECT_EQ(parse(",b\n1,2").names, (Names{"", "b"}));
  EXPECT_EQ(parse("1990,1991\n1,2", {.header = CsvHeader::yes}).names, (Names{"1990", "1991"}));
  EXPECT_EQ(parse("1990,1991\n1,2", {.header = CsvHeader::yes}).values.rows(), 1);
  EXPECT_EQ(parse("1990,1991\n1,2").values.rows(), 2);
  EXPECT_EQ(parse("nan,inf\n1,2").values.rows(), 2) << "nan and inf are numbers";
  EXPECT_EQ(error("a,b\n1,2", {.header = CsvHeader::no}),
            who + "line 1, column 1: \"a\", expected a number (set header to yes if line 1 holds names)");
  EXPECT_EQ(error("1.0,2..0\n1,2"), who + "line 1, column 2: \"2..0\", expected a number")
      << "a line with a number in it is taken for a row";
  EXPECT_EQ(error("red,1\nblue,2", {.header = CsvHeader::no}), who + "line 1, column 1: \"red\", expected a number");
}

TEST(Csv, MissingValuesAreNoNames) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(error("\"\",\"\"\n1,2\n"), who + "line 1, column 1: the field is empty, expected a number");
  EXPECT_EQ(error(",\n1,2\n"), who + "line 1, column 1: the field is empty, expected a number");
  for (const char* missing : {"NA", "N/A", "null", "None", "?", "-"}) {
    const std::string line = std::string(missing) + "," + missing + "\n1,2\n";
    EXPECT_EQ(error(line), who + "line 1, column 1: \"" + missing +
                               "\", expected a number (set header to yes if line 1 holds names)");
    EXPECT_EQ(parse(line, {.header = CsvHeader::yes}).names, (Names{missing, missing}));
    EXPECT_EQ(parse("id," + line.substr(line.find(',') + 1)).names, (Names{"id", missing})) << "one name is enough";
  }
  EXPECT_EQ(error("a,NA,\n1,2,3\n", {.skip_columns = {{1}}}),
            who + "line 1, column 2: \"NA\", expected a number (set header to yes if line 1 holds names)");
}

TEST(Csv, AStreamThatThrowsIsReadToItsEnd) {
  for (const auto mask : {std::ios::failbit | std::ios::badbit, std::ios::failbit | std::ios::eofbit}) {
    std::istringstream in("1,2\n3,4\n");
    in.exceptions(mask);
    EXPECT_EQ(read_csv<float>(in).rows(), 2);
    EXPECT_EQ(in.exceptions(), mask);
    in.exceptions(std::ios::goodbit);
    in.clear();
    in.str("1,2\n3,x\n");
    in.exceptions(mask);
    EXPECT_EQ(refusal<BackendError>([&] { (void)read_csv<float>(in); }),
              who + "line 2, column 2: \"x\", expected a number");
    EXPECT_EQ(in.exceptions(), mask);
  }
}

TEST(Csv, ReadsTheColumnsThatAreWanted) {
  using Numbers = std::vector<Index>;
  using Names = std::vector<std::string>;
  const std::string text = "a,b,c,d\n1,2,3,4\n5,6,7,8\n";
  EXPECT_EQ(values(text, {.columns = {{2, 3}}}), (std::vector<double>{2, 3, 6, 7}));
  EXPECT_EQ(values(text, {.columns = {{4}, {1}, {1}}}), (std::vector<double>{1, 4, 5, 8})) << "a set";
  EXPECT_EQ(values(text, {.skip_columns = {{1, 2}, {4}}}), (std::vector<double>{3, 7}));
  EXPECT_EQ(values(text, {.columns = {{1, 3}}, .skip_columns = {{2}}}), (std::vector<double>{1, 3, 5, 7}));
  EXPECT_EQ(parse(text, {.columns = {{2}, {4}}}).names, (Names{"b", "d"}));
  EXPECT_EQ(parse(text, {.columns = {{2}, {4}}}).columns, (Numbers{2, 4}));
  EXPECT_EQ(parse(text).columns, (Numbers{1, 2, 3, 4}));
}

TEST(Csv, AColumnThatIsSkippedMayHoldText) {
  for (const char* text :
       {"red,1,2\nblue,3,4\n", " red ,1,2\n,3,4\n", "\"red, \"\"dark\"\"\",1,2\n\"\" ,3,4\n", "nan,1,2\n1e999,3,4\n",
        "colour,x,y\nred,1,2\nblue,3,4\n", "1990,x,y\nred,1,2\nblue,3,4\n"}) {
    EXPECT_EQ(values(text, {.skip_columns = {{1}}}), (std::vector<double>{1, 2, 3, 4})) << text;
  }
  EXPECT_EQ(values("1,red\n2,blue", {.skip_columns = {{2}}}), (std::vector<double>{1, 2})) << "the last column";
  EXPECT_EQ(error("red,1\nblue,x\n", {.skip_columns = {{1}}}), who + "line 2, column 2: \"x\", expected a number")
      << "columns keep the numbers of the file";
  EXPECT_EQ(error("red,1\nblue\n", {.skip_columns = {{1}}}),
            who + "line 2 has 1 column, expected 2 as in the first line");
  EXPECT_EQ(error("red,1\nblue,2,3\n", {.skip_columns = {{1}}}),
            who + "line 2 has 3 columns, expected 2 as in the first line");
  EXPECT_EQ(error("red,1\n\"blue,2\n", {.skip_columns = {{1}}}),
            who + "line 2, column 1: the quote is not closed on its line");
}

TEST(Csv, RefusesColumnsThatAreNotThere) {
  EXPECT_EQ(error("1,2\n", {.columns = {{2, 3}}}), who + "column 3 is wanted, but line 1 has 2 columns");
  EXPECT_EQ(error("1\n", {.skip_columns = {{7}}}), who + "column 7 is to be skipped, but line 1 has 1 column");
  EXPECT_EQ(error("1,2\n", {.skip_columns = {{1, 2}}}),
            who + "every column that is wanted is to be skipped, but line 1 has 2 columns, expected one that is left");
  for (const CsvColumns bad : {CsvColumns{0, 1}, CsvColumns{2, 1}, CsvColumns{-1}}) {
    const std::string expected = "lloyd::read_csv: columns " + std::to_string(bad.first) + " to " +
                                 std::to_string(bad.last) + ", expected 1 <= first <= last";
    EXPECT_EQ(refusal<InvalidArgument>([&] { static_cast<void>(parse("1,2\n", {.columns = {bad}})); }), expected);
    EXPECT_EQ(refusal<InvalidArgument>([&] { static_cast<void>(parse("1,2\n", {.skip_columns = {bad}})); }), expected);
  }
}

TEST(Csv, RefusesATableWithoutRows) {
  EXPECT_EQ(error(""), who + "the file is empty, expected rows of numbers");
  for (const std::string text : {"\xFF\xFE", "\xFE\xFF", "\xFF\xFE,"})
    EXPECT_EQ(error(text), who + "the file is UTF-16, expected UTF-8 (iconv -f UTF-16 -t UTF-8)");
  EXPECT_EQ(error(std::string("PK\x03\x04\0", 5)),
            who + "the file is a zip archive, expected text (.xlsx: save it as CSV UTF-8)");
  EXPECT_EQ(error("\xD0\xCF\x11\xE0"), who + "the file is an old Excel workbook, expected text (save it as CSV UTF-8)");
  EXPECT_EQ(error("\x1F\x8B\b"), who + "the file is compressed by gzip, expected text (zcat)");
  EXPECT_EQ(error("\x93NUMPY\1"), who + "the file is a NumPy array, expected text (its name is .npy)");
  EXPECT_EQ(error("PAR1\x15"), who + "the file is of Parquet, expected text");
  EXPECT_EQ(parse("PK,PAR1\n1,2\n").names, (std::vector<std::string>{"PK", "PAR1"}));
  EXPECT_EQ(parse("PAR1,PK\n1,2\n").names, (std::vector<std::string>{"PAR1", "PK"}));
  EXPECT_EQ(error("\xEF\xBB\xBF"), who + "the file is empty, expected rows of numbers");
  EXPECT_EQ(error("\n \n"), who + "nothing but blank lines, expected rows of numbers");
  EXPECT_EQ(error("a\n"), who + "a header of 1 column and nothing below it, expected rows of numbers");
  EXPECT_EQ(error("a,b\n\n"), who + "a header of 2 columns and nothing below it, expected rows of numbers");
}

TEST(Csv, RefusesRaggedRows) {
  EXPECT_EQ(error("1,2\n3,4,5\n"), who + "line 2 has 3 columns, expected 2 as in the first line");
  EXPECT_EQ(error("a,b\n1,2\n3\n"), who + "line 3 has 1 column, expected 2 as in the first line");
  EXPECT_EQ(error("1,2\nx\n"), who + "line 2 has 1 column, expected 2 as in the first line");
  EXPECT_EQ(error("a,b,c\n1,2\n"), who + "line 2 has 2 columns, expected 3 as in the first line");
  EXPECT_EQ(error("1,2\n\n3,4\n"), who + "line 2 is blank, expected a row (blank lines may end the file)");
  EXPECT_EQ(error("\n1,2\n"), who + "line 1 is blank, expected a row (blank lines may end the file)");
}

TEST(Csv, RefusesFieldsThatAreNoNumbers) {
  EXPECT_EQ(error("1,2\n3,four\n"), who + "line 2, column 2: \"four\", expected a number");
  EXPECT_EQ(error("1,2\n3,\n"), who + "line 2, column 2: the field is empty, expected a number");
  EXPECT_EQ(error("1\n" + std::string(100, 'x')),
            who + "line 2, column 1: \"" + std::string(40, 'x') + "...\", expected a number");
  EXPECT_EQ(error(std::string("1\n2\0", 4)), who + "line 2, column 1: \"2\\x00\", expected a number");
  EXPECT_EQ(error("1\n\xC3\xA9"), who + "line 2, column 1: \"\\xc3\\xa9\", expected a number");
  for (const char* bad : {"1 2",  "+-1",   "++1",   "--1", "-",       "+",   ".",   "e5",     "1e",   "1e+",
                          "0x10", "1_000", "1.2.3", "1f",  "infinit", "\"1", "1\"", "\"1\"2", "\"\"", "\"x\""}) {
    EXPECT_NE(error(std::string("1\n") + bad + "\n5\n"), "") << bad;
  }
}

TEST(Csv, RefusesBrokenQuotes) {
  EXPECT_EQ(error("1,2\n3,\"4\n"), who + "line 2, column 2: the quote is not closed on its line");
  EXPECT_EQ(error("1,2\n3,\"4\"5\n"), who + "line 2, column 2: \"5\" follows the closing quote");
  EXPECT_EQ(error("\"a\n1"), who + "line 1, column 1: the quote is not closed on its line");
}

TEST(Csv, RangesOfNumbers) {
  EXPECT_EQ(error<float>("1\n3.5e38\n"), who + "line 2, column 1: \"3.5e38\" is beyond the range of float");
  EXPECT_EQ(error<double>("1\n-1e309\n"), who + "line 2, column 1: \"-1e309\" is beyond the range of double");
  EXPECT_EQ(error<double>("1e99999999999999999999"),
            who + "line 1, column 1: \"1e99999999999999999999\" is beyond the range of double");
  EXPECT_EQ(error<double>(std::string(400, '9')).substr(0, who.size() + 16), who + "line 1, column 1");
  for (const std::string tiny : {"1e-50", "1e-400", "0.00000000000000000000000000000000000000000000000000001",
                                 "1e-99999999999999999999", "12345678901234567890e-400"}) {
    EXPECT_EQ(values<float>(tiny), std::vector<float>{0}) << tiny;
    EXPECT_TRUE(std::signbit(values<float>("-" + tiny)[0])) << tiny;
  }
  EXPECT_EQ(values<double>("0." + std::string(400, '0') + "1"), std::vector<double>{0});
  EXPECT_EQ(values<double>("0." + std::string(400, '0') + "1e401"), std::vector<double>{1});
  EXPECT_EQ(values<float>("1e-45"), std::vector<float>{std::numeric_limits<float>::denorm_min()});
  EXPECT_EQ(values<float>("3.4028235e38"), std::vector<float>{(std::numeric_limits<float>::max)()});
  const auto special = values<float>("nan,inf,-inf,Infinity");
  EXPECT_TRUE(std::isnan(special[0]));
  EXPECT_EQ(special[1], std::numeric_limits<float>::infinity());
  EXPECT_EQ(special[2], -special[1]);
  EXPECT_EQ(special[3], special[1]);
}

TEST(Csv, FloatIsRoundedOnce) {
  // Just above halfway between 1 and the next float: as a double it is the half, which would go to 1.
  EXPECT_EQ(values<float>("1.00000005960464477540"), std::vector<float>{1.00000011920928955078125F});
  EXPECT_EQ(static_cast<float>(values<double>("1.00000005960464477540")[0]), 1.0F);
}

TEST(Csv, LinesLongerThanTheBuffer) {
  std::string line, names;
  for (int j = 0; j < 300000; ++j) {
    line += (j == 0 ? "" : ",") + std::to_string(j);
    names += (j == 0 ? "x" : ",x") + std::to_string(j);
  }
  const auto table = parse(names + "\n" + line + "\n" + line);
  EXPECT_EQ(table.values.rows(), 2);
  EXPECT_EQ(table.values.cols(), 300000);
  EXPECT_EQ(table.values(1, 299999), 299999);
  EXPECT_EQ(table.names[299999], "x299999");
}

TEST(Csv, ManyLinesAcrossBuffers) {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += std::to_string(i) + "," + std::to_string(-i) + "\r\n";
  const auto x = parse(text).values;
  ASSERT_EQ(x.rows(), 100000);
  for (int i = 0; i < 100000; ++i) ASSERT_TRUE(x(i, 0) == i && x(i, 1) == -i) << i;
  Pipe pipe(text);
  EXPECT_EQ(read_csv<double>(pipe), x);
}

TEST(Csv, IgnoresTheLocale) {
  struct Comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new Comma));
  const auto read = values("1234.5\n");
  TemporaryDirectory directory;
  write_csv(directory / "x.csv", parse("1234567.5\n").values);
  std::locale::global(before);
  EXPECT_EQ(read, std::vector<double>{1234.5});
  EXPECT_EQ(read_file(directory / "x.csv"), "1234567.5\n");
}

TEST(Csv, RefusesFilesThatCannotBeRead) {
  TemporaryDirectory directory;
  const auto message = [](const std::filesystem::path& path) {
    return refusal<BackendError>([&] { static_cast<void>(read_csv(path)); });
  };
  EXPECT_EQ(message("nowhere.csv"), "lloyd::read_csv: nowhere.csv: no such file");
  EXPECT_EQ(message(""), "lloyd::read_csv: : no such file");
  EXPECT_EQ(message(directory.path()),
            "lloyd::read_csv: " + directory.path().string() + ": is a directory, expected a file");
  std::ifstream closed("nowhere.csv");
  EXPECT_EQ(refusal<BackendError>([&] { static_cast<void>(read_csv(closed)); }),
            who + "the stream has failed before it was read");
}

TEST(Csv, WritesWhatItReads) {
  TemporaryDirectory directory;
  const float third = 1.0F / 3;
  Matrix<float> x(2, 2);
  x(0, 0) = third, x(0, 1) = -0.0F, x(1, 0) = std::numeric_limits<float>::denorm_min(), x(1, 1) = 3e38F;
  write_csv(directory / "x.csv", x, {"plain", "with, \"both\""});
  EXPECT_EQ(read_file(directory / "x.csv"), "plain,\"with, \"\"both\"\"\"\n0.33333334,-0\n1e-45,3e+38\n");
  const auto table = read_csv_table(directory / "x.csv");
  EXPECT_EQ(table.values, x);
  EXPECT_TRUE(std::signbit(table.values(0, 1)));
  EXPECT_EQ(table.names, (std::vector<std::string>{"plain", "with, \"both\""}));
  EXPECT_EQ(directory.entries(), 1) << "nothing is left beside it";

  write_csv(directory / "x.csv", x.view().slice(0, 1), {}, {.separator = ';'});
  EXPECT_EQ(read_file(directory / "x.csv"), "0.33333334;-0\n") << "an existing file is replaced";
  write_csv(directory / "labels.csv", std::vector<Label>{0, 12, 2147483647});
  EXPECT_EQ(read_file(directory / "labels.csv"), "0\n12\n2147483647\n");
}

TEST(Csv, NamesThatNeedQuotesComeBack) {
  TemporaryDirectory directory;
  const std::vector<std::string> names = {"", " a", "b ", "\t", "c;d", "\"", "e,f"};
  write_csv(directory / "x.csv", Matrix<float>(1, names.size()), names);
  EXPECT_EQ(read_csv_table(directory / "x.csv").names, names);
}

TEST(Csv, RefusesToWrite) {
  TemporaryDirectory directory;
  const Matrix<float> x(1, 2);
  const auto message = [&](const std::filesystem::path& path) {
    return refusal<BackendError>([&] { write_csv(path, x); });
  };
  EXPECT_EQ(refusal<InvalidArgument>([&] { write_csv(directory / "x.csv", x, {"a"}); }),
            "lloyd::write_csv: 1 names, expected 2 as the matrix has columns, or none");
  EXPECT_EQ(refusal<InvalidArgument>([&] {
              write_csv(directory / "x.csv", x, {"a", "b\n"});
            }),
            "lloyd::write_csv: name 2 \"b\\x0a\" holds the end of a line");
  EXPECT_NE(refusal<InvalidArgument>([&] { write_csv(directory / "x.csv", x, {}, {.separator = '.'}); }), "");
  EXPECT_EQ(message(directory / "none/x.csv"), "lloyd::write_csv: " + (directory / "none/x.csv").string() +
                                                   ": cannot be written: No such file or directory");
  EXPECT_EQ(message(directory.path()),
            "lloyd::write_csv: " + directory.path().string() + ": is a directory, expected the name of a file");
  EXPECT_EQ(message(directory / ""),
            "lloyd::write_csv: " + (directory / "").string() + ": is a directory, expected the name of a file");
  EXPECT_EQ(message(""), "lloyd::write_csv: : is no name of a file");
  EXPECT_EQ(directory.entries(), 0) << "nothing is left";
}

TEST(Csv, AFullDeviceIsAnError) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const std::vector<Label> labels(100000);
  EXPECT_EQ(refusal<BackendError>([&] { write_csv("/dev/full", labels); }),
            "lloyd::write_csv: /dev/full: writing failed: No space left on device");
  EXPECT_EQ(refusal<BackendError>([&] { write_csv("/dev/full", std::vector<Label>{1}); }),
            "lloyd::write_csv: /dev/full: writing failed: No space left on device");
  write_csv("/dev/null", labels);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null")) << "a device is not replaced";
}

TEST(Csv, AnUnfinishedFileIsNeverSeen) {
  TemporaryDirectory directory;
  write_file(directory / "x.csv", "old");
  {
    detail::OutputFile file(directory / "x.csv", "test");
    file.write("new");
    EXPECT_EQ(read_file(directory / "x.csv"), "old");
    EXPECT_EQ(directory.entries(), 2);
  }
  EXPECT_EQ(read_file(directory / "x.csv"), "old");
  EXPECT_EQ(directory.entries(), 1) << "what was not committed is removed";
}

TEST(Csv, ALinkAndItsRightsStay) {
  namespace fs = std::filesystem;
  TemporaryDirectory directory;
  write_file(directory / "target.csv", "old");
  fs::permissions(directory / "target.csv", fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("target.csv", directory / "link.csv");
  write_csv(directory / "link.csv", std::vector<Label>{7});
  EXPECT_TRUE(fs::is_symlink(directory / "link.csv"));
  EXPECT_EQ(read_file(directory / "target.csv"), "7\n");
  EXPECT_EQ(fs::status(directory / "target.csv").permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST(Csv, ALinkThatLeadsToNoFileYetStays) {
  namespace fs = std::filesystem;
  TemporaryDirectory directory;
  fs::create_directory(directory / "sub");
  fs::create_symlink("sub/second.csv", directory / "first.csv");
  fs::create_symlink("target.csv", directory / "sub/second.csv");
  write_csv(directory / "first.csv", std::vector<Label>{7});
  EXPECT_TRUE(fs::is_symlink(directory / "first.csv"));
  EXPECT_TRUE(fs::is_symlink(directory / "sub/second.csv"));
  EXPECT_EQ(read_file(directory / "sub/target.csv"), "7\n");
  EXPECT_FALSE(fs::is_symlink(directory / "sub/target.csv"));
  fs::create_symlink("loop.csv", directory / "loop.csv");
  EXPECT_EQ(refusal<BackendError>([&] { write_csv(directory / "loop.csv", std::vector<Label>{7}); }),
            "lloyd::write_csv: " + (directory / "loop.csv").string() + ": is a link that leads nowhere");
}

TEST(Csv, TheWineTable) {
  const std::filesystem::path data(LLOYD_TEST_DATA);
  const auto wine = read_csv_table<double>(data / "wine.csv");
  EXPECT_EQ(wine.values.rows(), 178);
  EXPECT_EQ(wine.values.cols(), 13);
  EXPECT_EQ(wine.names.front(), "alcohol");
  EXPECT_EQ(wine.names.back(), "proline");
  EXPECT_EQ(wine.values(0, 0), 14.23);
  EXPECT_EQ(wine.values(177, 12), 560);
  const auto classes = read_csv_table<double>(data / "wine_classes.csv");
  ASSERT_EQ(classes.values.rows(), 178);
  std::vector<int> sizes(4);
  for (Index i = 0; i < 178; ++i) ++sizes[static_cast<std::size_t>(classes.values(i, 0))];
  EXPECT_EQ(sizes, (std::vector<int>{0, 59, 71, 48}));
}

}  // namespace
}  // namespace lloyd::test

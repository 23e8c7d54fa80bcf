// SPDX-License-Identifier: MIT
// K14. Strided, column-major, read-only or unaligned input, mixed types, initial centres ignored, moved or misshapen.
// (Column-major and integer matrices and mixed types are refused at compile time: tests/compile_fail.)
#include <sys/mman.h>

#include <cstring>

#include "handed/suite.hpp"
#include "lloyd/eigen.hpp"

namespace lloyd::test {
namespace {

template <Real T>
[[nodiscard]] Matrix<T> two_columns() {
  return rows_of<T>({{0, 1}, {0, 2}, {0, 3}, {8, 1}, {8, 2}, {8, 3}});
}

/// The answer for these rows from rows 0 and 3.
template <class Result>
void expect_two_groups(const Result& result) {
  EXPECT_EQ(result.labels, (std::vector<Label>{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(result.inertia, 4.0);
}

// A column-major matrix is refused at compile time; its row-major copy, an Eigen one, and rows that lie apart are read.
TYPED_TEST(Handed, H14_1_column_major_or_transposed_input) {
  using T = typename TypeParam::Scalar;
  const auto x = two_columns<T>();
  const auto kmeans = kmeans_of<TypeParam>({.n_clusters = 2});
  expect_two_groups(checked_fit<TypeParam>({.n_clusters = 2}, {x, {}, rows_at(x, {0, 3})}));
  Eigen::Matrix<T, 6, 2> columns;
  columns << 0, 1, 0, 2, 0, 3, 8, 1, 8, 2, 8, 3;
  const Eigen::Matrix<T, 6, 2, Eigen::RowMajor> rows = columns;
  const Eigen::Matrix<T, 2, 2, Eigen::RowMajor> start{{0, 1}, {8, 1}};
  expect_two_groups(kmeans.fit_from(start, rows));
  const T apart[] = {0, 1, -9, -9, -9, 0, 2, -9, -9, -9, 0, 3, -9, -9, -9, 8, 1, -9, -9, -9, 8, 2, -9, -9, -9, 8, 3};
  expect_two_groups(kmeans.fit_from(start, MatrixView(apart, 6, 2, 5)));
}

/// Pages that cannot be written to, holding the given values; `shift` bytes from the start of a page.
template <class V>
class ReadOnly {
 public:
  ReadOnly(const V* values, std::size_t count, std::size_t shift = 0) : bytes_(count * sizeof(V) + shift) {
    page_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page_ == MAP_FAILED) throw std::bad_alloc();
    values_ = reinterpret_cast<const V*>(static_cast<char*>(page_) + shift);
    std::memcpy(static_cast<char*>(page_) + shift, values, count * sizeof(V));
    if (mprotect(page_, bytes_, PROT_READ) != 0) throw std::bad_alloc();
  }
  ReadOnly(const ReadOnly&) = delete;
  ReadOnly& operator=(const ReadOnly&) = delete;
  ~ReadOnly() { munmap(page_, bytes_); }
  [[nodiscard]] const V* data() const { return values_; }

 private:
  std::size_t bytes_;
  void* page_ = nullptr;
  const V* values_ = nullptr;
};

// Rows, weights and centres lie at every offset of a value within a vector register.
TYPED_TEST(Handed, H14_2_read_only_memory) {
  using T = typename TypeParam::Scalar;
  const auto x = two_columns<T>(), c = rows_at(x, {0, 3});
  const std::vector<double> w(6, 1.0);
  const auto kmeans = kmeans_of<TypeParam>({.n_clusters = 2});
  for (std::size_t shift = 0; shift < 64; shift += sizeof(T)) {
    const ReadOnly<T> rows(x.data(), 12, shift), start(c.data(), 4, shift);
    const ReadOnly<double> weights(w.data(), 6);
    const MatrixView view(rows.data(), 6, 2), centroids(start.data(), 2, 2);
    const VectorView given(weights.data(), 6);
    const auto result = kmeans.fit_from(centroids, view, given);
    expect_two_groups(result);
    EXPECT_EQ(kmeans.predict(result.centroids, view), result.labels);
    EXPECT_EQ(kmeans.predict(centroids, view), result.labels);
    EXPECT_EQ(kmeans.fit(view, given).inertia, 4.0);
    EXPECT_EQ(kmeans.score(result.centroids, view, given), -4.0);
  }
}

// From 0 and 1 only row 0 stays with the first: 0 and 52 / 7. From 0 and 10: 1.5 and 11.5.
TYPED_TEST(Handed, H14_5_user_given_centres_are_used_as_given) {
  using T = typename TypeParam::Scalar;
  const auto x = column_of<T>({0, 1, 2, 3, 10, 11, 12, 13});
  const auto once = [&](const Matrix<T>& c) {
    return checked_fit<TypeParam>({.n_clusters = 2, .max_iter = 1}, {x, {}, c}).centroids;
  };
  EXPECT_EQ(once(column_of<T>({0, 1})), column_of<T>({0, 52.0 / 7}));
  EXPECT_EQ(once(column_of<T>({1, 0})), column_of<T>({52.0 / 7, 0}));
  EXPECT_EQ(once(column_of<T>({0, 10})), column_of<T>({1.5, 11.5}));
  EXPECT_EQ(once(column_of<T>({10, 0})), column_of<T>({11.5, 1.5}));
  const Input<T> seven{rows_of<T>({{1, 1}, {1.5, 2}, {3, 4}, {5, 7}, {3.5, 5}, {4.5, 5}, {3.5, 4.5}}),
                       {},
                       rows_of<T>({{0.1, 5}, {5, 0.1}})};
  const auto result = checked_fit<TypeParam>({.n_clusters = 2}, seven);
  EXPECT_EQ(sorted_centroids(result.centroids), sorted_centroids(rows_of<T>({{1.25, 1.5}, {3.9, 5.1}})));
  expect_close(result.inertia, 8.525, 1e-6);
  const auto message =
      refusal_of([&] { (void)fit_input(kmeans_of<TypeParam>({.n_clusters = 2, .n_init = 3}), seven); });
  EXPECT_NE(message.find("n_init 3, expected 1"), std::string::npos) << message;
}

TYPED_TEST(Handed, H14_6_restart_from_a_solution_stays_there) {
  using T = typename TypeParam::Scalar;
  for (const double offset : {1000.0, -1e6, 0.0}) {
    const auto x = shifted(rows_of<T>({{0, 0}, {0, 2}, {10, 0}, {10, 2}}), offset);
    const auto c = shifted(rows_of<T>({{0, 1}, {10, 1}}), offset);
    const auto result = checked_fit<TypeParam>({.n_clusters = 2}, {x, {}, c});
    EXPECT_LE(result.n_iter, 2);
    EXPECT_EQ(result.centroids, c);
    EXPECT_EQ(result.inertia, 4.0);
  }
  const auto y = blobs<T>(120, 6, 5, 8);
  const auto first = checked_fit<TypeParam>({.n_clusters = 5, .tol = 0}, {y});
  const auto again = checked_fit<TypeParam>({.n_clusters = 5, .tol = 0}, {y, {}, first.centroids});
  EXPECT_EQ(again.centroids, first.centroids);
  EXPECT_EQ(again.labels, first.labels);
  EXPECT_LE(again.n_iter, 2);
}

TYPED_TEST(Handed, H14_7_wrong_shapes) {
  using T = typename TypeParam::Scalar;
  const auto x = two_columns<T>();
  const auto kmeans = kmeans_of<TypeParam>({.n_clusters = 2});
  const auto expect_words = [](const std::string& message, const std::string& words) {
    EXPECT_NE(message.find(words), std::string::npos) << message;
  };
  const auto start = [&](Index k, Index d) {
    return refusal_of([&] { (void)fit_input(kmeans, Input<T>{x, {}, normal_rows<T>(k, d, 1)}); });
  };
  expect_words(start(3, 2), "3 centroids, n_clusters is 2");
  expect_words(start(1, 2), "1 centroids, n_clusters is 2");
  expect_words(start(2, 1), "centroids have 1 columns, the rows have 2");
  expect_words(start(2, 3), "centroids have 3 columns, the rows have 2");
  expect_words(refusal_of([&] { (void)predict(kmeans, x, normal_rows<T>(4, 3, 1)); }),
               "centroids have 2 columns, the rows have 3");
  expect_words(refusal_of([&] { (void)kmeans.transform(x, normal_rows<T>(4, 1, 1)); }),
               "centroids have 2 columns, the rows have 1");
  expect_words(refusal_of([&] { (void)predict(kmeans, Matrix<T>(0, 2), x); }), "centroids have no rows");
  const T* null = nullptr;
  expect_words(refusal_of([&] { (void)MatrixView(null, 6, 2); }), "data is null, expected 6 x 2");
  expect_words(refusal_of([&] { (void)VectorView(null, 6); }), "data is null, expected 6");
  const std::vector<T> eleven(11);
  expect_words(refusal_of([&] { (void)MatrixView(eleven, 6, 2); }), "needs 12 values, the span holds 11");
  expect_words(refusal_of([&] { (void)MatrixView(eleven, 3, 2, 5); }), "needs 12 values, the span holds 11");
  EXPECT_EQ(MatrixView(eleven, 3, 1, 5).rows(), 3);
  expect_words(refusal_of([&] { (void)MatrixView(eleven, 2, 3, 2); }), "row_stride 2 < cols 3");
  expect_words(refusal_of([&] { (void)MatrixView(eleven, -1, 2); }), "rows -1");
  expect_words(refusal_of([&] { (void)MatrixView(eleven.data(), std::uint64_t{1} << 63, 2); }),
               "rows 9223372036854775808");
  expect_words(refusal_of([&] { (void)MatrixView(eleven.data(), Index{1} << 40, Index{1} << 40); }), "address space");
}

}  // namespace
}  // namespace lloyd::test

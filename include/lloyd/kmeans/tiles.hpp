// SPDX-License-Identifier: MIT
/// @file
/// A pass over a source's rows, checked against what the source announced: labels and distances have room for just
/// that.
#pragma once

#include "lloyd/error.hpp"
#include "lloyd/matrix.hpp"
#include "lloyd/source.hpp"

namespace lloyd::inline LLOYD_ABI::detail {

/// The rows of this rank that every pass must give.
struct Announced {
  Index rows = 0, cols = 0;
  bool weighted = false;
};

/// What a source says of itself.
template <class S>
[[nodiscard]] Announced announced_by(const S& source, const char* who) {
  const Announced announced{source.rows(), source.cols(), source.weighted()};
  demand(announced.rows >= 0, who, ": the source has ", announced.rows, " rows, expected 0 or more");
  demand(announced.cols >= 0, who, ": the source has ", announced.cols, " columns, expected 0 or more");
  return announced;
}

/// Refuses a tile that is not the next one, after `given` rows.
template <Real T, class Space>
void require_next(const Tile<T, Space>& tile, Index given, const Announced& announced, const char* who) {
  const Index rows = tile.x.rows(), weights = announced.weighted ? rows : 0;
  demand(tile.offset == given, who, ": the source gave a tile at row ", tile.offset, ", expected row ", given);
  demand(rows <= announced.rows - given, who, ": the source gave ", given + rows, " rows or more, expected ",
         announced.rows);
  demand(tile.x.cols() == announced.cols, who, ": the source gave rows of ", tile.x.cols(), " columns, expected ",
         announced.cols);
  demand(tile.w.size() == weights, who, ": the source gave ", tile.w.size(), " weights with ", rows, " rows, expected ",
         weights);
}

/// Calls use(tile) for all rows of a source. A tile without rows is passed over. Values are not compared with those of
/// earlier passes, which would be another read of each.
/// @throws InvalidArgument for other rows than announced
template <class S, class Use>
void for_each_tile(const S& source, const Announced& announced, const char* who, const Use& use) {
  Index given = 0;
  source.for_each_tile([&](const auto& tile) {
    if (tile.x.rows() == 0) return;
    require_next(tile, given, announced, who);
    use(tile);
    given += tile.x.rows();
  });
  demand(given == announced.rows, who, ": the source gave ", given, " rows, expected ", announced.rows);
}

/// A source of which every pass is checked.
template <class S>
class CheckedSource {
 public:
  CheckedSource(const S& source, const char* who) : source_(source), announced_(announced_by(source, who)), who_(who) {}

  [[nodiscard]] Index rows() const { return announced_.rows; }
  [[nodiscard]] Index cols() const { return announced_.cols; }
  template <class Use>
  void for_each_tile(const Use& use) const {
    detail::for_each_tile(source_, announced_, who_, use);
  }

 private:
  const S& source_;
  Announced announced_;
  const char* who_;
};

}  // namespace lloyd::inline LLOYD_ABI::detail

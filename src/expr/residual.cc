// SPDX-License-Identifier: Apache-2.0
//
// Rows are filtered in blocks whose masks stay in the first-level cache. Each leaf is prepared once; per block the tree
// of AND and OR is walked, and children that can no longer change the block's mask are not evaluated.
#include "src/expr/residual.h"

#include <algorithm>
#include <string>
#include <utility>

#include "frazil/error.h"
#include "src/expr/leaf_matcher.h"
#include "src/expr/row_mask.h"

namespace frazil::expr {

namespace {

constexpr int64_t kBlockRows = 8192;

// A predicate, ready for the arrays at hand.
struct Node {
  Predicate::Kind kind = Predicate::Kind::kTrue;
  std::unique_ptr<LeafMatcher> leaf;
  const std::string* column = nullptr;  // the leaf's, for messages
  std::vector<Node> children;
  std::vector<uint8_t> scratch;  // kAnd, kOr: the mask of the child at hand
};

ErrorPlace ColumnPlace(const std::string& column) {
  ErrorPlace place;
  place.column = column;
  return place;
}

arrow::Status PrepareLeaf(const BoundFilter& filter, const Leaf& leaf,
                          const std::vector<std::shared_ptr<arrow::Array>>& columns, int64_t row_count, Node* node) {
  const auto at = static_cast<size_t>(leaf.column);
  if (leaf.column < 0 || at >= filter.columns.size()) {
    return MakeError(ErrorKind::kInternal, "the filter names column " + std::to_string(leaf.column) + " of " +
                                               std::to_string(filter.columns.size()));
  }
  const BoundColumn& column = filter.columns[at];
  if (at >= columns.size() || columns[at] == nullptr) {
    return MakeError(ErrorKind::kInternal, "the filter needs a column that was not decoded", ColumnPlace(column.path));
  }
  if (columns[at]->length() != row_count) {
    return MakeError(ErrorKind::kInternal,
                     "decoded " + std::to_string(columns[at]->length()) + " of " + std::to_string(row_count) + " rows",
                     ColumnPlace(column.path));
  }
  auto matcher = MakeLeafMatcher(leaf, column.type, columns[at]);
  if (!matcher.ok()) return AddPlace(matcher.status(), ColumnPlace(column.path));
  node->leaf = *std::move(matcher);
  node->column = &column.path;
  return arrow::Status::OK();
}

arrow::Status Prepare(const BoundFilter& filter, const Predicate& predicate,
                      const std::vector<std::shared_ptr<arrow::Array>>& columns, int64_t row_count, Node* node) {
  node->kind = predicate.kind;
  if (predicate.kind == Predicate::Kind::kLeaf) return PrepareLeaf(filter, predicate.leaf, columns, row_count, node);
  if (!predicate.children.empty()) node->scratch.resize(static_cast<size_t>(std::min(row_count, kBlockRows)));
  node->children.resize(predicate.children.size());
  for (size_t i = 0; i < predicate.children.size(); ++i) {
    ARROW_RETURN_NOT_OK(Prepare(filter, predicate.children[i], columns, row_count, &node->children[i]));
  }
  return arrow::Status::OK();
}

// mask[i] = whether row `begin + i` matches.
arrow::Status Evaluate(Node& node, int64_t begin, int64_t count, uint8_t* mask) {
  if (node.kind == Predicate::Kind::kLeaf) {
    arrow::Status status = node.leaf->Match(begin, count, mask);
    return status.ok() ? status : AddPlace(std::move(status), ColumnPlace(*node.column));
  }
  const bool is_or = node.kind == Predicate::Kind::kOr;
  std::fill_n(mask, count, node.kind == Predicate::Kind::kTrue || node.kind == Predicate::Kind::kAnd ? 1 : 0);
  for (size_t i = 0; i < node.children.size(); ++i) {
    if (i == 0) {
      ARROW_RETURN_NOT_OK(Evaluate(node.children[0], begin, count, mask));
      continue;
    }
    if (is_or ? MaskIsFull(mask, count) : MaskIsEmpty(mask, count)) break;
    ARROW_RETURN_NOT_OK(Evaluate(node.children[i], begin, count, node.scratch.data()));
    if (is_or) {
      MaskOr(node.scratch.data(), count, mask);
    } else {
      MaskAnd(node.scratch.data(), count, mask);
    }
  }
  return arrow::Status::OK();
}

}  // namespace

arrow::Result<RowRanges> MatchRows(const BoundFilter& filter, const Predicate& predicate,
                                   const std::vector<std::shared_ptr<arrow::Array>>& columns, int64_t row_count) {
  if (row_count < 0) return MakeError(ErrorKind::kInternal, "a negative number of rows to filter");
  if (predicate.is_true()) return RowRanges::Of(0, row_count);
  if (predicate.is_false()) return RowRanges();
  Node root;
  ARROW_RETURN_NOT_OK(Prepare(filter, predicate, columns, row_count, &root));
  std::vector<uint8_t> mask(static_cast<size_t>(std::min(row_count, kBlockRows)));
  RowRanges matches;
  for (int64_t begin = 0; begin < row_count; begin += kBlockRows) {
    const int64_t count = std::min(kBlockRows, row_count - begin);
    ARROW_RETURN_NOT_OK(Evaluate(root, begin, count, mask.data()));
    AppendRuns(mask.data(), count, begin, &matches);
  }
  return matches;
}

}  // namespace frazil::expr

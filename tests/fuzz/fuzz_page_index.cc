// SPDX-License-Identifier: Apache-2.0
//
// An offset index and a column index: what passes validation is safe to use, and binary search over ordered bounds
// judges as looking at each page does.
//
// Input: type (1 byte), rows (2), length of the offset index (2), the offset index, the column index.
#include <array>

#include "src/parquet/page_index.h"
#include "src/prune/page.h"
#include "tests/fuzz/target.h"

namespace frazil::fuzz {
namespace {

using expr::Int128;
using expr::TypeKind;

struct LeafKind {
  expr::ColumnType type;
  int physical_type;
  int type_length;
};

const std::array<LeafKind, 8> kKinds{{
    {{.kind = TypeKind::kInt, .bit_width = 32}, 1, 0},
    {{.kind = TypeKind::kInt, .bit_width = 64}, 2, 0},
    {{.kind = TypeKind::kDouble}, 5, 0},
    {{.kind = TypeKind::kString}, 6, 0},
    {{.kind = TypeKind::kDecimal, .precision = 20, .scale = 2}, 7, 9},
    {{.kind = TypeKind::kDecimal, .precision = 50, .scale = 0}, 6, 0},
    {{.kind = TypeKind::kBool}, 0, 0},
    {{.kind = TypeKind::kFloat16}, 7, 2},
}};

// Leaves around the bounds that the index itself names.
template <typename K, typename Bounds>
std::vector<expr::Leaf> LeavesAround(const Bounds& min, const Bounds& max) {
  using Set = expr::IntervalSet<K>;
  std::vector<expr::Leaf> leaves(2);
  leaves[0].keys = Set::All();
  leaves[1].keys = Set::None();
  leaves[1].matches_null = true;
  for (size_t page = 0; page < std::min<size_t>(min.size(), 6); ++page) {
    for (const auto& bound : {min[page], max[page]}) {
      for (const Set& set : {Set::Point(K(bound)), Set::Range(K(bound), std::nullopt),
                             Set::Point(K(bound)).Complement(), Set::Range(expr::KeyTraits<K>::Least(), K(bound))}) {
        leaves.emplace_back().keys = set;
      }
    }
  }
  return leaves;
}

void Check(std::string_view bytes) {
  Input input(bytes);
  const LeafKind& kind = kKinds[static_cast<size_t>(input.Byte()) % kKinds.size()];
  const auto rows = static_cast<int64_t>(input.Number(2));
  const std::string_view offset_bytes = input.Take(input.Number(2));
  const ByteRange chunk{4, 1 << 20};
  const auto offsets = parquet::ParseOffsetIndex(offset_bytes, chunk, rows);
  if (!offsets.ok()) return;
  int64_t row = 0;
  int64_t end = chunk.offset;
  for (int page = 0; page < offsets->page_count(); ++page) {
    Require(offsets->first_row(page) == row, "each page begins where the one before ends");
    Require(offsets->range(page).offset >= end && offsets->range(page).end() <= chunk.end(), "pages do not overlap");
    row = offsets->end_row(page);
    end = offsets->range(page).end();
  }
  if (offsets->page_count() > 0) Require(row == rows, "the pages hold every row");

  parquet::BoundsDecoder decoder;
  decoder.type = kind.type;
  decoder.physical_type = kind.physical_type;
  decoder.type_length = kind.type_length;
  const std::string_view index_bytes = input.Rest();
  auto index = parquet::ParseColumnIndex(index_bytes, decoder, *offsets, 1);
  if (!index.ok()) return;
  Require(index->page_count() == offsets->page_count(), "both indexes have the same pages");
  const std::vector<expr::Leaf> leaves = kind.type.has_byte_keys()
                                             ? LeavesAround<std::string>(index->bytes_min, index->bytes_max)
                                             : LeavesAround<Int128>(index->int_min, index->int_max);
  std::vector<prune::RowVerdicts> searched;
  for (const expr::Leaf& leaf : leaves) searched.push_back(prune::JudgePages(*offsets, *index, kind.type, leaf));
  index->order = parquet::BoundaryOrder::kUnordered;
  for (size_t i = 0; i < leaves.size(); ++i) {
    const auto each = prune::JudgePages(*offsets, *index, kind.type, leaves[i]);
    Require(each.maybe.Covers(each.proven), "what is proven may match");
    Require(each.maybe == searched[i].maybe && each.proven == searched[i].proven, "search and scan judge alike");
  }
  for (int16_t level = 0; level <= 1; ++level) {
    const auto group = prune::JudgeGroupPages(*offsets, *index, level, 1, leaves[1]);
    Require(group.maybe.Covers(group.proven), "what is proven of a group may match");
  }
}

}  // namespace
}  // namespace frazil::fuzz

FRAZIL_FUZZ_TARGET(page_index, frazil::fuzz::Check)

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

#include "frazil/error.h"
#include "src/expr/interval_union.h"
#include "src/expr/key_intervals.h"
#include "src/expr/literal.h"
#include "src/iceberg/column_resolution.h"
#include "src/iceberg/single_value.h"

namespace frazil::iceberg {
namespace {

using expr::ColumnType;
using expr::Int128;
using expr::IntervalSet;
using expr::Key;
using expr::KeySet;
using expr::TypeKind;
using ::parquet::schema::GroupNode;
using ::parquet::schema::Node;
using Numbers = IntervalSet<Int128>;

// The least key of a float whose value, as a double, has a key of at least `key`.
Int128 FloatKeyNotBelow(Int128 key) {
  constexpr float kGreatest = std::numeric_limits<float>::max();
  const Int128 least = expr::DoubleKey(-std::numeric_limits<double>::infinity());
  const Int128 infinity = expr::DoubleKey(std::numeric_limits<double>::infinity());
  if (key <= least) return expr::KeyTraits<Int128>::kLeast;
  if (key > infinity) return Int128{expr::kNanKey32} + (key > expr::kNanKey64 ? 1 : 0);
  const double value = expr::DoubleFromKey(static_cast<int64_t>(key));
  if (value > static_cast<double>(kGreatest)) return expr::FloatKey(std::numeric_limits<float>::infinity());
  if (value < -static_cast<double>(kGreatest)) return expr::FloatKey(-kGreatest);
  const Int128 nearest = expr::FloatKey(static_cast<float>(value));
  const bool below = expr::DoubleKey(static_cast<double>(static_cast<float>(value))) < key;
  return below ? nearest + 1 : nearest;
}

KeySet KeysOfFloats(const Numbers& keys) {
  std::vector<Numbers> parts;
  for (const auto& interval : keys.intervals()) {
    std::optional<Int128> end;
    if (interval.end) end = FloatKeyNotBelow(*interval.end);
    parts.push_back(Numbers::Range(FloatKeyNotBelow(interval.begin), end));
  }
  return expr::UnionOf<Int128>(parts);
}

KeySet ScaledKeys(const Numbers& keys, expr::ValueScale scale) {
  if (scale.divisor == 1 && scale.factor == 1) return keys;
  // ValueIntervals clips ends that are infinite; nothing lies out there, but the complement shall stay the complement.
  const auto& intervals = keys.intervals();
  const bool from_least = !intervals.empty() && intervals.front().begin == expr::KeyTraits<Int128>::kLeast;
  const bool to_greatest = !intervals.empty() && !intervals.back().end;
  const auto values = expr::ValueIntervals(keys, scale);
  std::vector<Numbers> parts;
  for (size_t i = 0; i < values.size(); ++i) {
    const Int128 begin = i == 0 && from_least ? expr::KeyTraits<Int128>::kLeast : values[i].lo;
    std::optional<Int128> end = values[i].hi + 1;
    if (i + 1 == values.size() && to_greatest) end.reset();
    parts.push_back(Numbers::Range(begin, end));
  }
  return expr::UnionOf<Int128>(parts);
}

int64_t UnitsPerSecond(const ColumnType& type) {
  return type.unit == expr::TimeUnit::kMilli ? 1000 : type.unit == expr::TimeUnit::kMicro ? 1000000 : 1000000000;
}

// How values of the file become keys of the table.
std::optional<expr::ValueScale> TimeScale(const ColumnType& table, const ColumnType& file) {
  const int64_t table_units = UnitsPerSecond(table);
  if (file.kind == TypeKind::kDate && table.kind == TypeKind::kTimestamp) {
    return expr::ValueScale{1, int64_t{86400} * table_units};
  }
  if (file.kind != table.kind) return std::nullopt;
  const int64_t file_units = UnitsPerSecond(file);
  return file_units >= table_units ? expr::ValueScale{file_units / table_units, 1}
                                   : expr::ValueScale{1, table_units / file_units};
}

// Whether the file's values have the table's keys already.
bool SameKeys(const ColumnType& table, const ColumnType& file) {
  switch (table.kind) {
    case TypeKind::kInt:
      return (file.kind == TypeKind::kInt && file.bit_width <= table.bit_width) ||
             (file.kind == TypeKind::kUInt && file.bit_width < table.bit_width);
    case TypeKind::kDecimal:
      return file.kind == TypeKind::kDecimal && file.scale == table.scale && !file.has_byte_keys();
    case TypeKind::kString:
    case TypeKind::kBinary:
      return file.kind == TypeKind::kString || file.kind == TypeKind::kBinary;
    case TypeKind::kUuid:
      return file.kind == TypeKind::kUuid || (file.kind == TypeKind::kFixed && file.byte_width == 16);
    case TypeKind::kFixed:
      return (file.kind == TypeKind::kFixed && file.byte_width == table.byte_width) ||
             (file.kind == TypeKind::kUuid && table.byte_width == 16);
    default:
      return file.kind == table.kind;
  }
}

// From a column at the top to a field inside it.
using Chain = std::vector<const ResolvedColumn*>;

bool HasField(const Type& type, int field_id) {
  return std::any_of(type.fields.begin(), type.fields.end(),
                     [&](const NestedField& field) { return field.id == field_id || HasField(field.type, field_id); });
}

// A field inside one that is null everywhere ends with that one: it has not been resolved itself.
bool FindChain(const std::vector<ResolvedColumn>& columns, int field_id, Chain* chain) {
  for (const ResolvedColumn& column : columns) {
    chain->push_back(&column);
    if (column.field_id == field_id || FindChain(column.children, field_id, chain)) return true;
    if (column.origin == ColumnOrigin::kNull && HasField(column.type, field_id)) return true;
    chain->pop_back();
  }
  return false;
}

// What the leaf says of a field that no row has in the file, where what is around it is not null.
bool MatchesOutside(const expr::Leaf& leaf, const expr::BoundColumn& bound, const Chain& chain) {
  for (const ResolvedColumn* column : chain) {
    if (column->origin == ColumnOrigin::kNull) return leaf.matches_null;
  }
  const ResolvedColumn& last = *chain.back();
  if (last.origin == ColumnOrigin::kStruct || !bound.type.is_comparable()) return leaf.keys_all();
  const auto key = DecodeSingleValue(last.type, last.constant);
  if (!key.ok() || !expr::ContainsKey(leaf.keys, *key)) return false;
  if (leaf.pattern == nullptr) return true;
  return leaf.pattern->Matches(std::get<std::string>(*key)) != leaf.pattern_negated;
}

class FileFilterMaker {
 public:
  FileFilterMaker(const expr::BoundFilter& filter, const std::vector<ResolvedColumn>& columns,
                  const ::parquet::SchemaDescriptor& file_schema)
      : filter_(filter), columns_(columns), file_tree_(parquet::MakeFilterSchema(file_schema).tree) {
    Index(*file_schema.group_node(), file_tree_.fields);
  }

  arrow::Result<expr::BoundFilter> Make() {
    ARROW_ASSIGN_OR_RAISE(out_.root, Walk(filter_.root));
    DropUnusedColumns();
    return std::move(out_);
  }

 private:
  // Constants may have decided conditions away whose columns need not be read then.
  void DropUnusedColumns() {
    const std::vector<int> used = out_.root.Columns();
    std::vector<expr::BoundColumn> columns;
    for (const int column : used) columns.push_back(std::move(out_.columns[column]));
    out_.columns = std::move(columns);
    Renumber(used, &out_.root);
  }

  static void Renumber(const std::vector<int>& used, expr::Predicate* predicate) {
    if (predicate->kind == expr::Predicate::Kind::kLeaf) {
      const auto found = std::lower_bound(used.begin(), used.end(), predicate->leaf.column);
      predicate->leaf.column = static_cast<int>(found - used.begin());
    }
    for (expr::Predicate& child : predicate->children) Renumber(used, &child);
  }

  void Index(const GroupNode& group, const std::vector<expr::Field>& fields) {
    for (int i = 0; i < group.field_count(); ++i) {
      const Node* node = group.field(i).get();
      fields_.emplace(node, &fields[i]);
      if (node->is_group()) Index(static_cast<const GroupNode&>(*node), fields[i].children);
    }
  }

  arrow::Result<expr::Predicate> Walk(const expr::Predicate& predicate) {
    if (predicate.kind == expr::Predicate::Kind::kLeaf) return Rewrite(predicate.leaf);
    if (predicate.children.empty()) return predicate;
    std::vector<expr::Predicate> children;
    for (const expr::Predicate& child : predicate.children) {
      ARROW_ASSIGN_OR_RAISE(expr::Predicate rewritten, Walk(child));
      children.push_back(std::move(rewritten));
    }
    return predicate.kind == expr::Predicate::Kind::kAnd ? expr::Predicate::And(std::move(children))
                                                         : expr::Predicate::Or(std::move(children));
  }

  arrow::Result<expr::Predicate> Rewrite(const expr::Leaf& leaf) {
    const expr::BoundColumn& bound = filter_.columns[leaf.column];
    if (bound.ref == kPosFieldId) {
      expr::Leaf passed = leaf;
      passed.column = ColumnOf(bound);
      return expr::Predicate::Of(std::move(passed));
    }
    Chain chain;
    if (!FindChain(columns_, bound.ref, &chain)) {
      return MakeError(ErrorKind::kInternal, "column " + bound.path + " of the filter was not resolved");
    }
    const auto outside = std::find_if(
        chain.begin(), chain.end(), [](const ResolvedColumn* column) { return column->origin != ColumnOrigin::kFile; });
    if (outside == chain.end()) return InFile(leaf, bound, *chain.back());
    const bool matches = MatchesOutside(leaf, bound, Chain(outside, chain.end()));
    if (matches == leaf.matches_null || outside == chain.begin()) return Constant(matches);
    // The constant belongs to a member of a struct that the file has: it is null where the struct is.
    expr::Leaf on_struct;
    on_struct.keys = matches ? KeySet(Numbers::All()) : KeySet(Numbers::None());
    on_struct.matches_null = !matches;
    on_struct.text = leaf.text;
    const Node* node = (*std::prev(outside))->node;
    on_struct.column = ColumnOf(*node, fields_.at(node)->type);
    return expr::Predicate::Of(std::move(on_struct));
  }

  static expr::Predicate Constant(bool matches) { return matches ? expr::Predicate::True() : expr::Predicate::False(); }

  arrow::Result<expr::Predicate> InFile(const expr::Leaf& leaf, const expr::BoundColumn& bound,
                                        const ResolvedColumn& column) {
    if (column.node->is_repeated()) return Constant(leaf.keys_all());  // empty at worst, never null
    expr::Leaf rewritten = leaf;
    ColumnType type = bound.type;
    if (bound.type.is_comparable()) {
      auto keys = KeysInFile(leaf.keys, bound.type, column.file_type);
      if (!keys) {
        return MakeError(ErrorKind::kUnsupported, "column " + bound.path + ": the file has " +
                                                      column.file_type.ToString() + ", the table " +
                                                      bound.type.ToString());
      }
      rewritten.keys = std::move(*keys);
      type = column.file_type;
    }
    rewritten.column = ColumnOf(*column.node, type);
    return expr::Predicate::Of(std::move(rewritten));
  }

  int ColumnOf(const Node& node, const ColumnType& type) {
    return ColumnOf({node.path()->ToDotString(), type, fields_.at(&node)->ref});
  }

  int ColumnOf(expr::BoundColumn column) {
    for (size_t i = 0; i < out_.columns.size(); ++i) {
      if (out_.columns[i].ref == column.ref) return static_cast<int>(i);
    }
    out_.columns.push_back(std::move(column));
    return static_cast<int>(out_.columns.size()) - 1;
  }

  const expr::BoundFilter& filter_;
  const std::vector<ResolvedColumn>& columns_;
  const expr::FieldTree file_tree_;
  std::unordered_map<const Node*, const expr::Field*> fields_;
  expr::BoundFilter out_;
};

}  // namespace

std::optional<bool> DecideOutside(const expr::Leaf& leaf, const expr::BoundColumn& bound,
                                  const std::vector<ResolvedColumn>& columns) {
  Chain chain;
  if (!FindChain(columns, bound.ref, &chain) || chain.front()->origin == ColumnOrigin::kFile) return std::nullopt;
  return MatchesOutside(leaf, bound, chain);
}

std::optional<KeySet> KeysInFile(const KeySet& keys, const ColumnType& table, const ColumnType& file) {
  if (table.kind == TypeKind::kTime || table.kind == TypeKind::kTimestamp) {
    const auto scale = TimeScale(table, file);
    if (!scale) return std::nullopt;
    return ScaledKeys(std::get<Numbers>(keys), *scale);
  }
  if (SameKeys(table, file)) return keys;
  if (table.kind == TypeKind::kDouble && file.kind == TypeKind::kFloat) return KeysOfFloats(std::get<Numbers>(keys));
  return std::nullopt;
}

arrow::Result<expr::BoundFilter> FilterForFile(const expr::BoundFilter& filter,
                                               const std::vector<ResolvedColumn>& columns,
                                               const ::parquet::SchemaDescriptor& file_schema) {
  return FileFilterMaker(filter, columns, file_schema).Make();
}

}  // namespace frazil::iceberg

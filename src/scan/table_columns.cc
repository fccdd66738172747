// SPDX-License-Identifier: Apache-2.0
#include "src/scan/table_columns.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include <arrow/array/util.h>
#include <arrow/compute/cast.h>
#include <arrow/extension_type.h>
#include <arrow/util/bitmap_ops.h>

#include "frazil/error.h"
#include "src/iceberg/arrow_type.h"

namespace frazil::scan {
namespace {

using ArrayPtr = std::shared_ptr<arrow::Array>;
using iceberg::ColumnOrigin;
using iceberg::ResolvedColumn;
using iceberg::TypeId;
using parquet::ProjectedField;
using ::parquet::schema::GroupNode;
using ::parquet::schema::Node;

arrow::Status Unreadable(const ResolvedColumn& column, const arrow::DataType& found) {
  return MakeError(ErrorKind::kUnsupported,
                   "the file has " + found.ToString() + ", the table " + column.type.ToString(),
                   {.column = column.name});
}

class LeafCollector {
 public:
  explicit LeafCollector(const parquet::Footer& footer) : footer_(footer) {}

  void Collect(const ResolvedColumn& column) {
    if (column.origin != ColumnOrigin::kFile) return;
    if (column.leaf >= 0) {
      leaves_.insert(column.leaf);
      return;
    }
    if (column.type.id == TypeId::kVariant) {
      for (const int leaf : LeavesUnder(*column.node)) leaves_.insert(leaf);
      return;
    }
    const size_t before = leaves_.size();
    for (const ResolvedColumn& child : column.children) Collect(child);
    if (leaves_.size() > before) return;
    // Flat ones first: they have one level a row of the struct.
    const std::vector<int> under = LeavesUnder(*column.node);
    const auto flat = std::find_if(under.begin(), under.end(), [&](int leaf) {
      return footer_.schema().Column(leaf)->max_repetition_level() == 0;
    });
    if (!under.empty()) leaves_.insert(flat == under.end() ? under[0] : *flat);
  }

  const std::set<int>& leaves() const { return leaves_; }

 private:
  std::vector<int> LeavesUnder(const Node& node) const {
    if (node.is_primitive()) return {footer_.schema().ColumnIndex(node)};
    std::vector<int> leaves;
    const auto& group = static_cast<const GroupNode&>(node);
    for (int i = 0; i < group.field_count(); ++i) {
      const std::vector<int> of_child = LeavesUnder(*group.field(i));
      leaves.insert(leaves.end(), of_child.begin(), of_child.end());
    }
    return leaves;
  }

  const parquet::Footer& footer_;
  std::set<int> leaves_;
};

// A leaf that is read for the column.
int FirstLeaf(const ResolvedColumn& column) {
  if (column.origin != ColumnOrigin::kFile) return -1;
  if (column.leaf >= 0) return column.leaf;
  for (const ResolvedColumn& child : column.children) {
    const int leaf = FirstLeaf(child);
    if (leaf >= 0) return leaf;
  }
  return -1;
}

bool HoldsNode(const Node& node, const Node& wanted) {
  if (&node == &wanted) return true;
  if (node.is_primitive()) return false;
  const auto& group = static_cast<const GroupNode&>(node);
  for (int i = 0; i < group.field_count(); ++i) {
    if (HoldsNode(*group.field(i), wanted)) return true;
  }
  return false;
}

// Ticks of one unit as ticks of another: multiplied with care, or divided rounding down, as the filter has it.
arrow::Result<ArrayPtr> ScaleTicks(const ResolvedColumn& column, const arrow::Array& values, int64_t factor,
                                   int64_t divisor, const std::shared_ptr<arrow::DataType>& type) {
  const int64_t length = values.length();
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer,
                        arrow::AllocateBuffer(length * static_cast<int64_t>(sizeof(int64_t))));
  auto* out = reinterpret_cast<int64_t*>(buffer->mutable_data());
  const bool narrow = values.type_id() == arrow::Type::DATE32 || values.type_id() == arrow::Type::TIME32;
  const int32_t* from32 = narrow ? values.data()->GetValues<int32_t>(1) : nullptr;
  const int64_t* from64 = narrow ? nullptr : values.data()->GetValues<int64_t>(1);
  for (int64_t row = 0; row < length; ++row) {
    if (values.IsNull(row)) {
      out[row] = 0;
      continue;
    }
    const int64_t value = narrow ? from32[row] : from64[row];
    int64_t scaled = 0;
    if (__builtin_mul_overflow(value, factor, &scaled)) {
      return MakeError(ErrorKind::kCorrupt, "a value does not fit " + column.type.ToString(), {.column = column.name});
    }
    const int64_t quotient = scaled / divisor;
    out[row] = scaled % divisor < 0 ? quotient - 1 : quotient;
  }
  std::shared_ptr<arrow::Buffer> valid;
  if (values.null_count() > 0) {
    ARROW_ASSIGN_OR_RAISE(valid, arrow::internal::CopyBitmap(arrow::default_memory_pool(), values.null_bitmap_data(),
                                                             values.offset(), length));
  }
  return arrow::MakeArray(arrow::ArrayData::Make(type, length, {std::move(valid), std::move(buffer)}));
}

int64_t TicksPerSecond(const arrow::DataType& type) {
  switch (static_cast<const arrow::TimestampType&>(type).unit()) {
    case arrow::TimeUnit::SECOND:
      return 1;
    case arrow::TimeUnit::MILLI:
      return 1000;
    case arrow::TimeUnit::MICRO:
      return 1'000'000;
    default:
      return 1'000'000'000;
  }
}

arrow::Result<ArrayPtr> TimestampValues(const ResolvedColumn& column, const ArrayPtr& values,
                                        const std::shared_ptr<arrow::DataType>& type) {
  const int64_t wanted = TicksPerSecond(*type);
  if (values->type_id() == arrow::Type::DATE32) return ScaleTicks(column, *values, wanted * 86400, 1, type);
  if (values->type_id() != arrow::Type::TIMESTAMP) return Unreadable(column, *values->type());
  const int64_t found = TicksPerSecond(*values->type());
  // The zone of the table is right: old writers stored instants without one.
  if (found == wanted) return values->View(type);
  return found < wanted ? ScaleTicks(column, *values, wanted / found, 1, type)
                        : ScaleTicks(column, *values, 1, found / wanted, type);
}

arrow::Result<ArrayPtr> PrimitiveValues(const ResolvedColumn& column, ArrayPtr values) {
  const std::shared_ptr<arrow::DataType> type = iceberg::ArrowType(column.type);
  if (values->type()->Equals(*type)) return values;
  if (values->type_id() == arrow::Type::EXTENSION)
    values = static_cast<const arrow::ExtensionArray&>(*values).storage();
  if (type->id() == arrow::Type::TIMESTAMP && values->type_id() != arrow::Type::DICTIONARY) {
    return TimestampValues(column, values, type);
  }
  if (type->id() == arrow::Type::TIME64 && values->type_id() == arrow::Type::TIME64) {
    return ScaleTicks(column, *values, 1, 1000, type);
  }
  if (column.type.id == TypeId::kUuid) {
    if (values->type_id() != arrow::Type::FIXED_SIZE_BINARY) return Unreadable(column, *values->type());
    return arrow::ExtensionType::WrapArray(type, values);
  }
  if (values->type()->Equals(*type)) return values;
  arrow::compute::CastOptions options = arrow::compute::CastOptions::Safe(type);
  options.allow_invalid_utf8 = true;
  auto cast = arrow::compute::Cast(*values, type, options);
  if (cast.ok()) return cast;
  return MakeError(
      cast.status().IsInvalid() ? ErrorKind::kCorrupt : ErrorKind::kUnsupported,
      "the file's " + values->type()->ToString() + " as " + column.type.ToString() + ": " + cast.status().message(),
      {.column = column.name});
}

// The validity bitmap of `array` from its first bit; null where there are no nulls.
arrow::Result<std::shared_ptr<arrow::Buffer>> ValidityOf(const arrow::Array& array) {
  if (array.null_count() == 0) return nullptr;
  if (array.offset() == 0) return array.null_bitmap();
  return arrow::internal::CopyBitmap(arrow::default_memory_pool(), array.null_bitmap_data(), array.offset(),
                                     array.length());
}

// The part of `field`, which was read, that `child` is; -1: none.
int ChildOf(const ProjectedField& field, const ResolvedColumn& child) {
  const int leaf = FirstLeaf(child);
  for (size_t i = 0; i < field.children.size(); ++i) {
    std::vector<int> leaves;
    field.children[i].AppendLeaves(&leaves);
    // A struct of which only its own nulls are read is found by the name that the file gives it.
    const bool same = leaf >= 0 ? std::find(leaves.begin(), leaves.end(), leaf) != leaves.end()
                                : field.children[i].field->name() == child.node->name();
    if (same) return static_cast<int>(i);
  }
  return -1;
}

arrow::Result<ArrayPtr> StructValues(const ResolvedColumn& column, const ProjectedField& field,
                                     const ArrayPtr& values) {
  if (values->type_id() != arrow::Type::STRUCT) return Unreadable(column, *values->type());
  const auto& from = static_cast<const arrow::StructArray&>(*values);
  arrow::ArrayVector children;
  for (const ResolvedColumn& child : column.children) {
    if (child.origin != ColumnOrigin::kFile) {
      ARROW_ASSIGN_OR_RAISE(auto missing, MissingValues(child, values->length()));
      children.push_back(std::move(missing));
      continue;
    }
    const int index = ChildOf(field, child);
    if (index < 0) return Unreadable(child, *values->type());
    ARROW_ASSIGN_OR_RAISE(auto converted,
                          TableValues(child, field.children[static_cast<size_t>(index)], from.field(index)));
    children.push_back(std::move(converted));
  }
  ARROW_ASSIGN_OR_RAISE(auto valid, ValidityOf(*values));
  return std::make_shared<arrow::StructArray>(iceberg::ArrowType(column.type), values->length(), std::move(children),
                                              std::move(valid), values->null_count());
}

arrow::Result<ArrayPtr> ListValues(const ResolvedColumn& column, const ProjectedField& field, ArrayPtr values) {
  if (field.children.size() != 1) return Unreadable(column, *values->type());
  if (values->type_id() != arrow::Type::LIST) {
    // Other kinds of lists come from types that the writer has noted.
    if (values->type()->num_fields() != 1) return Unreadable(column, *values->type());
    ARROW_ASSIGN_OR_RAISE(values, arrow::compute::Cast(*values, arrow::list(values->type()->field(0))));
  }
  const auto& list = static_cast<const arrow::ListArray&>(*values);
  ARROW_ASSIGN_OR_RAISE(auto elements, TableValues(column.children[0], field.children[0], list.values()));
  return std::make_shared<arrow::ListArray>(iceberg::ArrowType(column.type), list.length(), list.value_offsets(),
                                            std::move(elements), list.null_bitmap(), list.null_count(), list.offset());
}

arrow::Result<ArrayPtr> MapValues(const ResolvedColumn& column, const ProjectedField& field, const ArrayPtr& values) {
  if (values->type_id() != arrow::Type::MAP || field.children.size() != 1 || field.children[0].children.size() != 2) {
    return Unreadable(column, *values->type());
  }
  const auto& map = static_cast<const arrow::MapArray&>(*values);
  const std::vector<ProjectedField>& parts = field.children[0].children;
  ARROW_ASSIGN_OR_RAISE(auto keys, TableValues(column.children[0], parts[0], map.keys()));
  ARROW_ASSIGN_OR_RAISE(auto items, TableValues(column.children[1], parts[1], map.items()));
  return std::make_shared<arrow::MapArray>(iceberg::ArrowType(column.type), map.length(), map.value_offsets(),
                                           std::move(keys), std::move(items), map.null_bitmap(), map.null_count(),
                                           map.offset());
}

arrow::Result<ArrayPtr> VariantValues(const ResolvedColumn& column, ArrayPtr values) {
  if (values->type_id() == arrow::Type::EXTENSION)
    values = static_cast<const arrow::ExtensionArray&>(*values).storage();
  const std::shared_ptr<arrow::DataType> type = iceberg::ArrowType(column.type);
  if (values->type_id() != arrow::Type::STRUCT || values->type()->num_fields() != 2) {
    return Unreadable(column, *values->type());
  }
  const auto& from = static_cast<const arrow::StructArray&>(*values);
  arrow::ArrayVector children;
  for (const auto& part : type->fields()) {
    auto child = from.GetFieldByName(part->name());
    if (child == nullptr || child->type_id() != arrow::Type::BINARY) return Unreadable(column, *values->type());
    children.push_back(std::move(child));
  }
  ARROW_ASSIGN_OR_RAISE(auto valid, ValidityOf(*values));
  return std::make_shared<arrow::StructArray>(type, values->length(), std::move(children), std::move(valid),
                                              values->null_count());
}

}  // namespace

arrow::Result<ProjectedField> ProjectColumn(const parquet::Footer& footer, const ResolvedColumn& column) {
  LeafCollector collector(footer);
  collector.Collect(column);
  const GroupNode& root = *footer.schema().group_node();
  for (int i = 0; i < root.field_count() && !collector.leaves().empty(); ++i) {
    if (!HoldsNode(*root.field(i), *column.node)) continue;
    return parquet::ProjectLeaves(footer.manifest().schema_fields[static_cast<size_t>(i)], collector.leaves());
  }
  return MakeError(ErrorKind::kUnsupported, "the file has no column in it that can be read", {.column = column.name});
}

arrow::Result<ArrayPtr> TableValues(const ResolvedColumn& column, const ProjectedField& field, const ArrayPtr& values) {
  if (column.origin != ColumnOrigin::kFile) return MissingValues(column, values->length());
  switch (column.type.id) {
    case TypeId::kStruct:
      return StructValues(column, field, values);
    case TypeId::kList:
      return ListValues(column, field, values);
    case TypeId::kMap:
      return MapValues(column, field, values);
    case TypeId::kVariant:
      return VariantValues(column, values);
    default:
      return PrimitiveValues(column, values);
  }
}

arrow::Result<ArrayPtr> MissingValues(const ResolvedColumn& column, int64_t length) {
  if (column.origin == ColumnOrigin::kConstant) return iceberg::RepeatedValue(column.type, column.constant, length);
  const std::shared_ptr<arrow::DataType> type = iceberg::ArrowType(column.type);
  if (column.origin == ColumnOrigin::kNull) return arrow::MakeArrayOfNull(type, length);
  arrow::ArrayVector children;
  for (const ResolvedColumn& child : column.children) {
    ARROW_ASSIGN_OR_RAISE(auto values, MissingValues(child, length));
    children.push_back(std::move(values));
  }
  return std::make_shared<arrow::StructArray>(type, length, std::move(children));
}

}  // namespace frazil::scan

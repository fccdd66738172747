// SPDX-License-Identifier: Apache-2.0
#include "src/parquet/field_reader.h"

#include <utility>

#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/extension_type.h>
#include <arrow/util/bit_util.h>
#include <parquet/exception.h>
#include <parquet/level_conversion.h>

namespace frazil::parquet {
namespace {

namespace pq = ::parquet;
using arrow::Array;
using arrow::ArrayData;
using arrow::Result;
using arrow::Status;
using ArrayPtr = std::shared_ptr<Array>;
using TypePtr = std::shared_ptr<arrow::DataType>;

Result<ArrayPtr> WithType(ArrayPtr array, const TypePtr& type) {
  if (type->id() == arrow::Type::EXTENSION) return arrow::ExtensionType::WrapArray(type, array);
  return array;
}

Status Disagree(const arrow::Field& field, int64_t got, int64_t want) {
  return MakeError(ErrorKind::kCorrupt, "field " + field.name() + " has " + std::to_string(got) +
                                            " values where its parent has " + std::to_string(want));
}

// A fixed-size list from offsets. Null lists take no values in Parquet but a full slot in Arrow.
Result<ArrayPtr> FixedSizeList(const TypePtr& type, int64_t length, const std::shared_ptr<arrow::Buffer>& validity,
                               int64_t null_count, const int32_t* offsets, const ArrayPtr& items) {
  const int32_t size = static_cast<const arrow::FixedSizeListType&>(*type).list_size();
  arrow::ArrayVector pieces;
  int64_t copied = 0;
  for (int64_t i = 0; i < length; ++i) {
    const int32_t count = offsets[i + 1] - offsets[i];
    if (count == size) continue;
    const bool valid = validity == nullptr || arrow::bit_util::GetBit(validity->data(), i);
    if (valid || count != 0) {
      return MakeError(ErrorKind::kCorrupt, "a list of " + std::to_string(count) + " values in a fixed-size list of " +
                                                std::to_string(size));
    }
    pieces.push_back(items->Slice(copied, offsets[i] - copied));
    ARROW_ASSIGN_OR_RAISE(auto nulls, arrow::MakeArrayOfNull(items->type(), size));
    pieces.push_back(std::move(nulls));
    copied = offsets[i];
  }
  ArrayPtr values = items;
  if (!pieces.empty()) {
    pieces.push_back(items->Slice(copied));
    ARROW_ASSIGN_OR_RAISE(values, arrow::Concatenate(pieces));
  }
  return arrow::MakeArray(ArrayData::Make(type, length, {validity}, {values->data()}, null_count));
}

}  // namespace

const LeafReader* FieldReader::Node::LevelsLeaf() const {
  if (leaf) return leaf.get();
  for (const Node& child : children) {
    if (!child.field.all_repeated()) return child.LevelsLeaf();
  }
  return children.front().LevelsLeaf();
}

Result<std::unique_ptr<FieldReader>> FieldReader::Open(const ProjectedField& field, const OpenLeaf& open_leaf) {
  auto self = std::make_unique<FieldReader>();
  ARROW_RETURN_NOT_OK(self->OpenNode(field, open_leaf, &self->root_));
  return self;
}

Status FieldReader::OpenNode(const ProjectedField& field, const OpenLeaf& open_leaf, Node* node) {
  node->field = field;
  if (field.is_leaf()) {
    ARROW_ASSIGN_OR_RAISE(node->leaf, open_leaf(field.leaf, StorageType(field.field->type()), field.field->nullable()));
    leaves_.push_back(node->leaf.get());
    return Status::OK();
  }
  if (field.children.empty()) {
    return MakeError(ErrorKind::kUnsupported, "field " + field.field->name() + " is a group without columns");
  }
  node->children.resize(field.children.size());
  for (size_t i = 0; i < field.children.size(); ++i) {
    ARROW_RETURN_NOT_OK(OpenNode(field.children[i], open_leaf, &node->children[i]));
  }
  return Status::OK();
}

Result<ArrayPtr> FieldReader::Build() {
  const int64_t row_count = leaves_.front()->row_count();
  try {
    ARROW_ASSIGN_OR_RAISE(auto array, BuildNode(root_, row_count));
    if (array->length() != row_count) {
      return Disagree(*root_.field.field, array->length(), row_count);
    }
    return array;
  } catch (const std::exception& e) {
    return MakeError(ErrorKind::kCorrupt, "field " + root_.field.field->name() + ": " + e.what());
  }
}

// `length_max` is exact: rows of the batch, or slots of the parent.
Result<ArrayPtr> FieldReader::BuildNode(Node& node, int64_t length_max) {
  const TypePtr& type = node.field.field->type();
  const TypePtr storage = StorageType(type);
  ArrayPtr array;
  if (node.leaf) {
    ARROW_ASSIGN_OR_RAISE(array, node.leaf->Values());
  } else if (storage->id() == arrow::Type::STRUCT) {
    ARROW_ASSIGN_OR_RAISE(array, BuildStruct(node, storage, length_max));
  } else if (storage->id() == arrow::Type::LARGE_LIST || storage->id() == arrow::Type::LARGE_LIST_VIEW) {
    ARROW_ASSIGN_OR_RAISE(array, BuildList<int64_t>(node, storage, length_max));
  } else {
    ARROW_ASSIGN_OR_RAISE(array, BuildList<int32_t>(node, storage, length_max));
  }
  return WithType(std::move(array), type);
}

Result<ArrayPtr> FieldReader::BuildStruct(Node& node, const TypePtr& type, int64_t length_max) {
  const LeafReader* levels = node.LevelsLeaf();
  const bool nullable = node.field.field->nullable();
  const bool all_repeated = node.field.all_repeated();
  pq::internal::ValidityBitmapInputOutput io;
  io.values_read_upper_bound = length_max;
  io.values_read = length_max;
  std::shared_ptr<arrow::ResizableBuffer> validity;
  if (nullable) {
    ARROW_ASSIGN_OR_RAISE(validity, arrow::AllocateResizableBuffer(arrow::bit_util::BytesForBits(length_max)));
    std::fill_n(validity->mutable_data(), validity->size(), uint8_t{0});
    io.valid_bits = validity->mutable_data();
  }
  if (nullable && all_repeated) {
    pq::internal::DefRepLevelsToBitmap(levels->def_levels(), levels->rep_levels(), levels->level_count(),
                                       node.field.level_info, &io);
  } else if (nullable) {
    pq::internal::DefLevelsToBitmap(levels->def_levels(), levels->level_count(), node.field.level_info, &io);
  }
  std::vector<std::shared_ptr<ArrayData>> children;
  for (Node& child : node.children) {
    ARROW_ASSIGN_OR_RAISE(auto array, BuildNode(child, io.values_read));
    if (array->length() != io.values_read) return Disagree(*child.field.field, array->length(), io.values_read);
    children.push_back(array->data());
  }
  if (io.null_count == 0) validity = nullptr;
  return arrow::MakeArray(ArrayData::Make(type, io.values_read, {validity}, std::move(children), io.null_count));
}

template <typename Offset>
Result<ArrayPtr> FieldReader::BuildList(Node& node, const TypePtr& type, int64_t length_max) {
  const LeafReader* levels = node.LevelsLeaf();
  pq::internal::ValidityBitmapInputOutput io;
  io.values_read_upper_bound = length_max;
  std::shared_ptr<arrow::ResizableBuffer> validity;
  if (node.field.field->nullable()) {
    ARROW_ASSIGN_OR_RAISE(validity, arrow::AllocateResizableBuffer(arrow::bit_util::BytesForBits(length_max)));
    std::fill_n(validity->mutable_data(), validity->size(), uint8_t{0});
    io.valid_bits = validity->mutable_data();
  }
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> offsets_buffer,
                        arrow::AllocateBuffer((length_max + 1) * static_cast<int64_t>(sizeof(Offset))));
  Offset* offsets = reinterpret_cast<Offset*>(offsets_buffer->mutable_data());
  offsets[0] = 0;
  pq::internal::DefRepLevelsToList(levels->def_levels(), levels->rep_levels(), levels->level_count(),
                                   node.field.level_info, &io, offsets);
  const int64_t item_count = offsets[io.values_read];
  ARROW_ASSIGN_OR_RAISE(auto items, BuildNode(node.children[0], item_count));
  if (items->length() != item_count) return Disagree(*node.children[0].field.field, items->length(), item_count);
  if (io.null_count == 0) validity = nullptr;
  if constexpr (sizeof(Offset) == sizeof(int32_t)) {
    if (type->id() == arrow::Type::FIXED_SIZE_LIST) {
      return FixedSizeList(type, io.values_read, validity, io.null_count, offsets, items);
    }
  }
  const TypePtr list_type = type->id() == arrow::Type::LIST_VIEW ? arrow::list(node.children[0].field.field)
                            : type->id() == arrow::Type::LARGE_LIST_VIEW
                                ? arrow::large_list(node.children[0].field.field)
                                : type;
  auto list = arrow::MakeArray(
      ArrayData::Make(list_type, io.values_read, {validity, offsets_buffer}, {items->data()}, io.null_count));
  if (type->id() == arrow::Type::LIST_VIEW) {
    return arrow::ListViewArray::FromList(static_cast<const arrow::ListArray&>(*list), arrow::default_memory_pool());
  }
  if (type->id() == arrow::Type::LARGE_LIST_VIEW) {
    return arrow::LargeListViewArray::FromList(static_cast<const arrow::LargeListArray&>(*list),
                                               arrow::default_memory_pool());
  }
  return list;
}

}  // namespace frazil::parquet

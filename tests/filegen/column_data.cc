// SPDX-License-Identifier: Apache-2.0
#include "tests/filegen/column_data.h"

#include <type_traits>

namespace frazil::filegen {

namespace {

// Walks one row down the schema and writes to every leaf below.
class Shredder {
 public:
  explicit Shredder(std::vector<ColumnData>* columns) : columns_(columns) {}

  // `leaf` is the ordinal of the first leaf at or below `node`; `rep` and `def` are the levels so far; `depth` is the
  // number of repeated ancestors.
  arrow::Status Field(const Node& node, const Value& value, int16_t rep, int16_t def, int16_t depth, int leaf) {
    if (node.repetition == kRepeated) return Repeated(node, node, value, rep, def, depth, leaf);
    if (value.is_null()) {
      if (node.repetition == kRequired) return arrow::Status::Invalid("null in required field ", node.name);
      Missing(node, rep, def, leaf);
      return arrow::Status::OK();
    }
    if (node.repetition == kOptional) ++def;
    return Present(node, value, rep, def, depth, leaf);
  }

 private:
  // One value that is there, repetition already accounted for.
  arrow::Status Present(const Node& node, const Value& value, int16_t rep, int16_t def, int16_t depth, int leaf) {
    if (node.is_leaf()) return Scalar(node, value, rep, def, leaf);
    switch (node.shape) {
      case Shape::kPlain:
        return Group(node, value, rep, def, depth, leaf);
      case Shape::kList3:
        return Repeated(node.children[0], node.children[0].children[0], value, rep, def, depth, leaf);
      case Shape::kList2:
      case Shape::kMap:
        return Repeated(node.children[0], node.children[0], value, rep, def, depth, leaf);
    }
    return arrow::Status::Invalid("unknown shape of ", node.name);
  }

  // The items of a List, each a value of `item`; `repeated` is the repeated node that carries them.
  arrow::Status Repeated(const Node& repeated, const Node& item, const Value& value, int16_t rep, int16_t def,
                         int16_t depth, int leaf) {
    const List* list = value.get<List>();
    if (list == nullptr) return arrow::Status::Invalid("not a list: ", repeated.name);
    if (list->items.empty()) {
      Missing(repeated, rep, def, leaf);
      return arrow::Status::OK();
    }
    int16_t item_depth = static_cast<int16_t>(depth + 1);
    int16_t item_def = static_cast<int16_t>(def + 1);
    for (const Value& entry : list->items) {
      if (&item == &repeated) {
        if (entry.is_null()) return arrow::Status::Invalid("null entry in ", repeated.name);
        ARROW_RETURN_NOT_OK(Present(item, entry, rep, item_def, item_depth, leaf));
      } else {
        ARROW_RETURN_NOT_OK(Field(item, entry, rep, item_def, item_depth, leaf));
      }
      rep = item_depth;
    }
    return arrow::Status::OK();
  }

  arrow::Status Group(const Node& node, const Value& value, int16_t rep, int16_t def, int16_t depth, int leaf) {
    const Struct* group = value.get<Struct>();
    if (group == nullptr || group->fields.size() != node.children.size()) {
      return arrow::Status::Invalid("not a struct of ", node.children.size(), " fields: ", node.name);
    }
    for (size_t i = 0; i < node.children.size(); ++i) {
      ARROW_RETURN_NOT_OK(Field(node.children[i], group->fields[i], rep, def, depth, leaf));
      leaf += LeafCount(node.children[i]);
    }
    return arrow::Status::OK();
  }

  arrow::Status Scalar(const Node& node, const Value& value, int16_t rep, int16_t def, int leaf) {
    ColumnData& column = (*columns_)[leaf];
    const std::string* text = value.get<std::string>();
    bool is_fixed = node.physical == ::parquet::Type::FIXED_LEN_BYTE_ARRAY;
    if (is_fixed && text != nullptr && static_cast<int64_t>(text->size()) != node.type_length) {
      return arrow::Status::Invalid("value of ", text->size(), " bytes in ", node.name);
    }
    arrow::Status appended = AppendScalar(value, &column.values);
    if (!appended.ok()) return appended.WithMessage(appended.message(), ": ", node.name);
    column.rep_levels.push_back(rep);
    column.def_levels.push_back(def);
    return arrow::Status::OK();
  }

  // Nothing below `node`: one level in every leaf.
  void Missing(const Node& node, int16_t rep, int16_t def, int leaf) {
    int end = leaf + LeafCount(node);
    for (int i = leaf; i < end; ++i) {
      (*columns_)[i].rep_levels.push_back(rep);
      (*columns_)[i].def_levels.push_back(def);
    }
  }

  static int LeafCount(const Node& node) {
    if (node.is_leaf()) return 1;
    int count = 0;
    for (const Node& child : node.children) count += LeafCount(child);
    return count;
  }

  std::vector<ColumnData>* columns_;
};

// One dispatch point from a Value to the typed vector it belongs to.
template <typename T, typename Stored>
arrow::Status AppendAs(const Value& value, std::vector<Stored>* values) {
  const T* scalar = value.get<T>();
  if (scalar == nullptr) return arrow::Status::Invalid("value of another kind");
  values->push_back(static_cast<Stored>(*scalar));
  return arrow::Status::OK();
}

}  // namespace

ValueVector EmptyValues(::parquet::Type::type physical) {
  switch (physical) {
    case ::parquet::Type::BOOLEAN:
      return std::vector<uint8_t>();
    case ::parquet::Type::INT32:
      return std::vector<int32_t>();
    case ::parquet::Type::INT64:
      return std::vector<int64_t>();
    case ::parquet::Type::INT96:
      return std::vector<Int96>();
    case ::parquet::Type::FLOAT:
      return std::vector<float>();
    case ::parquet::Type::DOUBLE:
      return std::vector<double>();
    default:
      return std::vector<std::string>();
  }
}

int64_t ValueCount(const ValueVector& values) {
  return std::visit([](const auto& typed) { return static_cast<int64_t>(typed.size()); }, values);
}

std::string_view PlainView(const ValueVector& values, int64_t index) {
  return std::visit(
      [index](const auto& typed) -> std::string_view {
        using T = typename std::decay_t<decltype(typed)>::value_type;
        if constexpr (std::is_same_v<T, std::string>) {
          return typed[index];
        } else {
          return {reinterpret_cast<const char*>(&typed[index]), sizeof(T)};
        }
      },
      values);
}

arrow::Status AppendScalar(const Value& value, ValueVector* values) {
  return std::visit(
      [&value](auto& typed) {
        using T = typename std::decay_t<decltype(typed)>::value_type;
        if constexpr (std::is_same_v<T, uint8_t>) {
          return AppendAs<bool>(value, &typed);
        } else {
          return AppendAs<T>(value, &typed);
        }
      },
      *values);
}

arrow::Result<std::vector<ColumnData>> Shred(const std::vector<Node>& schema, const std::vector<Row>& rows) {
  std::vector<LeafInfo> leaves = Leaves(schema);
  std::vector<ColumnData> columns(leaves.size());
  for (size_t i = 0; i < leaves.size(); ++i) columns[i].values = EmptyValues(*leaves[i].node->physical);
  std::vector<int> first_leaf;
  int leaf_count = 0;
  for (const Node& node : schema) {
    first_leaf.push_back(leaf_count);
    leaf_count += static_cast<int>(Leaves({node}).size());
  }
  Shredder shredder(&columns);
  for (const Row& row : rows) {
    if (row.size() != schema.size()) return arrow::Status::Invalid("row of ", row.size(), " values");
    for (size_t i = 0; i < schema.size(); ++i) {
      ARROW_RETURN_NOT_OK(shredder.Field(schema[i], row[i], 0, 0, 0, first_leaf[i]));
    }
  }
  return columns;
}

const Value& ValueAt(const Row& row, const std::vector<int>& path) {
  static const Value kNull;
  const Value* value = &row.at(path.at(0));
  for (size_t i = 1; i < path.size(); ++i) {
    const Struct* group = value->get<Struct>();
    if (group == nullptr) return kNull;
    value = &group->fields.at(path[i]);
  }
  return *value;
}

}  // namespace frazil::filegen

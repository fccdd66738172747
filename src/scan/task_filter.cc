// SPDX-License-Identifier: Apache-2.0
#include "src/scan/task_filter.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "frazil/error.h"
#include "src/base/text.h"
#include "src/expr/interval_union.h"
#include "src/expr/parse.h"

namespace frazil::scan {
namespace {

using expr::Int128;
using expr::Interval;
using expr::IntervalSet;
using expr::KeySet;
using expr::Leaf;
using expr::Predicate;
using iceberg::JsonField;
using Json = nlohmann::ordered_json;

constexpr size_t kShownBytesMax = 64;

std::string KeyText(Int128 key) { return expr::Int128ToString(key); }
std::string KeyText(const std::string& key) { return HexOf(key); }

template <typename K>
Json KeysToJson(const IntervalSet<K>& keys) {
  Json list = Json::array();
  for (const Interval<K>& interval : keys.intervals()) {
    if (interval.is_point()) {
      list.push_back(Json::array({KeyText(interval.begin)}));
      continue;
    }
    const bool begins = interval.begin != expr::KeyTraits<K>::Least();
    list.push_back(Json::array(
        {begins ? Json(KeyText(interval.begin)) : Json(), interval.end ? Json(KeyText(*interval.end)) : Json()}));
  }
  return list;
}

// The pattern of a leaf, which stands in its text: leaves with a pattern are one test each.
std::string PatternText(const Leaf& leaf) {
  const auto test = expr::ParseFilter(leaf.text);
  const bool found = test.ok() && (*test)->kind == expr::Expression::Kind::kLike && (*test)->literals.size() == 1;
  return found ? (*test)->literals[0].text : std::string();
}

Json LeafToJson(const Leaf& leaf, const expr::BoundColumn& column) {
  Json json;
  json["field_id"] = column.ref;
  json["column"] = column.path;
  json["keys"] = std::visit([](const auto& keys) { return KeysToJson(keys); }, leaf.keys);
  json["null"] = leaf.matches_null;
  if (leaf.pattern != nullptr) {
    json["like"] = PatternText(leaf);
    json["negated"] = leaf.pattern_negated;
  }
  json["text"] = leaf.text;
  return json;
}

Json PredicateToJson(const Predicate& predicate, const std::vector<expr::BoundColumn>& columns) {
  switch (predicate.kind) {
    case Predicate::Kind::kTrue:
      return true;
    case Predicate::Kind::kFalse:
      return false;
    case Predicate::Kind::kLeaf:
      return LeafToJson(predicate.leaf, columns[static_cast<size_t>(predicate.leaf.column)]);
    default:
      break;
  }
  Json list = Json::array();
  for (const Predicate& child : predicate.children) list.push_back(PredicateToJson(child, columns));
  Json json;
  json[predicate.kind == Predicate::Kind::kAnd ? "and" : "or"] = std::move(list);
  return json;
}

int DepthOf(const Predicate& predicate) {
  int depth = 0;
  for (const Predicate& child : predicate.children) depth = std::max(depth, DepthOf(child));
  return depth + 1;
}

std::optional<Int128> NumberOf(std::string_view digits) {
  const bool negative = digits.starts_with('-');
  if (negative) digits.remove_prefix(1);
  constexpr size_t kDigitsMax = 39;
  if (digits.empty() || digits.size() > kDigitsMax) return std::nullopt;
  Int128 number = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9' || __builtin_mul_overflow(number, Int128{10}, &number) ||
        __builtin_add_overflow(number, Int128{c - '0'}, &number)) {
      return std::nullopt;
    }
  }
  return negative ? -number : number;
}

// Keys of numbers lie within what the type can hold, and one more as an end: whoever computes with them relies on it.
bool FitsType(Int128 key, const expr::ColumnType& type) {
  constexpr Int128 k64Bits = Int128{1} << 63;
  if (type.kind != expr::TypeKind::kDecimal) return key >= -k64Bits && key <= k64Bits;
  Int128 greatest = 1;
  for (int i = 0; i < 38; ++i) greatest *= 10;
  return key >= -greatest && key <= greatest;
}

class ResidualReader {
 public:
  ResidualReader(const iceberg::Schema& schema, const TableBinding& binding) : schema_(schema), binding_(binding) {}

  arrow::Result<Predicate> Read(const JsonField& json) {
    if (json.is_bool()) {
      ARROW_ASSIGN_OR_RAISE(const bool constant, json.As<bool>());
      return constant ? Predicate::True() : Predicate::False();
    }
    for (const bool is_and : {true, false}) {
      ARROW_ASSIGN_OR_RAISE(const auto list, json.Find<std::vector<JsonField>>(is_and ? "and" : "or"));
      if (!list) continue;
      std::vector<Predicate> children;
      for (const JsonField& item : *list) {
        ARROW_ASSIGN_OR_RAISE(Predicate child, Read(item));
        children.push_back(std::move(child));
      }
      return is_and ? Predicate::And(std::move(children)) : Predicate::Or(std::move(children));
    }
    return ReadLeaf(json);
  }

  std::vector<expr::BoundColumn> TakeColumns() { return std::move(columns_); }

 private:
  arrow::Result<Predicate> ReadLeaf(const JsonField& json) {
    ARROW_ASSIGN_OR_RAISE(const JsonField id_field, json.Get<JsonField>("field_id"));
    ARROW_ASSIGN_OR_RAISE(const int id, id_field.As<int32_t>());
    Leaf leaf;
    ARROW_ASSIGN_OR_RAISE(leaf.column, ColumnOf(id, id_field, json));
    const expr::ColumnType& type = columns_[static_cast<size_t>(leaf.column)].type;
    ARROW_ASSIGN_OR_RAISE(const JsonField keys, json.Get<JsonField>("keys"));
    if (type.is_comparable() && type.has_byte_keys()) {
      ARROW_ASSIGN_OR_RAISE(leaf.keys, ReadKeys<std::string>(keys, type));
    } else {
      ARROW_ASSIGN_OR_RAISE(leaf.keys, ReadKeys<Int128>(keys, type));
    }
    if (!type.is_comparable() && !leaf.keys_all() && !leaf.keys_empty()) {
      return keys.Error("the column has a type without an order");
    }
    ARROW_ASSIGN_OR_RAISE(leaf.matches_null, json.Get<bool>("null"));
    ARROW_ASSIGN_OR_RAISE(leaf.text, json.Get<std::string>("text"));
    ARROW_ASSIGN_OR_RAISE(auto pattern, json.Find<std::string>("like"));
    if (pattern) {
      if (type.kind != expr::TypeKind::kString) return json.Error("like: the column is not text");
      leaf.pattern = std::make_shared<const expr::LikePattern>(*std::move(pattern));
      ARROW_ASSIGN_OR_RAISE(leaf.pattern_negated, json.Get<bool>("negated"));
    }
    return Predicate::Of(std::move(leaf));
  }

  arrow::Result<int> ColumnOf(int id, const JsonField& place, const JsonField& leaf) {
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].ref == id) return static_cast<int>(i);
    }
    const auto type = FilterTypeOf(binding_, schema_, id);
    if (!type) return place.Error("there is no field " + std::to_string(id));
    ARROW_ASSIGN_OR_RAISE(std::string path, leaf.Get<std::string>("column"));
    columns_.push_back({std::move(path), *type, id});
    return static_cast<int>(columns_.size()) - 1;
  }

  template <typename K>
  arrow::Result<IntervalSet<K>> ReadKeys(const JsonField& json, const expr::ColumnType& type) {
    ARROW_ASSIGN_OR_RAISE(const auto list, json.As<std::vector<JsonField>>());
    std::vector<IntervalSet<K>> parts;
    for (const JsonField& item : list) {
      ARROW_ASSIGN_OR_RAISE(const auto ends, ReadEnds<K>(item, type));
      const auto& [begin, end] = ends;
      if (begin && end && !(*begin < *end)) return item.Error("ends before it begins");
      parts.push_back(IntervalSet<K>::Range(begin.value_or(expr::KeyTraits<K>::Least()), end));
    }
    return expr::UnionOf<K>(parts);
  }

  template <typename K>
  arrow::Result<std::pair<std::optional<K>, std::optional<K>>> ReadEnds(const JsonField& json,
                                                                        const expr::ColumnType& type) {
    // Ends that are not there are null, which lists of fields leave standing.
    ARROW_ASSIGN_OR_RAISE(const auto ends, json.As<std::vector<JsonField>>());
    if (ends.empty() || ends.size() > 2) return json.Error("one key or two are needed");
    std::optional<K> keys[2];
    for (size_t i = 0; i < ends.size(); ++i) {
      if (ends.size() == 2 && ends[i].Dump() == "null") continue;
      ARROW_ASSIGN_OR_RAISE(const std::string text, ends[i].As<std::string>());
      if constexpr (std::is_same_v<K, Int128>) {
        keys[i] = NumberOf(text);
        if (keys[i] && !FitsType(*keys[i], type)) keys[i].reset();
      } else {
        keys[i] = BytesOfHex(text);
      }
      if (!keys[i]) return ends[i].Error("no key of such a column: " + Printable(text, kShownBytesMax));
    }
    if (ends.size() == 1) keys[1] = expr::KeyTraits<K>::Successor(*keys[0]);
    return std::pair{std::move(keys[0]), std::move(keys[1])};
  }

  const iceberg::Schema& schema_;
  const TableBinding& binding_;
  std::vector<expr::BoundColumn> columns_;
};

}  // namespace

arrow::Result<Json> ResidualToJson(const expr::BoundFilter& filter) {
  if (DepthOf(filter.root) > kResidualDepthMax) {
    return MakeError(ErrorKind::kUnsupported, "the filter has more than " + std::to_string(kResidualDepthMax) +
                                                  " ANDs and ORs in each other, more than a task can hold");
  }
  return PredicateToJson(filter.root, filter.columns);
}

arrow::Result<expr::BoundFilter> ResidualFromJson(const JsonField& json, const iceberg::Schema& schema,
                                                  const TableBinding& binding) {
  ResidualReader reader(schema, binding);
  expr::BoundFilter filter;
  ARROW_ASSIGN_OR_RAISE(filter.root, reader.Read(json));
  filter.columns = reader.TakeColumns();
  return filter;
}

std::string HexOf(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    text += HexDigit(static_cast<uint8_t>(c) >> 4);
    text += HexDigit(static_cast<uint8_t>(c) & 15);
  }
  return text;
}

std::optional<std::string> BytesOfHex(std::string_view digits) {
  if (digits.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (size_t i = 0; i < digits.size(); i += 2) {
    const int high = HexValue(digits[i]);
    const int low = HexValue(digits[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes += static_cast<char>(high << 4 | low);
  }
  return bytes;
}

}  // namespace frazil::scan

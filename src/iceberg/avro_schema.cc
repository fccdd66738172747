// SPDX-License-Identifier: Apache-2.0

#include "src/iceberg/avro_schema.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "frazil/error.h"
#include "src/base/text.h"
#include "src/iceberg/json.h"

namespace frazil::iceberg {

namespace {

constexpr const char* kKindNames[] = {"null",   "boolean", "int",  "long",   "float", "double", "bytes",
                                      "string", "fixed",   "enum", "record", "array", "map",    "union"};

std::optional<AvroKind> KindOfName(std::string_view name) {
  const auto* found = std::find(std::begin(kKindNames), std::end(kKindNames), name);
  if (found == std::end(kKindNames)) return std::nullopt;
  return static_cast<AvroKind>(found - std::begin(kKindNames));
}

// A type inside a type takes up to three levels: the record, its list of fields, the field.
constexpr int kJsonDepthMax = 3 * AvroSchema::kDepthMax + 8;

bool IsPrimitive(AvroKind kind) { return kind <= AvroKind::kString; }

arrow::Status Corrupt(std::string text) {
  return MakeError(ErrorKind::kCorrupt, "the Avro schema is malformed: " + std::move(text));
}

// The member if it is there and of this type. What of a schema is only a note may be of any.
template <typename T>
std::optional<T> MemberIf(const JsonField& object, const char* name) {
  auto found = object.Find<T>(name);
  return found.ok() ? *std::move(found) : std::nullopt;
}

std::string Quoted(std::string_view text) { return "'" + Printable(text, 64) + "'"; }

}  // namespace

const char* AvroKindName(AvroKind kind) { return kKindNames[static_cast<int>(kind)]; }

std::optional<AvroOptional> SeeThroughOptional(const AvroSchema& schema, AvroTypeId type) {
  if (schema[type].kind != AvroKind::kUnion) return AvroOptional{.value = type};
  const auto& branches = schema[type].items;
  AvroOptional seen{.value = -1, .branch_count = static_cast<int32_t>(branches.size())};
  for (int32_t i = 0; i < seen.branch_count; ++i) {
    const bool null = schema[branches[i]].kind == AvroKind::kNull;
    if (null ? seen.null_branch >= 0 : seen.value >= 0) return std::nullopt;
    (null ? seen.null_branch : seen.value) = null ? i : branches[i];
  }
  if (seen.value < 0) return std::nullopt;
  return seen;
}

class AvroSchemaParser {
 public:
  arrow::Result<AvroSchema> Run(const JsonField& json) {
    ARROW_RETURN_NOT_OK(Type(json, "", 0).status());
    states_.assign(types().size(), State::kUnseen);
    for (size_t id = 0; id < types().size(); ++id) ARROW_RETURN_NOT_OK(Measure(static_cast<AvroTypeId>(id), 0));
    for (AvroType& type : types()) ChooseSkip(&type);
    return std::move(schema_);
  }

 private:
  enum class State : uint8_t { kUnseen, kOpen, kDone };

  std::vector<AvroType>& types() { return schema_.types_; }

  AvroTypeId Add(AvroKind kind) {
    types().push_back({.kind = kind});
    return static_cast<AvroTypeId>(types().size() - 1);
  }

  // The index of the type that `json` declares or names. `space` is the enclosing namespace.
  arrow::Result<AvroTypeId> Type(const JsonField& json, const std::string& space, int depth) {
    if (depth > AvroSchema::kDepthMax) return Corrupt("it nests too deeply");
    if (json.is_string()) {
      ARROW_ASSIGN_OR_RAISE(const std::string name, json.As<std::string>());
      return Named(name, space);
    }
    if (json.is_array()) return Union(json, space, depth);
    if (!json.is_object()) return Corrupt("a type is neither a name nor a list nor an object");
    const auto type = MemberIf<JsonField>(json, "type");
    if (!type) return Corrupt("a type has no 'type'");
    const auto name = MemberIf<std::string>(json, "type");
    const std::optional<AvroKind> kind = name ? KindOfName(*name) : std::nullopt;
    if (!kind || *kind == AvroKind::kUnion) return Type(*type, space, depth + 1);
    if (IsPrimitive(*kind)) {
      const AvroTypeId id = Add(*kind);
      TakeLogicalType(json, id);
      return id;
    }
    return Complex(*kind, json, space, depth);
  }

  arrow::Result<AvroTypeId> Named(const std::string& name, const std::string& space) {
    if (const auto kind = KindOfName(name); kind && IsPrimitive(*kind)) return Add(*kind);
    const bool full = name.find('.') != std::string::npos;
    for (const std::string& candidate : {full || space.empty() ? name : space + "." + name, name}) {
      if (const auto found = names_.find(candidate); found != names_.end()) return found->second;
    }
    return Corrupt("no type is named " + Quoted(name));
  }

  arrow::Result<AvroTypeId> Union(const JsonField& json, const std::string& space, int depth) {
    const AvroTypeId id = Add(AvroKind::kUnion);
    ARROW_ASSIGN_OR_RAISE(const auto branches, json.As<std::vector<JsonField>>());
    if (branches.empty()) return Corrupt("a union has no branches");
    for (const JsonField& branch : branches) {
      if (branch.is_array()) return Corrupt("a union is a branch of a union");
      ARROW_ASSIGN_OR_RAISE(const AvroTypeId type, Type(branch, space, depth + 1));
      types()[id].items.push_back(type);
    }
    return id;
  }

  arrow::Result<AvroTypeId> Complex(AvroKind kind, const JsonField& json, const std::string& space, int depth) {
    const AvroTypeId id = Add(kind);
    TakeLogicalType(json, id);
    if (kind == AvroKind::kArray || kind == AvroKind::kMap) {
      const auto items = MemberIf<JsonField>(json, kind == AvroKind::kArray ? "items" : "values");
      if (!items) return Corrupt("an array or map does not say of what");
      ARROW_ASSIGN_OR_RAISE(const AvroTypeId type, Type(*items, space, depth + 1));
      types()[id].items.push_back(type);
      return id;
    }
    ARROW_ASSIGN_OR_RAISE(const std::string inner_space, Define(json, space, id));
    if (kind == AvroKind::kFixed) {
      const auto size = MemberIf<int64_t>(json, "size");
      if (!size || *size < 0 || *size > AvroSchema::kMinBytesCap) return Corrupt("a fixed type has no sound size");
      types()[id].fixed_bytes = *size;
    } else if (kind == AvroKind::kRecord) {
      ARROW_RETURN_NOT_OK(Fields(json, inner_space, depth, id));
    }
    return id;
  }

  // Registers a named type; the namespace of what it holds.
  arrow::Result<std::string> Define(const JsonField& json, const std::string& space, AvroTypeId id) {
    const auto name = MemberIf<std::string>(json, "name");
    if (!name || name->empty()) return Corrupt("a record, enum or fixed type has no name");
    const auto own_space = MemberIf<std::string>(json, "namespace");
    std::string full = *name;
    if (full.find('.') == std::string::npos) {
      const std::string& prefix = own_space ? *own_space : space;
      if (!prefix.empty()) full = prefix + "." + full;
    }
    if (!names_.emplace(full, id).second) return Corrupt("the name " + Quoted(full) + " is defined twice");
    const size_t dot = full.rfind('.');
    return dot == std::string::npos ? std::string() : full.substr(0, dot);
  }

  arrow::Status Fields(const JsonField& json, const std::string& space, int depth, AvroTypeId id) {
    const auto fields = MemberIf<std::vector<JsonField>>(json, "fields");
    if (!fields) return Corrupt("a record has no list of fields");
    for (const JsonField& field : *fields) {
      const auto name = MemberIf<std::string>(field, "name");
      const auto declared = MemberIf<JsonField>(field, "type");
      if (!name || !declared) return Corrupt("a field of a record has no name or no type");
      ARROW_ASSIGN_OR_RAISE(const AvroTypeId type, Type(*declared, space, depth + 1));
      AvroField parsed{.name = *name, .type = type};
      parsed.field_id = MemberIf<int32_t>(field, "field-id");
      types()[id].fields.push_back(std::move(parsed));
    }
    return arrow::Status::OK();
  }

  void TakeLogicalType(const JsonField& json, AvroTypeId id) {
    types()[id].logical_type = MemberIf<std::string>(json, "logicalType").value_or("");
  }

  // Fills in min_bytes, records after what they hold. A record still open when it is met again holds itself.
  arrow::Status Measure(AvroTypeId id, int depth) {
    if (states_[id] == State::kDone) return arrow::Status::OK();
    if (states_[id] == State::kOpen) return Corrupt("a record holds itself");
    if (depth > AvroSchema::kDepthMax) return Corrupt("its records nest too deeply");
    states_[id] = State::kOpen;
    AvroType& type = types()[id];
    switch (type.kind) {
      case AvroKind::kNull:
        break;
      case AvroKind::kFloat:
        type.min_bytes = 4;
        break;
      case AvroKind::kDouble:
        type.min_bytes = 8;
        break;
      case AvroKind::kFixed:
        type.min_bytes = type.fixed_bytes;
        break;
      case AvroKind::kRecord:
        for (const AvroField& field : type.fields) {
          ARROW_RETURN_NOT_OK(Measure(field.type, depth + 1));
          type.min_bytes = std::min(type.min_bytes + types()[field.type].min_bytes, AvroSchema::kMinBytesCap);
        }
        break;
      default:
        type.min_bytes = 1;
    }
    states_[id] = State::kDone;
    return arrow::Status::OK();
  }

  static bool IsVarint(const AvroType& type) {
    return type.kind == AvroKind::kInt || type.kind == AvroKind::kLong || type.kind == AvroKind::kEnum;
  }

  void ChooseSkip(AvroType* type) {
    if (type->min_bytes == 0) {
      type->skip = AvroSkip::kNothing;
      return;
    }
    switch (type->kind) {
      case AvroKind::kNull:
        type->skip = AvroSkip::kNothing;
        break;
      case AvroKind::kInt:
      case AvroKind::kLong:
      case AvroKind::kEnum:
        type->skip = AvroSkip::kVarint;
        break;
      case AvroKind::kBoolean:
      case AvroKind::kFloat:
      case AvroKind::kDouble:
      case AvroKind::kFixed:
        type->skip = AvroSkip::kFixedBytes;
        type->fixed_bytes = type->min_bytes;
        break;
      case AvroKind::kBytes:
      case AvroKind::kString:
        type->skip = AvroSkip::kBytes;
        break;
      case AvroKind::kRecord:
        type->skip = AvroSkip::kRecord;
        break;
      case AvroKind::kUnion:
        type->skip =
            SeeThroughOptional(schema_, Id(type)) && type->items.size() == 2 ? AvroSkip::kOptional : AvroSkip::kUnion;
        break;
      case AvroKind::kMap:
        type->skip = AvroSkip::kMap;
        break;
      case AvroKind::kArray:
        type->skip = ArraySkip(types()[type->items[0]]);
    }
  }

  AvroTypeId Id(const AvroType* type) { return static_cast<AvroTypeId>(type - types().data()); }

  AvroSkip ArraySkip(const AvroType& item) {
    if (IsVarint(item)) return AvroSkip::kVarints;
    if (item.kind == AvroKind::kRecord && item.fields.size() == 2 && IsVarint(types()[item.fields[0].type])) {
      const AvroType& second = types()[item.fields[1].type];
      if (IsVarint(second)) return AvroSkip::kVarintPairs;
      if (second.kind == AvroKind::kBytes || second.kind == AvroKind::kString) return AvroSkip::kVarintBytes;
    }
    return AvroSkip::kArray;
  }

  AvroSchema schema_;
  std::unordered_map<std::string, AvroTypeId> names_;
  std::vector<State> states_;
};

arrow::Result<AvroSchema> AvroSchema::Parse(std::string_view json) {
  const auto document = JsonDocument::Parse(json, {.text_bytes_max = kJsonBytesMax, .depth_max = kJsonDepthMax});
  if (!document.ok()) return Corrupt(document.status().message());
  return AvroSchemaParser().Run(document->root());
}

arrow::Result<std::shared_ptr<const AvroSchema>> AvroSchemas::Parse(std::string_view json) {
  {
    std::lock_guard lock(mutex_);
    const auto known = kept_.find(json);
    if (known != kept_.end()) return known->second;
  }
  ARROW_ASSIGN_OR_RAISE(AvroSchema parsed, AvroSchema::Parse(json));
  auto schema = std::make_shared<const AvroSchema>(std::move(parsed));
  std::lock_guard lock(mutex_);
  if (kept_.size() < kKeptMax) kept_.emplace(std::string(json), schema);
  return schema;
}

}  // namespace frazil::iceberg

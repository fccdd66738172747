// SPDX-License-Identifier: Apache-2.0
//
// The schema that an Avro file was written with, parsed and bounded. Types lie in one flat list and name each other by
// index, so that a schema that refers to itself is no cycle of pointers. Iceberg's attributes are kept: field-id,
// logicalType.
// Source: Apache Avro specification 1.12 "Schema Declaration"; Iceberg specification, Appendix A "Avro".
//
//   ARROW_ASSIGN_OR_RAISE(auto schema, AvroSchema::Parse(json));
//   for (const AvroField& field : schema[AvroSchema::kRoot].fields) ...
//
// A value, never changed after Parse; shared between threads freely.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/result.h>

namespace frazil::iceberg {

enum class AvroKind : uint8_t {
  kNull,
  kBoolean,
  kInt,
  kLong,
  kFloat,
  kDouble,
  kBytes,
  kString,
  kFixed,
  kEnum,
  kRecord,
  kArray,
  kMap,
  kUnion,
};

// "int", "record", ...: Avro's own names.
const char* AvroKindName(AvroKind kind);

// Index of a type in its AvroSchema.
using AvroTypeId = int32_t;

struct AvroField {
  std::string name;
  std::optional<int32_t> field_id = std::nullopt;  // Iceberg's
  AvroTypeId type = 0;
};

// How values of a type are skipped: what the kinds say, with the shapes of manifests' maps told apart.
enum class AvroSkip : uint8_t {
  kNothing,      // takes no bytes
  kVarint,       // int, long, enum
  kFixedBytes,   // boolean, float, double, fixed, and records of such
  kBytes,        // bytes, string
  kRecord,       // the fields, one after the other
  kOptional,     // a union of two, one of them null
  kUnion,        // any other union
  kArray,        // blocks of items
  kVarintPairs,  // an array of records of two varints: the counts of a manifest entry
  kVarintBytes,  // an array of records of a varint and bytes: the bounds of a manifest entry
  kVarints,      // an array of varints
  kMap,          // blocks of pairs of a string and an item
};

struct AvroType {
  AvroKind kind = AvroKind::kNull;
  AvroSkip skip = AvroSkip::kNothing;
  // The least bytes that a value takes. 0 only where every value takes none, such as null. At most kMinBytesCap.
  int64_t min_bytes = 0;
  int64_t fixed_bytes = 0;             // kFixed; with AvroSkip::kFixedBytes the bytes to skip, for any kind
  std::vector<AvroField> fields = {};  // kRecord
  std::vector<AvroTypeId> items = {};  // kUnion: its branches; kArray: its items; kMap: its values
  std::string logical_type = {};       // empty: none
};

class AvroSchema {
 public:
  static constexpr AvroTypeId kRoot = 0;
  // Deeper nesting is refused: of JSON, of records inside records, and (by readers) of values.
  static constexpr int kDepthMax = 64;
  // A schema of more text is refused; a manifest's takes 5 to 10 kB.
  static constexpr int64_t kJsonBytesMax = 4 << 20;
  static constexpr int64_t kMinBytesCap = int64_t{1} << 40;

  // Memory: some tens of bytes for each byte of `json`. Errors (kind corrupt): not JSON, not an Avro schema, an unknown
  // or doubly defined name, a record that holds itself without a union, array or map between, nesting beyond kDepthMax.
  static arrow::Result<AvroSchema> Parse(std::string_view json);

  const AvroType& operator[](AvroTypeId id) const { return types_[id]; }
  const AvroType& root() const { return types_[kRoot]; }
  int64_t type_count() const { return static_cast<int64_t>(types_.size()); }

 private:
  friend class AvroSchemaParser;
  std::vector<AvroType> types_;
};

// Schemas by their text, so that the many files of one writer are parsed once. Thread-safe.
class AvroSchemas {
 public:
  // More are parsed, but not kept.
  static constexpr size_t kKeptMax = 64;

  arrow::Result<std::shared_ptr<const AvroSchema>> Parse(std::string_view json);

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const AvroSchema>, std::less<>> kept_;
};

// A type seen through an optional union: what manifests' fields are made of.
struct AvroOptional {
  AvroTypeId value = 0;      // the type that is not null
  int32_t branch_count = 0;  // 0: no union, the value is always there
  int32_t null_branch = -1;  // -1: never null
};

// Of any type that is no union, and of unions of one type and at most one null; unset for other unions.
std::optional<AvroOptional> SeeThroughOptional(const AvroSchema& schema, AvroTypeId type);

}  // namespace frazil::iceberg

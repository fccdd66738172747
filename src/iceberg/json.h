// SPDX-License-Identifier: Apache-2.0
//
// JSON as table metadata needs it: parsed under limits, then read member by member with errors that name the place.
//
//   ARROW_ASSIGN_OR_RAISE(const JsonDocument document, JsonDocument::Parse(text, {}));
//   ARROW_ASSIGN_OR_RAISE(const int64_t id, document.root().Get<int64_t>("current-schema-id"));
//   -> "current-schema-id: missing"; deeper ones as "schemas[0].fields[2].type: a number where text was expected"
//
// Errors are of kind corrupt, or budget where a limit is hit. A member that is null counts as absent. A name twice in
// one object is an error: readers disagree on which one counts.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <arrow/result.h>
#include <nlohmann/json_fwd.hpp>

namespace frazil::iceberg {

struct JsonLimits {
  int64_t text_bytes_max = int64_t{256} << 20;
  int64_t values_max = int64_t{16} << 20;  // a value costs 16 bytes beside its text
  int depth_max = 100;                     // of arrays and objects in each other
};

// A value inside a document, and its place. Valid as long as the document.
class JsonField {
 public:
  JsonField(const nlohmann::json* value, std::string path) : value_(value), path_(std::move(path)) {}

  // "schemas[0].fields[2]"; empty for the document itself.
  const std::string& path() const { return path_; }
  bool is_object() const;
  bool is_array() const;
  bool is_string() const;
  bool is_bool() const;
  bool is_number() const;

  // T is bool, int32_t, int64_t, uint64_t, double, std::string, JsonField (anything), or std::vector of int32_t or
  // JsonField. A number with a fraction or out of T's range is an error, never rounded (but for double).
  template <typename T>
  arrow::Result<T> As() const;
  // The member of this object. Error: this is no object, there is none (Get only), it is no T.
  template <typename T>
  arrow::Result<T> Get(std::string_view name) const;
  template <typename T>
  arrow::Result<std::optional<T>> Find(std::string_view name) const;
  // All members in the order of their names, those that are null left out.
  arrow::Result<std::vector<std::pair<std::string, JsonField>>> Members() const;

  // The value as JSON text without spaces.
  std::string Dump() const;
  // An error of kind corrupt at this place.
  arrow::Status Error(std::string text) const;

 private:
  arrow::Result<std::optional<JsonField>> Member(std::string_view name) const;
  arrow::Status Mismatch(const char* expected) const;

  const nlohmann::json* value_;
  std::string path_;
};

class JsonDocument {
 public:
  static arrow::Result<JsonDocument> Parse(std::string_view text, const JsonLimits& limits);

  JsonField root() const { return {value_.get(), ""}; }

 private:
  explicit JsonDocument(std::shared_ptr<const nlohmann::json> value) : value_(std::move(value)) {}

  std::shared_ptr<const nlohmann::json> value_;
};

template <typename T>
arrow::Result<T> JsonField::Get(std::string_view name) const {
  ARROW_ASSIGN_OR_RAISE(const std::optional<JsonField> member, Member(name));
  if (!member)
    return JsonField(nullptr, path_.empty() ? std::string(name) : path_ + "." + std::string(name)).Error("missing");
  return member->As<T>();
}

template <typename T>
arrow::Result<std::optional<T>> JsonField::Find(std::string_view name) const {
  ARROW_ASSIGN_OR_RAISE(const std::optional<JsonField> member, Member(name));
  if (!member) return std::nullopt;
  ARROW_ASSIGN_OR_RAISE(T value, member->As<T>());
  return std::optional<T>(std::move(value));
}

}  // namespace frazil::iceberg

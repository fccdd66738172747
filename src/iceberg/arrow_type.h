// SPDX-License-Identifier: Apache-2.0
//
// Iceberg's types as Arrow has them, and single values as Arrow arrays.
//
//   time -> time64[us] | timestamptz -> timestamp[us, UTC] | timestamp_ns -> timestamp[ns] | uuid -> arrow.uuid
//   string -> utf8 | geometry, geography -> binary | unknown -> null | variant -> struct<metadata, value: binary>
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/result.h>
#include <arrow/type.h>

#include "src/iceberg/schema.h"

namespace frazil::iceberg {

std::shared_ptr<arrow::DataType> ArrowType(const Type& type);
// With the field id as metadata, as Parquet files give it.
std::shared_ptr<arrow::Field> ArrowField(const NestedField& field);
std::shared_ptr<arrow::Schema> ArrowSchema(const Schema& schema);

// `bytes` (single_value.h), `length` times. Errors: corrupt for bytes of another width.
// REQUIRES: type is no nested one.
arrow::Result<std::shared_ptr<arrow::Array>> RepeatedValue(const Type& type, std::string_view bytes, int64_t length);

// Single values one after the other, as an array of the ArrowType.
class ValueBuilder {
 public:
  // REQUIRES: type is no nested one and no variant.
  static arrow::Result<ValueBuilder> Make(const Type& type);

  // `bytes` (single_value.h) or, unset, null. Error: corrupt for bytes of another width.
  arrow::Status Append(const std::optional<std::string_view>& bytes);
  arrow::Result<std::shared_ptr<arrow::Array>> Finish();

 private:
  ValueBuilder(Type type, std::unique_ptr<arrow::ArrayBuilder> builder)
      : type_(std::move(type)), builder_(std::move(builder)) {}

  Type type_;
  std::unique_ptr<arrow::ArrayBuilder> builder_;
};

// The key of a value; unset for null. `array` is of the ArrowType of `type`, which has keys.
arrow::Result<std::optional<expr::Key>> KeyOfValue(const Type& type, const arrow::Array& array, int64_t row);

}  // namespace frazil::iceberg

// SPDX-License-Identifier: Apache-2.0
#include "src/scan/binding.h"

#include <algorithm>
#include <utility>

#include "src/expr/bind.h"
#include "src/expr/parse.h"

namespace frazil::scan {
namespace {

bool HasField(const parquet::Footer& footer, const std::string& name) {
  return footer.arrow_schema()->GetFieldIndex(name) >= 0 || footer.arrow_schema()->GetAllFieldIndices(name).size() > 1;
}

// A column of the file hides the metadata column of the same name.
bool IsMetadata(const parquet::Footer& footer, const expr::ColumnPath& path, const char* name) {
  return path.parts.size() == 1 && path.parts[0] == name && !HasField(footer, name);
}

expr::Field MetadataField(const char* name, int ref) {
  expr::Field field;
  field.name = name;
  field.ref = ref;
  if (ref == kPosRef) {
    field.type.kind = expr::TypeKind::kInt;
    field.type.bit_width = 64;
  } else {
    field.type.kind = expr::TypeKind::kString;
  }
  return field;
}

arrow::Result<OutputColumn> ProjectOne(const parquet::Footer& footer, const expr::ColumnPath& path) {
  OutputColumn column;
  if (IsMetadata(footer, path, "_pos")) {
    column.kind = OutputColumn::Kind::kPos;
  } else if (IsMetadata(footer, path, "_file")) {
    column.kind = OutputColumn::Kind::kFile;
  } else {
    ARROW_ASSIGN_OR_RAISE(column.field, parquet::ProjectPath(footer.manifest(), path));
  }
  return column;
}

// Paths that share a struct become one column, where the first of them stands.
void MergeInto(OutputColumn column, std::vector<OutputColumn>* outputs) {
  for (OutputColumn& other : *outputs) {
    if (column.kind != OutputColumn::Kind::kField || other.kind != OutputColumn::Kind::kField) continue;
    if (other.field.is_leaf() || other.field.field->name() != column.field.field->name()) continue;
    auto merged = parquet::MergeProjected({other.field, column.field});
    if (merged.size() == 1) {
      other.field = std::move(merged[0]);
      return;
    }
  }
  outputs->push_back(std::move(column));
}

std::shared_ptr<arrow::Field> FieldOf(const OutputColumn& column) {
  switch (column.kind) {
    case OutputColumn::Kind::kPos:
      return arrow::field("_pos", arrow::int64(), /*nullable=*/false);
    case OutputColumn::Kind::kFile:
      return arrow::field("_file", arrow::utf8(), /*nullable=*/false);
    default:
      return column.field.field;
  }
}

}  // namespace

arrow::Result<Request> ParseRequest(const ScanOptions& options) {
  Request request;
  request.filter_text = options.filter;
  const bool blank = options.filter.find_first_not_of(" \t\r\n") == std::string::npos;
  if (!blank) {
    ARROW_ASSIGN_OR_RAISE(request.filter, expr::ParseFilter(options.filter));
  }
  for (const std::string& column : options.columns) {
    ARROW_ASSIGN_OR_RAISE(auto path, expr::ParseColumnPath(column));
    request.columns.push_back(std::move(path));
  }
  return request;
}

arrow::Status CheckGroups(const expr::BoundFilter& filter, const parquet::Footer& footer) {
  for (const expr::BoundColumn& column : filter.columns) {
    if (column.ref < 0 && footer.filter_schema().GroupOf(column.ref).leaf < 0) {
      return MakeError(ErrorKind::kUnsupported, "a group without columns can not be filtered", {.column = column.path});
    }
  }
  return arrow::Status::OK();
}

arrow::Result<Binding> Bind(const Request& request, const parquet::Footer& footer) {
  Binding binding;
  if (request.filter != nullptr) {
    expr::FieldTree tree = footer.filter_schema().tree;
    if (!HasField(footer, "_pos")) tree.fields.push_back(MetadataField("_pos", kPosRef));
    if (!HasField(footer, "_file")) tree.fields.push_back(MetadataField("_file", kFileRef));
    ARROW_ASSIGN_OR_RAISE(binding.filter, expr::Bind(request.filter, tree, request.filter_text));
    ARROW_RETURN_NOT_OK(CheckGroups(binding.filter, footer));
  }
  if (request.count_only) {
    binding.schema = arrow::schema({});
    return binding;
  }
  if (request.columns.empty()) {
    for (auto& field : parquet::ProjectAll(footer.manifest())) {
      binding.outputs.push_back({OutputColumn::Kind::kField, std::move(field), nullptr, std::nullopt});
    }
  }
  for (const expr::ColumnPath& path : request.columns) {
    ARROW_ASSIGN_OR_RAISE(auto column, ProjectOne(footer, path));
    MergeInto(std::move(column), &binding.outputs);
  }
  arrow::FieldVector fields;
  for (const OutputColumn& column : binding.outputs) fields.push_back(FieldOf(column));
  binding.schema = arrow::schema(std::move(fields), footer.arrow_schema()->metadata());
  return binding;
}

}  // namespace frazil::scan

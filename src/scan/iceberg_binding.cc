// SPDX-License-Identifier: Apache-2.0
#include "src/scan/iceberg_binding.h"

#include <algorithm>
#include <array>
#include <utility>

#include "frazil/error.h"
#include "src/expr/bind.h"
#include "src/iceberg/arrow_type.h"
#include "src/iceberg/single_value.h"
#include "src/scan/table_columns.h"

namespace frazil::scan {
namespace {

using iceberg::ColumnOrigin;
using iceberg::NestedField;
using iceberg::ResolvedColumn;
using iceberg::TypeId;

// The metadata columns, as fields of a table.
const std::vector<NestedField>& MetadataFields() {
  const auto make = [](int id, const char* name, TypeId type) {
    NestedField field;
    field.id = id;
    field.name = name;
    field.required = true;
    field.type = iceberg::Primitive(type);
    return field;
  };
  static const std::vector<NestedField> kFields{make(iceberg::kFileFieldId, "_file", TypeId::kString),
                                                make(iceberg::kPosFieldId, "_pos", TypeId::kLong),
                                                make(iceberg::kSpecIdFieldId, "_spec_id", TypeId::kInt)};
  return kFields;
}

const NestedField* MetadataField(int id) {
  for (const NestedField& field : MetadataFields()) {
    if (field.id == id) return &field;
  }
  return nullptr;
}

expr::FieldTree TreeOf(const iceberg::Schema& schema) {
  expr::FieldTree tree = schema.FilterTree();
  for (const NestedField& field : MetadataFields()) {
    const bool hidden = std::any_of(tree.fields.begin(), tree.fields.end(),
                                    [&](const expr::Field& other) { return other.name == field.name; });
    if (hidden) continue;
    expr::Field out;
    out.name = field.name;
    out.type = FilterType(field.type);
    out.ref = field.id;
    tree.fields.push_back(std::move(out));
  }
  return tree;
}

std::vector<int> RefsOf(const expr::BoundFilter& filter) {
  std::vector<int> ids;
  for (const expr::BoundColumn& column : filter.columns) ids.push_back(column.ref);
  return ids;
}

ResolvedColumn Constant(int id, std::string bytes) {
  const NestedField& field = *MetadataField(id);
  ResolvedColumn column;
  column.field_id = id;
  column.name = field.name;
  column.type = field.type;
  column.origin = ColumnOrigin::kConstant;
  column.constant = std::move(bytes);
  return column;
}

ResolvedColumn MetadataConstant(int id, const DataFileFacts& file) {
  if (id == iceberg::kFileFieldId) return Constant(id, file.location);
  return Constant(id, iceberg::EncodeSingleValue(MetadataField(id)->type, expr::Int128{file.spec_id}));
}

arrow::Result<OutputColumn> OutputOf(ResolvedColumn column, const parquet::Footer& footer) {
  OutputColumn output;
  if (column.origin == ColumnOrigin::kFile) {
    ARROW_ASSIGN_OR_RAISE(output.field, ProjectColumn(footer, column));
  } else {
    output.kind = OutputColumn::Kind::kConstant;
  }
  output.table_column = std::make_shared<const ResolvedColumn>(std::move(column));
  return output;
}

arrow::Status CheckInFile(const ResolvedColumn& column) {
  if (column.origin != ColumnOrigin::kFile) {
    return MakeError(ErrorKind::kCorrupt, "the delete file does not have the column", {.column = column.name});
  }
  for (const ResolvedColumn& child : column.children) ARROW_RETURN_NOT_OK(CheckInFile(child));
  return arrow::Status::OK();
}

iceberg::FieldIds IdsOf(const IcebergTable& table, const parquet::Footer& footer) {
  return iceberg::FieldIdsOf(footer.schema(), table.name_mapping ? &*table.name_mapping : nullptr);
}

}  // namespace

arrow::Result<TableBinding> BindTable(const Request& request, const iceberg::Schema& schema) {
  TableBinding binding;
  const expr::FieldTree tree = TreeOf(schema);
  if (request.filter != nullptr) {
    ARROW_ASSIGN_OR_RAISE(binding.filter, expr::Bind(request.filter, tree, request.filter_text));
  }
  binding.schema = arrow::schema({});
  if (request.count_only) return binding;
  std::vector<int> selected;
  if (request.columns.empty()) {
    for (const NestedField& field : schema.fields()) {
      selected.push_back(field.id);
      binding.output_ids.push_back(field.id);
    }
  }
  for (const expr::ColumnPath& path : request.columns) {
    ARROW_ASSIGN_OR_RAISE(const expr::Field* field, expr::ResolveField(tree, path));
    const std::vector<const NestedField*> nodes = schema.PathTo(field->ref);
    const int top = nodes.empty() ? field->ref : nodes[0]->id;
    selected.push_back(field->ref);
    // Paths that share a struct become one column, where the first of them stands.
    const bool whole = nodes.size() <= 1 && (nodes.empty() || !nodes[0]->type.is_nested());
    if (!whole && std::find(binding.output_ids.begin(), binding.output_ids.end(), top) != binding.output_ids.end()) {
      continue;
    }
    binding.output_ids.push_back(top);
  }
  ARROW_ASSIGN_OR_RAISE(binding.output, iceberg::SelectFields(schema, selected));
  arrow::FieldVector fields;
  for (const int id : binding.output_ids) {
    const NestedField* field = binding.output.FindById(id);
    if (field == nullptr) field = MetadataField(id);
    fields.push_back(iceberg::ArrowField(*field));
  }
  binding.schema = arrow::schema(std::move(fields));
  return binding;
}

std::optional<expr::ColumnType> FilterTypeOf(const iceberg::Schema& schema, int field_id) {
  const NestedField* field = schema.FindById(field_id);
  if (field == nullptr) field = MetadataField(field_id);
  if (field == nullptr) return std::nullopt;
  return FilterType(field->type);
}

arrow::Result<Binding> BindDataFile(const IcebergTable& table, const TableBinding& binding, const DataFileFacts& file,
                                    const parquet::Footer& footer) {
  const iceberg::FieldIds ids = IdsOf(table, footer);
  Binding out;
  out.schema = binding.schema;
  out.file_name = file.location;
  out.deleted = file.deleted;
  out.rows = file.rows;
  const std::vector<int> filter_ids = RefsOf(file.filter);
  ARROW_ASSIGN_OR_RAISE(const iceberg::Schema filtered, iceberg::SelectFields(table.schema_with_dropped, filter_ids));
  ARROW_ASSIGN_OR_RAISE(std::vector<ResolvedColumn> filter_columns,
                        iceberg::ResolveColumns(filtered, footer.schema(), ids, file.identity_values));
  for (const int id : filter_ids) {
    if (id != iceberg::kPosFieldId && MetadataField(id) != nullptr) {
      filter_columns.push_back(MetadataConstant(id, file));
    }
  }
  ARROW_ASSIGN_OR_RAISE(out.filter, iceberg::FilterForFile(file.filter, filter_columns, footer.schema()));
  for (expr::BoundColumn& column : out.filter.columns) {
    if (column.ref == iceberg::kPosFieldId) column.ref = kPosRef;
  }
  ARROW_RETURN_NOT_OK(CheckGroups(out.filter, footer));

  ARROW_ASSIGN_OR_RAISE(const std::vector<ResolvedColumn> columns,
                        iceberg::ResolveColumns(binding.output, footer.schema(), ids, file.identity_values));
  for (const int id : binding.output_ids) {
    OutputColumn output;
    const auto column =
        std::find_if(columns.begin(), columns.end(), [&](const ResolvedColumn& other) { return other.field_id == id; });
    if (column != columns.end()) {
      ARROW_ASSIGN_OR_RAISE(output, OutputOf(*column, footer));
    } else if (id == iceberg::kPosFieldId) {
      output.kind = OutputColumn::Kind::kPos;
    } else {
      ARROW_ASSIGN_OR_RAISE(output, OutputOf(MetadataConstant(id, file), footer));
    }
    out.outputs.push_back(std::move(output));
  }
  return out;
}

arrow::Result<Binding> BindDeleteFile(const iceberg::Schema& columns, const iceberg::NameMapping* mapping,
                                      const parquet::Footer& footer) {
  const iceberg::FieldIds ids = iceberg::FieldIdsOf(footer.schema(), mapping);
  ARROW_ASSIGN_OR_RAISE(std::vector<ResolvedColumn> resolved,
                        iceberg::ResolveColumns(columns, footer.schema(), ids, {}));
  Binding out;
  out.schema = iceberg::ArrowSchema(columns);
  for (ResolvedColumn& column : resolved) {
    ARROW_RETURN_NOT_OK(CheckInFile(column));
    ARROW_ASSIGN_OR_RAISE(OutputColumn output, OutputOf(std::move(column), footer));
    out.outputs.push_back(std::move(output));
  }
  return out;
}

}  // namespace frazil::scan

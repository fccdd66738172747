// SPDX-License-Identifier: Apache-2.0
#include "src/scan/iceberg_binding.h"

#include <algorithm>
#include <utility>

#include "frazil/error.h"
#include "src/expr/bind.h"
#include "src/iceberg/arrow_type.h"
#include "src/iceberg/single_value.h"
#include "src/scan/row_lineage.h"
#include "src/scan/table_columns.h"

namespace frazil::scan {
namespace {

using iceberg::ColumnOrigin;
using iceberg::NestedField;
using iceberg::ResolvedColumn;
using iceberg::TypeId;

// The metadata columns, but those whose names the table's own columns have.
arrow::Result<iceberg::Schema> MetadataSchema(const iceberg::Schema& schema,
                                              const std::vector<NestedField>& partition_fields) {
  std::vector<NestedField> fields;
  const auto add = [&](int id, const char* name, iceberg::Type type, bool required) {
    if (schema.FindByName(name) != nullptr) return;
    NestedField& field = fields.emplace_back();
    field.id = id;
    field.name = name;
    field.required = required;
    field.type = std::move(type);
  };
  iceberg::Type partition;
  partition.id = TypeId::kStruct;
  partition.fields = partition_fields;
  add(iceberg::kFileFieldId, "_file", iceberg::Primitive(TypeId::kString), true);
  add(iceberg::kPosFieldId, "_pos", iceberg::Primitive(TypeId::kLong), true);
  add(iceberg::kSpecIdFieldId, "_spec_id", iceberg::Primitive(TypeId::kInt), true);
  add(iceberg::kPartitionFieldId, "_partition", std::move(partition), true);
  add(iceberg::kRowIdFieldId, "_row_id", iceberg::Primitive(TypeId::kLong), false);
  add(iceberg::kLastUpdatedFieldId, "_last_updated_sequence_number", iceberg::Primitive(TypeId::kLong), false);
  return iceberg::Schema::Make(std::move(fields));
}

expr::FieldTree TreeOf(const iceberg::Schema& schema, const iceberg::Schema& metadata) {
  expr::FieldTree tree = schema.FilterTree();
  expr::FieldTree more = metadata.FilterTree();
  tree.fields.insert(tree.fields.end(), more.fields.begin(), more.fields.end());
  return tree;
}

std::vector<int> RefsOf(const expr::BoundFilter& filter) {
  std::vector<int> ids;
  for (const expr::BoundColumn& column : filter.columns) ids.push_back(column.ref);
  return ids;
}

FileLineage LineageOf(const DataFileFacts& file) {
  FileLineage lineage;
  lineage.first_row_id = file.first_row_id;
  lineage.sequence_number = file.sequence_number;
  return lineage;
}

// A member of _partition, or a column that is one value in the whole file; null without bytes.
ResolvedColumn Constant(const NestedField& field, std::optional<std::string> bytes) {
  ResolvedColumn column;
  column.field_id = field.id;
  column.name = field.name;
  column.type = field.type;
  if (!bytes) return column;
  column.origin = ColumnOrigin::kConstant;
  column.constant = *std::move(bytes);
  return column;
}

// A metadata column that the rows of a file share. `partition` is the whole of _partition, `field` what is asked for.
ResolvedColumn SharedByRows(const NestedField& field, const NestedField* partition, const DataFileFacts& file) {
  const auto number = [&](int64_t value) { return iceberg::EncodeSingleValue(field.type, expr::Int128{value}); };
  if (field.id == iceberg::kFileFieldId) return Constant(field, file.location);
  if (field.id == iceberg::kSpecIdFieldId) return Constant(field, number(file.spec_id));
  if (field.id != iceberg::kPartitionFieldId) {
    const auto inherited = LineageOf(file).Inherited(field.id);
    return Constant(field, inherited ? std::optional(number(inherited->base)) : std::nullopt);
  }
  ResolvedColumn column = Constant(field, std::nullopt);
  column.origin = ColumnOrigin::kStruct;
  for (const NestedField& member : field.type.fields) {
    std::optional<std::string> bytes;
    for (size_t i = 0; i < partition->type.fields.size() && i < file.partition.size(); ++i) {
      if (partition->type.fields[i].id == member.id) bytes = file.partition[i];
    }
    column.children.push_back(Constant(member, std::move(bytes)));
  }
  return column;
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

arrow::Result<TableBinding> BindTable(const Request& request, const iceberg::Schema& schema,
                                      const std::vector<NestedField>& partition_fields) {
  TableBinding binding;
  ARROW_ASSIGN_OR_RAISE(binding.metadata, MetadataSchema(schema, partition_fields));
  const expr::FieldTree tree = TreeOf(schema, binding.metadata);
  if (request.filter != nullptr) {
    ARROW_ASSIGN_OR_RAISE(binding.filter, expr::Bind(request.filter, tree, request.filter_text));
  }
  const auto uses_partition = [&](int id) {
    const auto path = binding.metadata.PathTo(id);
    return !path.empty() && path[0]->id == iceberg::kPartitionFieldId;
  };
  for (const int id : RefsOf(binding.filter)) {
    binding.uses_partition |= uses_partition(id);
    const bool shared = !binding.metadata.PathTo(id).empty() && id != iceberg::kPosFieldId && !IsLineage(id);
    binding.filters_by_file |= shared;
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
    binding.uses_partition |= uses_partition(field->ref);
    std::vector<const NestedField*> nodes = schema.PathTo(field->ref);
    if (nodes.empty()) nodes = binding.metadata.PathTo(field->ref);
    const int top = nodes[0]->id;
    selected.push_back(field->ref);
    // Paths that share a struct become one column, where the first of them stands.
    const bool whole = nodes.size() == 1 && !nodes[0]->type.is_nested();
    if (!whole && std::find(binding.output_ids.begin(), binding.output_ids.end(), top) != binding.output_ids.end()) {
      continue;
    }
    binding.output_ids.push_back(top);
  }
  ARROW_ASSIGN_OR_RAISE(binding.output, iceberg::SelectFields(schema, selected));
  ARROW_ASSIGN_OR_RAISE(binding.output_metadata, iceberg::SelectFields(binding.metadata, selected));
  arrow::FieldVector fields;
  for (const int id : binding.output_ids) {
    const NestedField* field = binding.output.FindById(id);
    if (field == nullptr) field = binding.output_metadata.FindById(id);
    fields.push_back(iceberg::ArrowField(*field));
  }
  binding.schema = arrow::schema(std::move(fields));
  return binding;
}

std::optional<expr::ColumnType> FilterTypeOf(const TableBinding& binding, const iceberg::Schema& schema, int field_id) {
  const NestedField* field = schema.FindById(field_id);
  if (field == nullptr) field = binding.metadata.FindById(field_id);
  if (field == nullptr) return std::nullopt;
  return FilterType(field->type);
}

namespace {

// The columns of row lineage that the file holds.
arrow::Result<std::vector<ResolvedColumn>> LineageInFile(const TableBinding& binding, const parquet::Footer& footer,
                                                         const iceberg::FieldIds& ids) {
  ARROW_ASSIGN_OR_RAISE(
      const iceberg::Schema wanted,
      iceberg::SelectFields(binding.metadata, {iceberg::kRowIdFieldId, iceberg::kLastUpdatedFieldId}));
  ARROW_ASSIGN_OR_RAISE(std::vector<ResolvedColumn> columns, iceberg::ResolveColumns(wanted, footer.schema(), ids, {}));
  std::erase_if(columns, [](const ResolvedColumn& column) { return column.origin != ColumnOrigin::kFile; });
  return columns;
}

const ResolvedColumn* FindColumn(const std::vector<ResolvedColumn>& columns, int field_id) {
  for (const ResolvedColumn& column : columns) {
    if (column.field_id == field_id) return &column;
  }
  return nullptr;
}

expr::Predicate Decided(const expr::Predicate& predicate, const std::vector<expr::BoundColumn>& columns,
                        const std::vector<ResolvedColumn>& shared) {
  using Kind = expr::Predicate::Kind;
  if (predicate.kind == Kind::kLeaf) {
    const auto decided =
        iceberg::DecideOutside(predicate.leaf, columns[static_cast<size_t>(predicate.leaf.column)], shared);
    if (!decided) return predicate;
    return *decided ? expr::Predicate::True() : expr::Predicate::False();
  }
  if (predicate.children.empty()) return predicate;
  std::vector<expr::Predicate> children;
  for (const expr::Predicate& child : predicate.children) children.push_back(Decided(child, columns, shared));
  return predicate.kind == Kind::kAnd ? expr::Predicate::And(std::move(children))
                                      : expr::Predicate::Or(std::move(children));
}

// Of a metadata column.
arrow::Result<OutputColumn> MetadataOutput(const NestedField& field, const NestedField* partition,
                                           const DataFileFacts& file, const std::vector<ResolvedColumn>& in_file,
                                           const parquet::Footer& footer) {
  OutputColumn output;
  output.kind = OutputColumn::Kind::kPos;
  if (field.id == iceberg::kPosFieldId) return output;
  const auto inherited = IsLineage(field.id) ? LineageOf(file).Inherited(field.id) : std::nullopt;
  const ResolvedColumn* held = inherited ? FindColumn(in_file, field.id) : nullptr;
  if (held != nullptr) {
    ARROW_ASSIGN_OR_RAISE(output, OutputOf(*held, footer));
    output.inherited = inherited;
    return output;
  }
  output.inherited = inherited;
  if (inherited && inherited->by_position) return output;
  return OutputOf(SharedByRows(field, partition, file), footer);
}

}  // namespace

expr::Predicate DecideByFile(const TableBinding& binding, const DataFileFacts& file) {
  std::vector<ResolvedColumn> shared;
  const NestedField* partition = binding.metadata.FindById(iceberg::kPartitionFieldId);
  const auto selected = iceberg::SelectFields(binding.metadata, RefsOf(file.filter));
  if (!selected.ok()) return file.filter.root;
  for (const NestedField& field : selected->fields()) {
    if (field.id != iceberg::kPosFieldId && !IsLineage(field.id)) {
      shared.push_back(SharedByRows(field, partition, file));
    }
  }
  if (shared.empty()) return file.filter.root;
  return Decided(file.filter.root, file.filter.columns, shared);
}

arrow::Result<Binding> BindDataFile(const IcebergTable& table, const TableBinding& binding, const DataFileFacts& file,
                                    const parquet::Footer& footer) {
  const iceberg::FieldIds ids = IdsOf(table, footer);
  Binding out;
  out.schema = binding.schema;
  out.file_name = file.location;
  out.deleted = file.deleted;
  out.rows = file.rows;
  ARROW_ASSIGN_OR_RAISE(const std::vector<ResolvedColumn> lineage_columns, LineageInFile(binding, footer, ids));
  FileLineage lineage = LineageOf(file);
  lineage.holds_row_ids = FindColumn(lineage_columns, iceberg::kRowIdFieldId) != nullptr;
  lineage.holds_sequence_numbers = FindColumn(lineage_columns, iceberg::kLastUpdatedFieldId) != nullptr;
  const expr::BoundFilter filter = WithLineage(file.filter, lineage);
  const std::vector<int> filter_ids = RefsOf(filter);
  ARROW_ASSIGN_OR_RAISE(const iceberg::Schema filtered, iceberg::SelectFields(table.schema_with_dropped, filter_ids));
  ARROW_ASSIGN_OR_RAISE(std::vector<ResolvedColumn> filter_columns,
                        iceberg::ResolveColumns(filtered, footer.schema(), ids, file.identity_values));
  filter_columns.insert(filter_columns.end(), lineage_columns.begin(), lineage_columns.end());
  const NestedField* partition = binding.metadata.FindById(iceberg::kPartitionFieldId);
  ARROW_ASSIGN_OR_RAISE(const iceberg::Schema filtered_metadata, iceberg::SelectFields(binding.metadata, filter_ids));
  for (const NestedField& field : filtered_metadata.fields()) {
    if (field.id == iceberg::kPosFieldId || IsLineage(field.id)) continue;
    filter_columns.push_back(SharedByRows(field, partition, file));
  }
  ARROW_ASSIGN_OR_RAISE(out.filter, iceberg::FilterForFile(filter, filter_columns, footer.schema()));
  for (expr::BoundColumn& column : out.filter.columns) {
    if (column.ref == iceberg::kPosFieldId) column.ref = kPosRef;
  }
  ARROW_RETURN_NOT_OK(CheckGroups(out.filter, footer));

  ARROW_ASSIGN_OR_RAISE(const std::vector<ResolvedColumn> columns,
                        iceberg::ResolveColumns(binding.output, footer.schema(), ids, file.identity_values));
  for (const int id : binding.output_ids) {
    OutputColumn output;
    if (const ResolvedColumn* column = FindColumn(columns, id)) {
      ARROW_ASSIGN_OR_RAISE(output, OutputOf(*column, footer));
    } else {
      ARROW_ASSIGN_OR_RAISE(
          output, MetadataOutput(*binding.output_metadata.FindById(id), partition, file, lineage_columns, footer));
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

// SPDX-License-Identifier: Apache-2.0
#include "src/scan/delete_files.h"

#include <algorithm>
#include <set>

#include "frazil/error.h"
#include "src/expr/literal.h"
#include "src/iceberg/arrow_type.h"
#include "src/iceberg/deletion_vector.h"
#include "src/iceberg/single_value.h"
#include "src/scan/row_group_scan.h"

namespace frazil::scan {
namespace {

using expr::Key;
using expr::Predicate;
using iceberg::DeleteFile;
using iceberg::NestedField;
using iceberg::TypeId;

constexpr const char* kPurpose = "delete files";

NestedField PositionField(int id, const char* name, TypeId type) {
  NestedField field;
  field.id = id;
  field.name = name;
  field.required = true;
  field.type = iceberg::Primitive(type);
  return field;
}

arrow::Status CheckReadable(const DeleteFile& file) {
  if (file.format == iceberg::FileFormat::kParquet || file.is_vector()) return arrow::Status::OK();
  return MakeError(ErrorKind::kUnsupported, "delete files of format " + file.format_name + " are not read",
                   {.file = file.location});
}

// The column of a field that may be inside structs, with their nulls.
arrow::Result<std::shared_ptr<arrow::Array>> ColumnAt(const arrow::RecordBatch& batch,
                                                      const std::vector<const NestedField*>& path) {
  std::shared_ptr<arrow::Array> array = batch.GetColumnByName(path[0]->name);
  for (size_t i = 1; i < path.size() && array != nullptr; ++i) {
    const auto& parent = static_cast<const arrow::StructArray&>(*array);
    const auto& type = static_cast<const arrow::StructType&>(*array->type());
    ARROW_ASSIGN_OR_RAISE(array, parent.GetFlattenedField(type.GetFieldIndex(path[i]->name)));
  }
  if (array == nullptr) return MakeError(ErrorKind::kInternal, "an equality column was not read");
  return array;
}

int ColumnOf(int field_id, const iceberg::Type& type, const iceberg::Schema& schema, expr::BoundFilter* filter) {
  for (size_t i = 0; i < filter->columns.size(); ++i) {
    if (filter->columns[i].ref == field_id) return static_cast<int>(i);
  }
  filter->columns.push_back({schema.NameOf(field_id), FilterType(type), field_id});
  return static_cast<int>(filter->columns.size()) - 1;
}

// Every value of a column but these; null too, unless it is one of them.
Predicate Others(int column, const iceberg::Type& type, const std::set<std::optional<Key>>& values) {
  expr::Leaf leaf;
  leaf.column = column;
  leaf.matches_null = !values.contains(std::nullopt);
  const expr::ColumnType filter_type = FilterType(type);
  if (filter_type.has_byte_keys()) {
    std::vector<std::string> keys;
    for (const auto& value : values) {
      if (value) keys.push_back(std::get<std::string>(*value));
    }
    leaf.keys = expr::IntervalSet<std::string>::Points(std::move(keys)).Complement();
  } else {
    std::vector<expr::Int128> keys;
    for (const auto& value : values) {
      if (value) keys.push_back(std::get<expr::Int128>(*value));
    }
    leaf.keys = expr::IntervalSet<expr::Int128>::Points(std::move(keys)).Complement();
  }
  leaf.text = "not deleted by equality";
  return Predicate::Of(std::move(leaf));
}

}  // namespace

template <typename T>
const arrow::Result<T>& DeleteFiles::Read(const DeleteFile& file, ByFile<T>* files,
                                          arrow::Result<T> (DeleteFiles::*read)(const DeleteFile&)) {
  Once<T>* once;
  {
    std::lock_guard lock(mutex_);
    once = &(*files)[&file];
  }
  std::call_once(once->flag, [&] {
    context_->evidence->Count(Level::kDeleteFiles, 0, 1);
    once->content = (this->*read)(file);
  });
  return once->content;
}

arrow::Status DeleteFiles::ReadColumns(const DeleteFile& file, const iceberg::Schema& columns,
                                       const iceberg::NameMapping* mapping, const OnBatch& on_batch) {
  ARROW_ASSIGN_OR_RAISE(const std::string address, table_->locations.Address(file.location));
  ARROW_ASSIGN_OR_RAISE(auto source, table_->stores->Open(address));
  // A scan of its own, whose bytes are counted with those of the table's and whose rows are not.
  auto context = std::make_shared<ScanContext>();
  context->options = context_->options;
  context->options.filter.clear();
  context->options.columns.clear();
  context->options.limit = -1;
  context->trace = context_->trace;
  context->evidence = std::make_shared<Evidence>(context->options, context->trace);
  context->schema = iceberg::ArrowSchema(columns);
  context->threads = context_->threads;
  ARROW_ASSIGN_OR_RAISE(auto scan, PlanFile(context, std::move(source), nullptr, [&](const parquet::Footer& footer) {
                          return BindDeleteFile(columns, mapping, footer);
                        }));
  for (const RowGroupCandidate& candidate : scan->candidates) {
    RowGroupScan row_group(scan, candidate, -1);
    while (true) {
      ARROW_ASSIGN_OR_RAISE(auto batch, row_group.Next());
      if (batch == nullptr) break;
      ARROW_RETURN_NOT_OK(on_batch(*batch));
    }
  }
  return arrow::Status::OK();
}

arrow::Result<RowRanges> DeleteFiles::ReadVector(const DeleteFile& file) {
  if (!file.content_offset || !file.content_size_bytes || *file.content_offset < 0 || *file.content_size_bytes < 0) {
    return MakeError(ErrorKind::kCorrupt, "the manifest does not say where in it the deletion vector lies");
  }
  ARROW_ASSIGN_OR_RAISE(const std::string address, table_->locations.Address(file.location));
  ARROW_ASSIGN_OR_RAISE(auto source, table_->stores->Open(address));
  io::RangeReader reader(std::move(source), context_->trace,
                         io::ReadBudget{context_->options.bytes_max, context_->options.requests_max});
  const ByteRange range{*file.content_offset, *file.content_size_bytes};
  ARROW_RETURN_NOT_OK(reader.Fetch({range}, kPurpose));
  ARROW_ASSIGN_OR_RAISE(const auto bytes, reader.Get(range));
  std::optional<int64_t> cardinality;
  if (file.record_count >= 0) cardinality = file.record_count;
  auto rows = iceberg::DecodeDeletionVector(std::string_view(*bytes), cardinality);
  if (!rows.ok()) return AddPlace(rows.status(), {.range = range});
  return rows;
}

arrow::Result<DeleteFiles::Positions> DeleteFiles::ReadPositions(const DeleteFile& file) {
  ARROW_ASSIGN_OR_RAISE(const auto columns,
                        iceberg::Schema::Make({
                            PositionField(iceberg::kDeletePathFieldId, "file_path", TypeId::kString),
                            PositionField(iceberg::kDeletePosFieldId, "pos", TypeId::kLong),
                        }));
  const iceberg::NameMapping mapping{{iceberg::kDeletePathFieldId, {"file_path"}, {}},
                                     {iceberg::kDeletePosFieldId, {"pos"}, {}}};
  std::map<std::string, std::vector<RowRange>, std::less<>> runs;
  prune::Unusable unusable;
  ARROW_RETURN_NOT_OK(ReadColumns(file, columns, &mapping, [&](const arrow::RecordBatch& batch) -> arrow::Status {
    const auto& paths = static_cast<const arrow::StringArray&>(*batch.column(0));
    const auto& positions = static_cast<const arrow::Int64Array&>(*batch.column(1));
    std::vector<RowRange>* of_path = nullptr;
    std::string_view path;
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      // Both are required. Without a path it is about no file; without a position it can not be told what it is about.
      if (paths.IsNull(row)) {
        unusable.Add("file_path", "a position delete without a path");
        continue;
      }
      if (positions.IsNull(row) || positions.Value(row) < 0 || positions.Value(row) == INT64_MAX) {
        return MakeError(ErrorKind::kCorrupt, "a position delete without a position from 0 on");
      }
      if (of_path == nullptr || paths.GetView(row) != path) {
        path = paths.GetView(row);
        auto found = runs.find(path);
        if (found == runs.end()) found = runs.emplace(std::string(path), std::vector<RowRange>()).first;
        of_path = &found->second;
      }
      const int64_t position = positions.Value(row);
      if (!of_path->empty() && of_path->back().end == position) {
        ++of_path->back().end;
      } else {
        of_path->push_back({position, position + 1});
      }
    }
    return arrow::Status::OK();
  }));
  context_->evidence->AddUnusable(Level::kDeleteFiles, unusable);
  Positions result;
  for (auto& [path, of_path] : runs) {
    const std::string part(iceberg::SplitLocation(path).path);
    result[part].emplace(path, RowRanges::FromUnsorted(std::move(of_path)));
  }
  return result;
}

arrow::Result<RowRanges> DeleteFiles::DeletedRows(const DeleteFile& file, const std::string& data_location) {
  ARROW_RETURN_NOT_OK(CheckReadable(file));
  const ErrorPlace place{.file = file.location};
  if (file.is_vector()) {
    context_->evidence->Count(Level::kDeleteFiles, 0, 1);
    auto rows = ReadVector(file);
    return rows.ok() ? rows : AddPlace(rows.status(), place);
  }
  const auto& positions = Read(file, &positions_, &DeleteFiles::ReadPositions);
  if (!positions.ok()) return AddPlace(positions.status(), place);
  RowRanges rows;
  const auto found = positions->find(iceberg::SplitLocation(data_location).path);
  if (found == positions->end()) return rows;
  for (const auto& [location, deleted] : found->second) {
    if (iceberg::SameLocation(location, data_location)) rows = rows.Union(deleted);
  }
  return rows;
}

arrow::Result<DeleteFiles::EqualityDeletes> DeleteFiles::ReadEquality(const DeleteFile& file) {
  EqualityDeletes deletes;
  const iceberg::Schema& schema = table_->schema_with_dropped;
  std::vector<std::vector<const NestedField*>> paths;
  ARROW_ASSIGN_OR_RAISE(const iceberg::Schema columns,
                        iceberg::SelectFields(schema, {file.equality_ids.begin(), file.equality_ids.end()}));
  if (file.equality_ids.empty()) return MakeError(ErrorKind::kCorrupt, "an equality delete file without equality ids");
  for (const int id : file.equality_ids) {
    std::vector<const NestedField*> path = columns.PathTo(id);
    if (path.empty()) {
      return MakeError(ErrorKind::kCorrupt,
                       "its rows are by the field " + std::to_string(id) + ", which no schema of the table has");
    }
    if (!FilterType(path.back()->type).is_comparable()) {
      return MakeError(ErrorKind::kUnsupported, "equality of " + path.back()->type.ToString() + " is not decided",
                       {.column = columns.NameOf(id)});
    }
    deletes.field_ids.push_back(id);
    deletes.types.push_back(path.back()->type);
    paths.push_back(std::move(path));
  }
  const iceberg::NameMapping* mapping = table_->name_mapping ? &*table_->name_mapping : nullptr;
  ARROW_RETURN_NOT_OK(ReadColumns(file, columns, mapping, [&](const arrow::RecordBatch& batch) -> arrow::Status {
    arrow::ArrayVector arrays;
    for (const auto& path : paths) {
      ARROW_ASSIGN_OR_RAISE(auto array, ColumnAt(batch, path));
      arrays.push_back(std::move(array));
    }
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      Tuple& tuple = deletes.tuples.emplace_back();
      for (size_t i = 0; i < arrays.size(); ++i) {
        ARROW_ASSIGN_OR_RAISE(auto key, iceberg::KeyOfValue(deletes.types[i], *arrays[i], row));
        tuple.push_back(std::move(key));
      }
    }
    return arrow::Status::OK();
  }));
  std::sort(deletes.tuples.begin(), deletes.tuples.end());
  deletes.tuples.erase(std::unique(deletes.tuples.begin(), deletes.tuples.end()), deletes.tuples.end());
  return deletes;
}

arrow::Status DeleteFiles::Apply(const std::vector<const DeleteFile*>& files, DataFileFacts* data) {
  for (const DeleteFile* file : files) {
    if (file->content == iceberg::FileContent::kEqualityDeletes) {
      ARROW_RETURN_NOT_OK(KeepOthers(*file, &data->filter));
      continue;
    }
    ARROW_ASSIGN_OR_RAISE(const RowRanges rows, DeletedRows(*file, data->location));
    data->deleted = data->deleted.Union(rows);
  }
  return arrow::Status::OK();
}

arrow::Status DeleteFiles::KeepOthers(const DeleteFile& file, expr::BoundFilter* filter) {
  ARROW_RETURN_NOT_OK(CheckReadable(file));
  const auto& read = Read(file, &equality_, &DeleteFiles::ReadEquality);
  if (!read.ok()) return AddPlace(read.status(), {.file = file.location});
  const EqualityDeletes& deletes = *read;
  const size_t width = deletes.field_ids.size();
  std::vector<int> columns;
  for (size_t i = 0; i < width; ++i) {
    columns.push_back(ColumnOf(deletes.field_ids[i], deletes.types[i], table_->schema_with_dropped, filter));
  }
  // Tuples that differ in the last column alone are one condition; they stand side by side.
  std::vector<Predicate> conditions{filter->root};
  for (size_t begin = 0; begin < deletes.tuples.size();) {
    const Tuple& first = deletes.tuples[begin];
    std::set<std::optional<Key>> last;
    size_t end = begin;
    while (end < deletes.tuples.size() && std::equal(first.begin(), first.end() - 1, deletes.tuples[end].begin())) {
      last.insert(deletes.tuples[end++].back());
    }
    std::vector<Predicate> differs;
    for (size_t i = 0; i + 1 < width; ++i) differs.push_back(Others(columns[i], deletes.types[i], {first[i]}));
    differs.push_back(Others(columns[width - 1], deletes.types[width - 1], last));
    conditions.push_back(Predicate::Or(std::move(differs)));
    begin = end;
  }
  filter->root = Predicate::And(std::move(conditions));
  return arrow::Status::OK();
}

}  // namespace frazil::scan

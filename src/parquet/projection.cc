// SPDX-License-Identifier: Apache-2.0
#include "src/parquet/projection.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <arrow/extension_type.h>
#include <arrow/type_traits.h>

#include "frazil/error.h"
#include "src/base/text.h"

namespace frazil::parquet {
namespace {

using ::parquet::arrow::SchemaField;

ProjectedField Whole(const SchemaField& source) {
  ProjectedField out{source.field, source.level_info, source.column_index, {}};
  for (const SchemaField& child : source.children) out.children.push_back(Whole(child));
  return out;
}

// The type of `field` with other children. Lists keep their kind.
std::shared_ptr<arrow::DataType> WithChildren(const arrow::DataType& type, const arrow::FieldVector& children) {
  switch (type.id()) {
    case arrow::Type::LIST:
      return arrow::list(children[0]);
    case arrow::Type::LARGE_LIST:
      return arrow::large_list(children[0]);
    case arrow::Type::LIST_VIEW:
      return arrow::list_view(children[0]);
    case arrow::Type::LARGE_LIST_VIEW:
      return arrow::large_list_view(children[0]);
    case arrow::Type::FIXED_SIZE_LIST:
      return arrow::fixed_size_list(children[0], static_cast<const arrow::FixedSizeListType&>(type).list_size());
    default:
      return arrow::struct_(children);
  }
}

bool IsListLike(const arrow::DataType& type) {
  return arrow::is_list_like(type.id()) || arrow::is_list_view(type.id());
}

ProjectedField WithFields(const ProjectedField& source, std::vector<ProjectedField> children) {
  ProjectedField out = source;
  arrow::FieldVector fields;
  for (const ProjectedField& child : children) fields.push_back(child.field);
  out.children = std::move(children);
  out.field = source.field->WithType(WithChildren(*source.field->type(), fields));
  return out;
}

// The part of `source` that parts[i..] name; unset when a name does not exist.
std::optional<ProjectedField> Narrow(const ProjectedField& source, const std::vector<std::string>& parts, size_t i) {
  if (i == parts.size()) return source;
  if (source.is_leaf() || source.field->type()->id() == arrow::Type::MAP) return std::nullopt;
  for (const ProjectedField& child : source.children) {
    if (child.field->name() != parts[i]) continue;
    auto narrowed = Narrow(child, parts, i + 1);
    if (!narrowed) return std::nullopt;
    return WithFields(source, {std::move(*narrowed)});
  }
  if (IsListLike(*source.field->type()) && source.children.size() == 1) {
    auto narrowed = Narrow(source.children[0], parts, i);
    if (narrowed) return WithFields(source, {std::move(*narrowed)});
  }
  return std::nullopt;
}

ProjectedField Merge(const ProjectedField& a, const ProjectedField& b) {
  if (a.is_leaf()) return a;
  std::vector<ProjectedField> children = a.children;
  for (const ProjectedField& child : b.children) {
    auto same = std::find_if(children.begin(), children.end(), [&](const ProjectedField& other) {
      return other.field->name() == child.field->name() && other.level_info == child.level_info;
    });
    if (same == children.end()) {
      children.push_back(child);
    } else {
      *same = Merge(*same, child);
    }
  }
  // A side that is whole already has its own type (a map, an extension): keep it.
  if (children.size() == a.children.size() && a.field->type()->id() == arrow::Type::MAP) return a;
  return WithFields(a, std::move(children));
}

bool HoldsOneOf(const ProjectedField& field, const std::set<int>& leaves) {
  if (field.is_leaf()) return leaves.contains(field.leaf);
  return std::any_of(field.children.begin(), field.children.end(),
                     [&](const ProjectedField& child) { return HoldsOneOf(child, leaves); });
}

ProjectedField PartWith(const ProjectedField& field, const std::set<int>& leaves) {
  if (field.is_leaf() || field.field->type()->id() == arrow::Type::MAP) return field;
  // An extension type has its parts for a reason.
  if (field.field->type()->id() == arrow::Type::EXTENSION) return field;
  std::vector<ProjectedField> children;
  for (const ProjectedField& child : field.children) {
    if (HoldsOneOf(child, leaves)) children.push_back(PartWith(child, leaves));
  }
  return WithFields(field, std::move(children));
}

void AppendPaths(const ProjectedField& field, const std::string& prefix, std::vector<std::string>* paths) {
  const std::string path = prefix + expr::ColumnPath{{field.field->name()}, 0}.ToString();
  paths->push_back(path);
  if (IsListLike(*field.field->type())) return;
  for (const ProjectedField& child : field.children) AppendPaths(child, path + ".", paths);
}

}  // namespace

bool ProjectedField::all_repeated() const {
  if (is_leaf()) return false;
  if (IsListLike(*field->type()) || field->type()->id() == arrow::Type::MAP) return true;
  return std::all_of(children.begin(), children.end(), [](const ProjectedField& c) { return c.all_repeated(); });
}

void ProjectedField::AppendLeaves(std::vector<int>* leaves) const {
  if (is_leaf()) leaves->push_back(leaf);
  for (const ProjectedField& child : children) child.AppendLeaves(leaves);
}

std::shared_ptr<arrow::DataType> StorageType(std::shared_ptr<arrow::DataType> type) {
  while (type->id() == arrow::Type::EXTENSION) type = static_cast<const arrow::ExtensionType&>(*type).storage_type();
  return type;
}

std::vector<ProjectedField> ProjectAll(const ::parquet::arrow::SchemaManifest& manifest) {
  std::vector<ProjectedField> fields;
  for (const SchemaField& field : manifest.schema_fields) fields.push_back(Whole(field));
  return fields;
}

arrow::Result<ProjectedField> ProjectPath(const ::parquet::arrow::SchemaManifest& manifest,
                                          const expr::ColumnPath& path) {
  std::vector<std::string> paths;
  for (const SchemaField& source : manifest.schema_fields) {
    const ProjectedField whole = Whole(source);
    if (source.field->name() == path.parts[0]) {
      auto narrowed = Narrow(whole, path.parts, 1);
      if (narrowed) return *narrowed;
    }
    AppendPaths(whole, "", &paths);
  }
  std::string message = "unknown column " + path.ToString();
  const auto near = NearMatches(path.ToString(), paths, 3);
  for (size_t i = 0; i < near.size(); ++i) message += (i == 0 ? "; did you mean " : " or ") + paths[near[i]];
  if (!near.empty()) return MakeError(ErrorKind::kUsage, message + "?");
  constexpr size_t kListedMax = 10;
  for (size_t i = 0; i < std::min(paths.size(), kListedMax); ++i) {
    message += (i == 0 ? "; the columns are " : ", ") + paths[i];
  }
  if (paths.size() > kListedMax) message += " and " + std::to_string(paths.size() - kListedMax) + " more";
  return MakeError(ErrorKind::kUsage, message);
}

std::vector<ProjectedField> MergeProjected(std::vector<ProjectedField> fields) {
  std::vector<ProjectedField> merged;
  for (ProjectedField& field : fields) {
    std::vector<int> leaves;
    field.AppendLeaves(&leaves);
    auto same = std::find_if(merged.begin(), merged.end(), [&](const ProjectedField& other) {
      return !field.is_leaf() && other.field->name() == field.field->name();
    });
    if (same == merged.end()) {
      merged.push_back(std::move(field));
    } else {
      *same = Merge(*same, field);
    }
  }
  return merged;
}

ProjectedField ProjectLeaves(const SchemaField& field, const std::set<int>& leaves) {
  return PartWith(Whole(field), leaves);
}

arrow::Result<ProjectedField> ProjectLeaf(const ::parquet::arrow::SchemaManifest& manifest, int leaf) {
  const SchemaField* field = nullptr;
  ARROW_RETURN_NOT_OK(manifest.GetColumnField(leaf, &field));
  return Whole(*field);
}

}  // namespace frazil::parquet

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frazil/error.h"
#include "src/base/text.h"
#include "src/expr/bind.h"

namespace frazil::expr {
namespace {

// A field of the schema under its path, as written and as plain text for likeness.
struct KnownPath {
  std::string written;
  std::string dotted;
};

void CollectPaths(const std::vector<Field>& fields, ColumnPath* path, std::vector<KnownPath>* out) {
  for (const Field& field : fields) {
    path->parts.push_back(field.name);
    KnownPath known{path->ToString(), path->parts[0]};
    for (size_t i = 1; i < path->parts.size(); ++i) known.dotted += "." + path->parts[i];
    out->push_back(std::move(known));
    CollectPaths(field.children, path, out);
    path->parts.pop_back();
  }
}

// Names come from a file; what they hold must not reach the terminal as it is.
std::string ShownPath(std::string_view written) {
  constexpr size_t kBytesMax = 200;
  return Printable(written, kBytesMax);
}

std::string NearText(const std::vector<KnownPath>& known, const std::vector<size_t>& near) {
  std::string text = "did you mean ";
  for (size_t i = 0; i < near.size(); ++i) {
    if (i > 0) text += i + 1 == near.size() ? " or " : ", ";
    text += ShownPath(known[near[i]].written);
  }
  return text + "?";
}

// The names that could stand where the search ended: the first ten fields of the deepest group found.
std::string ListText(const std::vector<Field>& fields, ColumnPath prefix) {
  constexpr size_t kCountMax = 10;
  const std::string group = prefix.ToString();
  if (fields.empty()) return group.empty() ? "there are no columns" : group + " has no fields";
  std::string text = group.empty() ? "the columns are " : "the fields of it are ";
  for (size_t i = 0; i < std::min(fields.size(), kCountMax); ++i) {
    if (i > 0) text += ", ";
    prefix.parts.push_back(fields[i].name);
    text += ShownPath(prefix.ToString());
    prefix.parts.pop_back();
  }
  if (fields.size() > kCountMax) text += " and " + std::to_string(fields.size() - kCountMax) + " more";
  return text;
}

// `found`: the parts of the path that lead to `fields`.
arrow::Status UnknownColumn(const FieldTree& schema, const ColumnPath& path, ColumnPath found,
                            const std::vector<Field>& fields) {
  constexpr size_t kNearMax = 3;
  std::vector<KnownPath> known;
  ColumnPath walked;
  CollectPaths(schema.fields, &walked, &known);
  std::vector<std::string> dotted;
  for (KnownPath& one : known) dotted.push_back(std::move(one.dotted));
  std::string wanted;
  for (const std::string& part : path.parts) wanted += (wanted.empty() ? "" : ".") + part;
  const std::vector<size_t> near = NearMatches(wanted, dotted, kNearMax);
  return MakeError(ErrorKind::kUsage, "unknown column " + path.ToString() + "; " +
                                          (near.empty() ? ListText(fields, std::move(found)) : NearText(known, near)));
}

arrow::Result<const Field*> ResolveNested(const FieldTree& schema, const ColumnPath& path) {
  const std::vector<Field>* fields = &schema.fields;
  const Field* field = nullptr;
  ColumnPath found;
  for (const std::string& part : path.parts) {
    field = nullptr;
    for (const Field& candidate : *fields) {
      if (candidate.name != part) continue;
      if (field != nullptr) {
        return MakeError(ErrorKind::kUsage, "column " + path.ToString() + " is ambiguous: there are two of that name");
      }
      field = &candidate;
    }
    if (field == nullptr) return UnknownColumn(schema, path, std::move(found), *fields);
    found.parts.push_back(part);
    fields = &field->children;
  }
  if (field == nullptr) return MakeError(ErrorKind::kUsage, "empty column path");
  return field;
}

}  // namespace

arrow::Result<const Field*> ResolveField(const FieldTree& schema, const ColumnPath& path) {
  auto nested = ResolveNested(schema, path);
  if (nested.ok() || path.parts.size() < 2) return nested;
  // A dotted path that leads nowhere may be the plain name of a top-level column.
  ColumnPath flat{{path.parts[0]}, path.position};
  for (size_t i = 1; i < path.parts.size(); ++i) flat.parts[0] += "." + path.parts[i];
  auto plain = ResolveNested(schema, flat);
  return plain.ok() ? plain : nested;
}

}  // namespace frazil::expr

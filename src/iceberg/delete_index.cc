// SPDX-License-Identifier: Apache-2.0
#include "src/iceberg/delete_index.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "frazil/error.h"
#include "src/iceberg/location.h"

namespace frazil::iceberg {
namespace {

// What stands in front of the path: "hdfs://host:20500", "file://".
std::string_view FrontOf(std::string_view location) {
  return location.substr(0, location.size() - SplitLocation(location).path.size());
}

// Whether the bounds prove that the deletes are about other paths. Only where all three are written alike: deletes may
// name the same file with another scheme or host, and "file:/a" is "file:///a".
bool ExcludesPath(const DeleteFile& file, std::string_view location) {
  if (!file.path_lower || !file.path_upper) return false;
  const std::string_view front = FrontOf(location);
  if (FrontOf(*file.path_lower) != front || FrontOf(*file.path_upper) != front) return false;
  return location < *file.path_lower || location > *file.path_upper;
}

bool Applies(const DeleteFile& file, const std::string& location, int64_t sequence_number, bool by_path) {
  if (file.content == FileContent::kEqualityDeletes) return sequence_number < file.sequence_number;
  if (sequence_number > file.sequence_number) return false;
  if (file.referenced_data_file) return SameLocation(*file.referenced_data_file, location);
  return !by_path || !ExcludesPath(file, location);
}

}  // namespace

void DeleteIndex::Add(DeleteFile file) {
  ++count_;
  auto& files = file.is_global ? global_ : by_scope_[file.scope];
  files.push_back(std::make_unique<const DeleteFile>(std::move(file)));
}

arrow::Result<std::vector<const DeleteFile*>> DeleteIndex::Of(const std::string& location, const std::string& scope,
                                                              int64_t sequence_number, bool by_path) const {
  std::vector<const DeleteFile*> found;
  const auto collect = [&](const std::vector<std::unique_ptr<const DeleteFile>>& files) {
    for (const auto& file : files) {
      if (Applies(*file, location, sequence_number, by_path)) found.push_back(file.get());
    }
  };
  collect(global_);
  const auto of_scope = by_scope_.find(scope);
  if (of_scope != by_scope_.end()) collect(of_scope->second);
  const auto vectors =
      std::count_if(found.begin(), found.end(), [](const DeleteFile* file) { return file->is_vector(); });
  if (vectors > 1) {
    return MakeError(ErrorKind::kCorrupt, "the data file has " + std::to_string(vectors) + " deletion vectors",
                     {.file = location});
  }
  if (vectors == 1) {
    std::erase_if(found, [](const DeleteFile* file) {
      return file->content == FileContent::kPositionDeletes && !file->is_vector();
    });
  }
  return found;
}

}  // namespace frazil::iceberg

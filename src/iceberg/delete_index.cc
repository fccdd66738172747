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
// name the same file with another scheme or host, and "file:/a" is "file:///a". A bound that was cut inside its scheme
// shows none: without a scheme only what begins with a slash is known to have none.
bool ExcludesPath(const DeleteFile& file, std::string_view location) {
  if (!file.path_lower || !file.path_upper) return false;
  const std::string_view front = FrontOf(location);
  if (FrontOf(*file.path_lower) != front || FrontOf(*file.path_upper) != front) return false;
  const auto has_none = [](std::string_view text) { return text.starts_with('/'); };
  if (front.empty() && !(has_none(location) && has_none(*file.path_lower) && has_none(*file.path_upper))) return false;
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
  equality_ids_.insert(file.equality_ids.begin(), file.equality_ids.end());
  const Numbered added{count(), files_.emplace_back(std::make_unique<const DeleteFile>(std::move(file))).get()};
  const DeleteFile& kept = *added.file;
  if (kept.is_global) {
    global_.push_back(added);
    return;
  }
  Scope& scope = by_scope_[kept.scope];
  const auto path_of = [](const std::string& location) { return std::string(SplitLocation(location).path); };
  if (kept.content == FileContent::kEqualityDeletes) {
    scope.wide.push_back(added);
  } else if (kept.referenced_data_file) {
    scope.referenced[path_of(*kept.referenced_data_file)].push_back(added);
  } else if (kept.path_lower && kept.path_lower == kept.path_upper) {
    scope.bounded[path_of(*kept.path_lower)].push_back(added);
    scope.all_bounded.push_back(added);
  } else {
    scope.wide.push_back(added);
  }
}

arrow::Result<std::vector<const DeleteFile*>> DeleteIndex::Of(const std::string& location, const std::string& scope,
                                                              int64_t sequence_number, bool by_path) const {
  std::vector<Numbered> candidates;  // of the partition
  const auto of_scope = by_scope_.find(scope);
  if (of_scope != by_scope_.end()) {
    const Scope& known = of_scope->second;
    const auto append = [&](const std::vector<Numbered>& files) {
      candidates.insert(candidates.end(), files.begin(), files.end());
    };
    const std::string path(SplitLocation(location).path);
    const auto append_at = [&](const ByPath& files) {
      const auto at = files.find(path);
      if (at != files.end()) append(at->second);
    };
    append(known.wide);
    append_at(known.referenced);
    if (by_path) {
      append_at(known.bounded);
    } else {
      append(known.all_bounded);
    }
    std::sort(candidates.begin(), candidates.end(),
              [](const Numbered& a, const Numbered& b) { return a.number < b.number; });
  }
  std::vector<const DeleteFile*> found;
  const auto collect = [&](const std::vector<Numbered>& files) {
    for (const Numbered& file : files) {
      if (Applies(*file.file, location, sequence_number, by_path)) found.push_back(file.file);
    }
  };
  collect(global_);
  collect(candidates);
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

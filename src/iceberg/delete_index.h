// SPDX-License-Identifier: Apache-2.0
//
// Which delete files are about which data files.
//
//   deletion vector    the data file that it names; of the same partition, not younger than the vector
//   position deletes   data files of the same partition (or the one that it names), not younger; none that has a vector
//   equality deletes   data files of the same partition, or all when its spec has no fields; older ones only
// Partitions are the same when spec and tuple are. Age is the data sequence number.
// Source: Iceberg table specification, "Scan Planning", "Delete Formats".
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include <arrow/result.h>

#include "src/iceberg/manifest.h"

namespace frazil::iceberg {

struct DeleteFile {
  std::string location;
  FileContent content = FileContent::kPositionDeletes;
  FileFormat format = FileFormat::kParquet;
  std::string format_name;
  std::string scope;       // spec and tuple (TupleReader::Scope)
  bool is_global = false;  // equality deletes of a spec without fields
  int64_t sequence_number = 0;
  int64_t record_count = -1;
  std::vector<int32_t> equality_ids;
  std::optional<std::string> referenced_data_file;
  // Of a deletion vector: where it lies.
  std::optional<int64_t> content_offset;
  std::optional<int64_t> content_size_bytes;
  // Of position deletes: no path is below or above.
  std::optional<std::string> path_lower;
  std::optional<std::string> path_upper;

  bool is_vector() const { return format == FileFormat::kPuffin; }
};

class DeleteIndex {
 public:
  void Add(DeleteFile file);
  bool empty() const { return files_.empty(); }
  int64_t count() const { return static_cast<int64_t>(files_.size()); }
  // The fields that equality deletes of any file are by.
  const std::set<int32_t>& equality_ids() const { return equality_ids_; }

  // Those that apply, global ones first, else in the order in which they were added; valid as long as the index.
  // `by_path`: position deletes whose bounds exclude the path are left out. Error: corrupt, when there are two deletion
  // vectors. Cost: those of the partition that are about no single file, and those of this one.
  arrow::Result<std::vector<const DeleteFile*>> Of(const std::string& location, const std::string& scope,
                                                   int64_t sequence_number, bool by_path) const;

 private:
  struct Numbered {
    int64_t number = 0;  // in the order of Add
    const DeleteFile* file = nullptr;
  };
  using ByPath = std::unordered_map<std::string, std::vector<Numbered>>;  // by the path part of a location
  struct Scope {
    std::vector<Numbered> wide;
    ByPath referenced;                  // that name their data file
    ByPath bounded;                     // whose bounds are one path
    std::vector<Numbered> all_bounded;  // the same
  };

  std::vector<std::unique_ptr<const DeleteFile>> files_;
  std::vector<Numbered> global_;
  std::unordered_map<std::string, Scope> by_scope_;
  std::set<int32_t> equality_ids_;
};

}  // namespace frazil::iceberg

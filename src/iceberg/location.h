// SPDX-License-Identifier: Apache-2.0
//
// Locations as metadata have them, and where the files lie now.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <arrow/result.h>

namespace frazil::iceberg {

// "hdfs://host:20500/a/b" is scheme "hdfs", authority "host:20500", path "/a/b"; "file:/a" has an empty authority; "/a"
// has neither.
struct LocationParts {
  std::string_view scheme;
  std::string_view authority;
  std::string_view path;
};
LocationParts SplitLocation(std::string_view location);

// Whether two locations name one file. Writers of one table disagree on scheme and host: one that is not told fits any,
// s3, s3a and s3n are one.
bool SameLocation(std::string_view a, std::string_view b);

// Neither absolute nor with a scheme.
bool IsRelativeLocation(std::string_view location);

// Moves locations to where the files are.
class LocationMap {
 public:
  LocationMap() = default;
  // Pairs of what locations begin with and what is put there instead.
  explicit LocationMap(std::vector<std::pair<std::string, std::string>> rewrites);

  const std::vector<std::pair<std::string, std::string>>& rewrites() const { return rewrites_; }
  // What SetRelativeFolder made of its arguments, for another map; two empty ones: nothing.
  const std::pair<std::string, std::string>& relative_folder() const { return relative_; }

  // Says where relative locations are, which mean nothing alone: the table's folder, which its metadata call
  // `relative_folder`, is at `folder`. What the two names end in alike is taken off first, so that what lies beside the
  // table is found too.
  void SetRelativeFolder(std::string_view relative_folder, std::string_view folder);

  // The address to open. The longest beginning that fits is replaced; a beginning ends where a part of the path ends.
  // One that fits the text as it is goes before one that fits the path alone, whose own scheme and host are not told or
  // the same. A relative one that no rewrite fits is sought from where the table is. Error: unsupported, for a location
  // that is then neither a path nor of scheme file, nor of a store that can be read.
  arrow::Result<std::string> Address(std::string_view location) const;

 private:
  std::vector<std::pair<std::string, std::string>> rewrites_;  // the longest first
  std::pair<std::string, std::string> relative_;               // likewise, of relative locations
};

}  // namespace frazil::iceberg

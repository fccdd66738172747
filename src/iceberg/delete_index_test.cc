// SPDX-License-Identifier: Apache-2.0
#include "src/iceberg/delete_index.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "frazil/error.h"
#include "src/iceberg/location.h"

namespace frazil::iceberg {
namespace {

DeleteFile Deletes(const std::string& location, FileContent content, int64_t sequence_number,
                   const std::string& scope = "0|1:7") {
  DeleteFile file;
  file.location = location;
  file.content = content;
  file.sequence_number = sequence_number;
  file.scope = scope;
  return file;
}

DeleteFile Vector(const std::string& location, const std::string& data_file, int64_t sequence_number) {
  DeleteFile file = Deletes(location, FileContent::kPositionDeletes, sequence_number);
  file.format = FileFormat::kPuffin;
  file.referenced_data_file = data_file;
  return file;
}

std::string Of(const DeleteIndex& index, int64_t sequence_number, const std::string& location = "file:/d/m",
               const std::string& scope = "0|1:7", bool by_path = true) {
  const auto found = index.Of(location, scope, sequence_number, by_path);
  if (!found.ok()) return ErrorKindName(KindOf(found.status()));
  std::string text;
  for (const DeleteFile* file : *found) text += file->location + " ";
  return text;
}

TEST(DeleteIndex, PositionDeletesAreOfTheSameAgeOrOlderFiles) {
  DeleteIndex index;
  index.Add(Deletes("p", FileContent::kPositionDeletes, 5));
  EXPECT_EQ(Of(index, 4), "p ");
  EXPECT_EQ(Of(index, 5), "p ");
  EXPECT_EQ(Of(index, 6), "");
  EXPECT_EQ(Of(index, 4, "file:/d/m", "0|1:8"), "");
}

TEST(DeleteIndex, EqualityDeletesAreOfOlderFiles) {
  DeleteIndex index;
  index.Add(Deletes("e", FileContent::kEqualityDeletes, 5));
  DeleteFile global = Deletes("g", FileContent::kEqualityDeletes, 5, "1");
  global.is_global = true;
  index.Add(std::move(global));
  EXPECT_EQ(Of(index, 4), "g e ");
  EXPECT_EQ(Of(index, 5), "");
  EXPECT_EQ(Of(index, 4, "file:/d/m", "0|1:8"), "g ");
}

TEST(DeleteIndex, AVectorReplacesPositionDeletes) {
  DeleteIndex index;
  index.Add(Deletes("p", FileContent::kPositionDeletes, 5));
  index.Add(Vector("v", "file:///d/m", 6));
  EXPECT_EQ(Of(index, 4), "v ");
  EXPECT_EQ(Of(index, 4, "file:/d/n"), "p ");
  index.Add(Vector("w", "file:/d/m", 7));
  EXPECT_EQ(Of(index, 4), "corrupt");
}

TEST(DeleteIndex, BoundsOfPaths) {
  DeleteIndex index;
  DeleteFile file = Deletes("p", FileContent::kPositionDeletes, 5);
  file.path_lower = "file:/d/a";
  file.path_upper = "file:/d/k";
  index.Add(std::move(file));
  EXPECT_EQ(Of(index, 4, "file:/d/b"), "p ");
  EXPECT_EQ(Of(index, 4, "file:/d/m"), "");
  EXPECT_EQ(Of(index, 4, "file:/d/m", "0|1:7", false), "p ");
  // Written otherwise, the texts can not be compared.
  EXPECT_EQ(Of(index, 4, "/d/m"), "p ");
}

// Every set of up to three paths, its bounds whole or cut as writers cut them: what is left out holds no position of
// the file, however the deletes write its location.
TEST(DeleteIndex, BoundsOfPathsNeverHideADelete) {
  const std::vector<std::string> locations{"/d/a",        "/d/b",           "file:/d/a",  "file:/d/c",
                                           "file:///d/a", "file:///d/b",    "s3://x/d/a", "s3a://x/d/a",
                                           "s3://y/d/a",  "hdfs://h:1/d/b", "d/a",        "z"};
  const auto cut_upper = [](std::string text, size_t length) {
    if (text.size() <= length) return text;
    text.resize(length);
    ++text.back();
    return text;
  };
  int excluded = 0;
  const size_t count = locations.size();
  for (size_t a = 0; a < count; ++a) {
    for (size_t b = a; b < count; ++b) {
      for (size_t c = b; c < count; ++c) {
        const std::set<std::string> paths{locations[a], locations[b], locations[c]};
        for (const size_t length : {size_t{1}, size_t{4}, size_t{6}, size_t{9}, std::string::npos}) {
          DeleteFile file = Deletes("p", FileContent::kPositionDeletes, 5);
          file.path_lower = paths.begin()->substr(0, length);
          file.path_upper = cut_upper(*paths.rbegin(), length);
          DeleteIndex index;
          index.Add(std::move(file));
          for (const std::string& location : locations) {
            if (Of(index, 5, location) == "p ") continue;
            ++excluded;
            for (const std::string& path : paths) {
              EXPECT_FALSE(SameLocation(path, location)) << location << " hidden by the bounds of " << path;
            }
          }
        }
      }
    }
  }
  EXPECT_GT(excluded, 100);
}

// All pairs of delete files of a small domain, for all data files of it, against the rules as the header has them.
TEST(DeleteIndex, EveryPairAgainstTheDefinition) {
  struct Domain {
    int kind;  // 0 position, 1 equality, 2 vector
    std::string scope;
    bool is_global;
    int64_t sequence_number;
    std::optional<std::string> referenced;
  };
  std::vector<Domain> domain;
  for (const int kind : {0, 1, 2}) {
    for (const char* scope : {"A", "B"}) {
      for (const bool is_global : {false, true}) {
        for (const int64_t sequence_number : {1, 2, 3}) {
          for (const char* referenced : {"", "/x", "/y"}) {
            const bool has_reference = *referenced != '\0';
            if ((kind == 1 && has_reference) || (kind != 1 && is_global) || (kind == 2 && !has_reference)) continue;
            domain.push_back({kind, scope, is_global, sequence_number,
                              has_reference ? std::optional<std::string>(referenced) : std::nullopt});
          }
        }
      }
    }
  }
  const auto applies = [](const Domain& d, const std::string& location, const std::string& scope, int64_t age) {
    if (d.kind == 1) return age < d.sequence_number && (d.is_global || d.scope == scope);
    return age <= d.sequence_number && d.scope == scope && (!d.referenced || *d.referenced == location);
  };
  const auto file_of = [](const Domain& d, const char* name) {
    DeleteFile file = Deletes(name, d.kind == 1 ? FileContent::kEqualityDeletes : FileContent::kPositionDeletes,
                              d.sequence_number, d.scope);
    if (d.kind == 2) file.format = FileFormat::kPuffin;
    file.is_global = d.is_global;
    file.referenced_data_file = d.referenced;
    return file;
  };
  for (const Domain& first : domain) {
    for (const Domain& second : domain) {
      DeleteIndex index;
      index.Add(file_of(first, "1"));
      index.Add(file_of(second, "2"));
      for (const char* location : {"/x", "/y"}) {
        for (const char* scope : {"A", "B"}) {
          for (const int64_t age : {0, 1, 2, 3, 4}) {
            std::set<std::string> wanted;
            int vectors = 0;
            for (const auto& [d, name] : {std::pair(&first, "1"), std::pair(&second, "2")}) {
              if (!applies(*d, location, scope, age)) continue;
              wanted.insert(name);
              vectors += d->kind == 2 ? 1 : 0;
            }
            if (vectors == 1) {
              if (first.kind == 0) wanted.erase("1");
              if (second.kind == 0) wanted.erase("2");
            }
            const auto found = index.Of(location, scope, age, true);
            ASSERT_EQ(found.ok(), vectors < 2);
            if (!found.ok()) continue;
            std::set<std::string> names;
            for (const DeleteFile* file : *found) names.insert(file->location);
            EXPECT_EQ(names, wanted) << location << " of " << scope << ", age " << age;
          }
        }
      }
    }
  }
}

TEST(DeleteIndex, DeletesOfOneFile) {
  DeleteIndex index;
  for (int i = 0; i < 1000; ++i) {
    const std::string number = std::to_string(i);
    DeleteFile file = Deletes("p" + number, FileContent::kPositionDeletes, 5);
    file.path_lower = file.path_upper = "s3://bucket/d/" + number;
    index.Add(std::move(file));
    DeleteFile named = Deletes("n" + number, FileContent::kPositionDeletes, 5);
    named.referenced_data_file = "s3://bucket/d/" + number;
    index.Add(std::move(named));
  }
  index.Add(Deletes("e", FileContent::kEqualityDeletes, 5));
  EXPECT_EQ(index.count(), 2001);
  // In the order in which they were added, whatever they are found by.
  EXPECT_EQ(Of(index, 4, "s3://bucket/d/7"), "p7 n7 e ");
  EXPECT_EQ(Of(index, 5, "s3://bucket/d/7"), "p7 n7 ");
  EXPECT_EQ(Of(index, 4, "s3a://bucket/d/7"), "p7 n7 e ");
  EXPECT_EQ(Of(index, 4, "s3://bucket/d/x"), "e ");
  // Without the bounds, any may be about it.
  const auto all = index.Of("s3://bucket/d/7", "0|1:7", 4, /*by_path=*/false);
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(all->size(), 1002U);
}

}  // namespace
}  // namespace frazil::iceberg

// SPDX-License-Identifier: Apache-2.0
#include "src/iceberg/delete_index.h"

#include <gtest/gtest.h>

#include "frazil/error.h"

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

// SPDX-License-Identifier: Apache-2.0
#include "src/iceberg/catalog/folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "frazil/error.h"

namespace frazil::iceberg {
namespace {

namespace fs = std::filesystem;

class TableFolder : public testing::Test {
 protected:
  TableFolder() { fs::create_directories(root_ / "metadata"); }
  ~TableFolder() override { fs::remove_all(root_); }

  void Write(const std::string& name, const std::string& text = "{}") {
    std::ofstream(root_ / "metadata" / name) << text;
  }
  // The name of the file found, or the kind of the error.
  std::string Found() {
    const auto file = FindMetadataFile(root_.string());
    return file.ok() ? fs::path(*file).filename().string() : ErrorKindName(KindOf(file.status()));
  }

  const fs::path root_ = fs::path(testing::TempDir()) / ("frazil-folder-" + std::to_string(getpid()));
};

TEST_F(TableFolder, WithoutAHintTheGreatestVersion) {
  EXPECT_EQ(Found(), "not found");
  Write("v9.metadata.json");
  Write("v10.gz.metadata.json");
  Write("snap-11.avro");
  EXPECT_EQ(Found(), "v10.gz.metadata.json");
  Write("v11.metadata.json.gz");
  EXPECT_EQ(Found(), "v11.metadata.json.gz");
}

TEST_F(TableFolder, NamesWithAUuid) {
  Write("00000-a.metadata.json");
  Write("00002-b.metadata.json");
  EXPECT_EQ(Found(), "00002-b.metadata.json");
  Write("00002-a.metadata.json");
  EXPECT_EQ(Found(), "conflict");
  Write("00010-a.gz.metadata.json");
  EXPECT_EQ(Found(), "00010-a.gz.metadata.json");
}

TEST_F(TableFolder, TheHintAndTheVersionsRightBehindIt) {
  for (const char* name : {"v1.metadata.json", "v2.metadata.json", "v3.metadata.json", "v5.metadata.json"}) Write(name);
  Write("version-hint.text", "2\n");
  EXPECT_EQ(Found(), "v3.metadata.json");
  Write("version-hint.text", "5");
  EXPECT_EQ(Found(), "v5.metadata.json");
  Write("version-hint.text", "1");
  EXPECT_EQ(Found(), "v3.metadata.json");
}

TEST_F(TableFolder, AHintThatLeadsNowhereIsPassedOver) {
  Write("v2.metadata.json");
  for (const char* hint : {"", "x", "-1", "99999999999999999999", "../v1", "2 3"}) {
    Write("version-hint.text", hint);
    EXPECT_EQ(Found(), "v2.metadata.json") << hint;
  }
}

// What it names was committed, and what is older is stale.
TEST_F(TableFolder, AHintOfAVersionThatIsNotThere) {
  Write("v2.metadata.json");
  Write("version-hint.text", "7");
  EXPECT_EQ(Found(), "not found");
  Write("00007-a.metadata.json");
  EXPECT_EQ(Found(), "00007-a.metadata.json");
  Write("00007-b.metadata.json");
  EXPECT_EQ(Found(), "not found");
}

TEST_F(TableFolder, ANameWithoutAVersionWhenItIsTheOnlyOne) {
  Write("vfinal.metadata.json");
  EXPECT_EQ(Found(), "vfinal.metadata.json");
  Write("other.metadata.json");
  EXPECT_EQ(Found(), "conflict");
  Write("v0.metadata.json");
  EXPECT_EQ(Found(), "v0.metadata.json");
}

TEST_F(TableFolder, AHintThatNamesAFile) {
  Write("00001-a.metadata.json");
  Write("00002-b.metadata.json");
  Write("version-hint.text", "00001-a");
  EXPECT_EQ(Found(), "00001-a.metadata.json");
  Write("version-hint.text", "00001-a.metadata.json");
  EXPECT_EQ(Found(), "00001-a.metadata.json");
}

TEST(FindMetadataFile, OtherPlaces) {
  EXPECT_EQ(KindOf(FindMetadataFile("s3://b/t").status()), ErrorKind::kUnsupported);
  EXPECT_EQ(KindOf(FindMetadataFile("/no/such/folder").status()), ErrorKind::kNotFound);
}

}  // namespace
}  // namespace frazil::iceberg

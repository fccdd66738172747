// SPDX-License-Identifier: Apache-2.0
#include "src/io/address.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "frazil/error.h"

namespace frazil::io {
namespace {

namespace fs = std::filesystem;

class Address : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "address_XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    for (const char* name :
         {"b.parquet", "a.parquet", "note.txt", ".hidden.parquet", "_part.parquet", "x[1].parquet",
          "year=2024/c.parquet", "year=2024/month=1/d.parquet", "_temporary/e.parquet", ".git/f.parquet"}) {
      const fs::path path = fs::path(folder_) / name;
      fs::create_directories(path.parent_path());
      std::ofstream(path) << "x";
    }
  }
  void TearDown() override { fs::remove_all(folder_); }

  // The files below the folder, joined, or the kind of the error.
  std::string Expanded(const std::string& address) {
    auto files = ExpandAddress(address);
    if (!files.ok()) return ErrorKindName(KindOf(files.status()));
    std::string text;
    for (const std::string& file : *files) {
      text += (text.empty() ? "" : " ") + (file.starts_with(folder_) ? file.substr(folder_.size() + 1) : file);
    }
    return text;
  }
  std::string In(const std::string& name) { return folder_ + "/" + name; }

  std::string folder_;
};

TEST_F(Address, AFileIsItselfUnchecked) {
  EXPECT_EQ(Expanded(In("a.parquet")), "a.parquet");
  EXPECT_EQ(Expanded(In("note.txt")), "note.txt");
  EXPECT_EQ(Expanded(In("missing.parquet")), "missing.parquet");
  EXPECT_EQ(Expanded("file://" + In("a.parquet")), "a.parquet");
}

TEST_F(Address, AFolderGivesEveryParquetFileBelow) {
  EXPECT_EQ(Expanded(folder_), "a.parquet b.parquet x[1].parquet year=2024/c.parquet year=2024/month=1/d.parquet");
  EXPECT_EQ(Expanded(In("year=2024")), "year=2024/c.parquet year=2024/month=1/d.parquet");
  fs::create_directories(In("empty"));
  EXPECT_EQ(Expanded(In("empty")), "not found");
}

TEST_F(Address, GlobsMatchWithinAFolder) {
  EXPECT_EQ(Expanded(In("*.parquet")), "_part.parquet a.parquet b.parquet x[1].parquet");
  EXPECT_EQ(Expanded(In("?.parquet")), "a.parquet b.parquet");
  EXPECT_EQ(Expanded(In("[b-z].parquet")), "b.parquet");
  EXPECT_EQ(Expanded(In(".h*")), ".hidden.parquet");
  EXPECT_EQ(Expanded(In("*/c.parquet")), "year=2024/c.parquet");
  EXPECT_EQ(Expanded(In("*.txt")), "note.txt");
  EXPECT_EQ(Expanded(In("*.orc")), "not found");
  EXPECT_EQ(Expanded(In("year*")), "not found") << "a glob gives files";
}

TEST_F(Address, TwoStarsGoOverFolders) {
  EXPECT_EQ(Expanded(In("**/d.parquet")), "year=2024/month=1/d.parquet");
  EXPECT_EQ(Expanded(In("**/[acd].parquet")), "a.parquet year=2024/c.parquet year=2024/month=1/d.parquet");
  EXPECT_EQ(Expanded(In("**/month=1/*")), "year=2024/month=1/d.parquet");
}

TEST_F(Address, ANameWithBracketsThatExistsIsNoGlob) { EXPECT_EQ(Expanded(In("x[1].parquet")), "x[1].parquet"); }

TEST_F(Address, LinksToFoldersAreNotFollowed) {
  fs::create_directory_symlink(folder_, In("year=2024/loop"));
  EXPECT_EQ(Expanded(In("year=2024")), "year=2024/c.parquet year=2024/month=1/d.parquet");
  EXPECT_EQ(Expanded(In("**/d.parquet")), "year=2024/month=1/d.parquet");
}

TEST_F(Address, OtherSchemesAreRefused) {
  EXPECT_EQ(Expanded("s3://bucket/key.parquet"), "unsupported");
  EXPECT_EQ(Expanded("http://host/x"), "unsupported");
}

TEST_F(Address, FoldersThatCanNotBeListed) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may list everything";
  ASSERT_EQ(::chmod(In("year=2024").c_str(), 0), 0);
  EXPECT_EQ(Expanded(In("year=2024")), "access");
  ASSERT_EQ(::chmod(In("year=2024").c_str(), 0755), 0);
}

}  // namespace
}  // namespace frazil::io

// SPDX-License-Identifier: Apache-2.0
#include "src/scan/open_file.h"

#include <gtest/gtest.h>

#include "tests/filegen/write.h"

namespace frazil::scan {
namespace {

// A byte source in memory with the costs of some other place.
class PricedSource : public ByteSource {
 public:
  PricedSource(std::shared_ptr<ByteSource> bytes, CostModel model) : bytes_(std::move(bytes)), model_(model) {}
  const std::string& name() const override { return bytes_->name(); }
  arrow::Result<int64_t> Size() override { return bytes_->Size(); }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(ByteRange range) override { return bytes_->Read(range); }
  CostModel cost_model() const override { return model_; }

 private:
  const std::shared_ptr<ByteSource> bytes_;
  const CostModel model_;
};

struct Opened {
  arrow::Result<OpenedFile> file = arrow::Status::UnknownError("not opened");
  std::vector<ByteRange> requests;
  int64_t file_bytes = 0;
};

Opened OpenBytes(std::shared_ptr<arrow::Buffer> bytes, CostModel model = CostModel::LocalFile()) {
  Opened opened;
  opened.file_bytes = bytes->size();
  auto source = std::make_shared<PricedSource>(FromBuffer(std::move(bytes), "f.parquet"), model);
  auto trace = std::make_shared<io::Trace>();
  io::RangeReader reader(source, trace);
  opened.file = OpenFile(source, &reader);
  for (const auto& entry : trace->entries()) opened.requests.push_back(entry.range);
  return opened;
}

// A file of about `bytes` bytes of data and a footer of at least `footer_bytes`.
std::shared_ptr<arrow::Buffer> File(int64_t bytes, size_t footer_bytes = 0) {
  filegen::FileSpec spec;
  spec.schema = {filegen::Leaf("c", ::parquet::Type::INT64, filegen::kRequired)};
  auto& group = spec.row_groups.emplace_back();
  group.row_count = bytes / 8;
  group.chunks.push_back({.data = filegen::RequiredColumn(std::vector<int64_t>(static_cast<size_t>(bytes / 8))),
                          .pages = filegen::PagesOf(group.row_count, 10'000)});
  if (footer_bytes > 0) spec.key_value_metadata.emplace_back("k", std::string(footer_bytes, 'v'));
  return filegen::WriteFile(spec).ValueOrDie();
}

TEST(OpenFile, SmallFilesAreReadWhole) {
  const Opened opened = OpenBytes(File(60'000));
  ASSERT_TRUE(opened.file.ok()) << opened.file.status();
  EXPECT_EQ(opened.requests, (std::vector<ByteRange>{{0, opened.file_bytes}}));
  EXPECT_EQ(opened.file->tail_offset, 0);
  EXPECT_EQ(opened.file->tail->size(), opened.file_bytes);
  EXPECT_EQ(opened.file->footer->row_count(), 7500);
}

TEST(OpenFile, OfLargeOnesTheTail) {
  const Opened opened = OpenBytes(File(1'000'000));
  ASSERT_TRUE(opened.file.ok()) << opened.file.status();
  EXPECT_EQ(opened.requests, (std::vector<ByteRange>{{opened.file_bytes - 49'152, 49'152}}));
  EXPECT_EQ(opened.file->tail_offset, opened.file_bytes - 49'152);
}

TEST(OpenFile, AFooterLargerThanTheTailCostsOneRequestMore) {
  const Opened opened = OpenBytes(File(1'000'000, 200'000));
  ASSERT_TRUE(opened.file.ok()) << opened.file.status();
  ASSERT_EQ(opened.requests.size(), 2u);
  EXPECT_EQ(opened.requests[1].end(), opened.requests[0].offset) << "no byte twice";
  EXPECT_GT(opened.requests[1].length, 100'000);
  EXPECT_LT(opened.requests[1].length, 210'000);
}

TEST(OpenFile, TheTailGrowsWithTheCostOfARequest) {
  const auto tail = [](CostModel model) {
    const Opened opened = OpenBytes(File(5'000'000), model);
    EXPECT_TRUE(opened.file.ok()) << opened.file.status();
    return opened.requests[0].length;
  };
  EXPECT_EQ(tail(CostModel::Memory()), 48 << 10);
  EXPECT_EQ(tail({.latency_ns = 100'000, .bandwidth_bytes_per_s = 1'000'000'000}), 100'000);
  EXPECT_EQ(tail(CostModel::ObjectStore()), 512 << 10);
}

TEST(OpenFile, ErrorsNameTheFile) {
  const auto error = [](const std::string& bytes) {
    const Opened opened = OpenBytes(arrow::Buffer::FromString(bytes));
    EXPECT_FALSE(opened.file.ok());
    EXPECT_EQ(opened.file.status().message().substr(0, 11), "f.parquet: ") << opened.file.status();
    return KindOf(opened.file.status());
  };
  EXPECT_EQ(error(""), ErrorKind::kCorrupt);
  EXPECT_EQ(error("PAR1"), ErrorKind::kCorrupt);
  EXPECT_EQ(error(std::string(100'000, 'x')), ErrorKind::kCorrupt);
  // A footer longer than the file.
  EXPECT_EQ(error("PAR1" + std::string(50, 'x') + std::string("\xff\xff\xff\x7f", 4) + "PAR1"), ErrorKind::kCorrupt);
}

}  // namespace
}  // namespace frazil::scan

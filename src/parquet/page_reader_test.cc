// SPDX-License-Identifier: Apache-2.0
//
// The stream of pages that decoders see: which come, which are passed over, what is fetched, and what is refused.
#include "src/parquet/page_reader.h"

#include <gtest/gtest.h>
#include <parquet/exception.h>

#include "tests/file_reading.h"

namespace frazil::parquet {
namespace {

using filegen::ChunkSpec;
using filegen::FileSpec;
using filegen::PageSpec;
using ::parquet::Encoding;
using ::parquet::PageType;
using ::parquet::Type;

// A required INT64 column of the row ordinals.
FileSpec Numbers(std::vector<PageSpec> pages) {
  FileSpec file;
  file.schema = {filegen::Leaf("c", Type::INT64, filegen::kRequired)};
  auto& group = file.row_groups.emplace_back();
  for (const PageSpec& page : pages) group.row_count += page.row_count;
  std::vector<int64_t> values;
  for (int64_t row = 0; row < group.row_count; ++row) values.push_back(row);
  group.chunks.push_back({.data = filegen::RequiredColumn(values), .pages = std::move(pages)});
  return file;
}

PageSpec Rows(int64_t rows, Encoding::type encoding = Encoding::PLAIN, int version = 1) {
  PageSpec page;
  page.row_count = rows;
  page.encoding = encoding;
  page.version = version;
  return page;
}

class Stream {
 public:
  Stream(const FileSpec& spec, const RowRanges& rows, bool use_index = true, PageReadOptions options = {})
      : file_(spec), plan_(file_.Plan(0, rows, 0, use_index)), state_(std::make_shared<PageReadState>()) {
    EXPECT_TRUE(file_.reader()->Fetch(plan_.Ranges(), "pages").ok());
    pages_ = std::make_unique<SelectedPageReader>(file_.reader(), &plan_, file_.footer().schema().Column(0), options,
                                                  state_);
  }

  SelectedPageReader* operator->() { return pages_.get(); }
  const PageReadState& state() const { return *state_; }
  const FileReading& file() const { return file_; }

  // "D" dictionary, or the rows of a data page: "[3,5)"; "end"; or the error.
  std::string Next() {
    try {
      const auto page = pages_->NextPage();
      if (page == nullptr) return "end";
      if (page->type() == PageType::DICTIONARY_PAGE) return "D";
      return "[" + std::to_string(pages_->page_first_row()) + "," + std::to_string(pages_->page_end_row()) + ")";
    } catch (const ::parquet::ParquetStatusException& e) {
      return std::string(ErrorKindName(KindOf(e.status()))) + ": " + e.status().message();
    }
  }
  std::vector<std::string> All() {
    std::vector<std::string> all;
    do all.push_back(Next());
    while (all.back()[0] == '[' || all.back() == "D");
    return all;
  }

 private:
  FileReading file_;
  ChunkPlan plan_;
  std::shared_ptr<PageReadState> state_;
  std::unique_ptr<SelectedPageReader> pages_;
};

using Pages = std::vector<std::string>;

TEST(PageReader, GivesThePlannedPages) {
  Stream stream(Numbers({Rows(3), Rows(2), Rows(1), Rows(4)}), {{4, 5}, {9, 10}});
  EXPECT_EQ(stream.All(), (Pages{"[3,5)", "[6,10)", "end"}));
  EXPECT_EQ(stream.state().pages_read, 2);
  EXPECT_EQ(stream.file().requests().size(), 2u);
}

TEST(PageReader, WithoutAnIndexAllPagesComeInOrder) {
  Stream stream(Numbers({Rows(3), Rows(2, Encoding::PLAIN, 2), Rows(1)}), {{4, 5}}, /*use_index=*/false);
  EXPECT_EQ(stream.All(), (Pages{"[0,3)", "[3,5)", "[5,6)", "end"}));
}

TEST(PageReader, PassesOverUnwantedPagesWithoutDecompressing) {
  for (const bool use_index : {true, false}) {
    Stream stream(Numbers({Rows(3), Rows(2), Rows(1), Rows(4)}), {{0, 10}}, use_index);
    stream->set_wanted_row(6);
    EXPECT_EQ(stream->SkipToWantedRow(), 6);
    EXPECT_EQ(stream.All(), (Pages{"[6,10)", "end"}));
    EXPECT_EQ(stream.state().pages_skipped, 3);
    EXPECT_EQ(stream.state().pages_read, 1);
  }
}

TEST(PageReader, AChunkThatEndsBeforeTheWantedRowIsAnError) {
  auto spec = Numbers({Rows(3), Rows(2)});
  spec.row_groups[0].edit_metadata = [](filegen::RowGroupMetadata& group) { group.num_rows = 9; };
  Stream stream(spec, {{7, 8}}, /*use_index=*/false);
  stream->set_wanted_row(7);
  try {
    (void)stream->SkipToWantedRow();
    FAIL() << "it has no such row";
  } catch (const ::parquet::ParquetStatusException& e) {
    EXPECT_EQ(KindOf(e.status()), ErrorKind::kCorrupt);
    EXPECT_NE(e.status().message().find("the pages hold 5 values, the footer says 9"), std::string::npos) << e.status();
  }
}

TEST(PageReader, TheDictionaryComesBeforeTheFirstPageThatUsesIt) {
  const auto spec = Numbers({Rows(2), Rows(2, Encoding::RLE_DICTIONARY), Rows(2, Encoding::RLE_DICTIONARY), Rows(1)});
  EXPECT_EQ(Stream(spec, {{0, 7}}).All(), (Pages{"[0,2)", "D", "[2,4)", "[4,6)", "[6,7)", "end"}));
  EXPECT_EQ(Stream(spec, {{0, 7}}, false).All(), (Pages{"[0,2)", "D", "[2,4)", "[4,6)", "[6,7)", "end"}));
}

TEST(PageReader, TheDictionaryIsFetchedOnlyForPagesThatUseIt) {
  const auto spec = Numbers({Rows(2, Encoding::RLE_DICTIONARY), Rows(2), Rows(1)});
  Stream plain(spec, {{2, 5}});
  EXPECT_EQ(plain.All(), (Pages{"[2,4)", "[4,5)", "end"}));
  EXPECT_EQ(plain.file().requests().size(), 1u);
  // Predicted wrongly (the first pages are plain): one request more, made when the page comes by.
  Stream late(Numbers({Rows(2), Rows(2, Encoding::RLE_DICTIONARY), Rows(1)}), {{2, 4}});
  EXPECT_EQ(late.All(), (Pages{"D", "[2,4)", "end"}));
  EXPECT_EQ(late.file().requests().size(), 2u);
}

TEST(PageReader, IndexPagesBetweenOthersAreSkipped) {
  auto spec = Numbers({Rows(2, Encoding::RLE_DICTIONARY), Rows(2)});
  spec.row_groups[0].chunks[0].pages[1].gap_before_bytes = 5000;  // more than a header's first read
  spec.row_groups[0].chunks[0].dictionary.gap_after_bytes = 300;
  EXPECT_EQ(Stream(spec, {{0, 4}}).All(), (Pages{"D", "[0,2)", "[2,4)", "end"}));
  EXPECT_EQ(Stream(spec, {{0, 4}}, false).All(), (Pages{"D", "[0,2)", "[2,4)", "end"}));
}

TEST(PageReader, EmptyPagesAreDropped) {
  const auto spec = Numbers({Rows(0), Rows(0), Rows(2), Rows(0), Rows(1), Rows(0)});
  EXPECT_EQ(Stream(spec, {{0, 3}}).All(), (Pages{"[0,2)", "[2,3)", "end"}));
  EXPECT_EQ(Stream(spec, {{0, 3}}, false).All(), (Pages{"[0,2)", "[2,3)", "end"}));
}

TEST(PageReader, ChecksumsAreVerifiedWhenAsked) {
  auto spec = Numbers({Rows(2, Encoding::RLE_DICTIONARY), Rows(2)});
  ChunkSpec& chunk = spec.row_groups[0].chunks[0];
  for (PageSpec& page : chunk.pages) page.crc = filegen::CrcPolicy::kRight;
  chunk.dictionary.crc = filegen::CrcPolicy::kRight;
  PageReadOptions verify;
  verify.verify_checksums = true;
  EXPECT_EQ(Stream(spec, {{0, 4}}, true, verify).All(), (Pages{"D", "[0,2)", "[2,4)", "end"}));

  chunk.pages[1].crc = filegen::CrcPolicy::kWrong;
  EXPECT_EQ(Stream(spec, {{0, 4}}).All().back(), "end");
  Stream wrong(spec, {{0, 4}}, true, verify);
  const std::string error = wrong.All().back();
  EXPECT_EQ(error.substr(0, 16), "corrupt: page 1:");
  EXPECT_NE(error.find("page checksum does not match"), std::string::npos) << error;
  EXPECT_FALSE(wrong.state().index_contradicted) << "the data are at fault, not the index";
  // A page that is passed over is not checked: it gives no rows.
  Stream passed(spec, {{0, 1}}, true, verify);
  EXPECT_EQ(passed.All(), (Pages{"D", "[0,2)", "end"}));

  chunk.dictionary.crc = filegen::CrcPolicy::kWrong;
  EXPECT_NE(Stream(spec, {{0, 4}}, true, verify).Next().find("checksum"), std::string::npos);
}

// The error of a read after `edit` has changed the only page, without its place.
std::string ErrorOf(const std::function<void(filegen::PageHeader&)>& edit, arrow::Compression::type codec,
                    bool use_index = true, PageReadOptions options = {}) {
  auto spec = Numbers({Rows(100)});
  spec.row_groups[0].chunks[0].codec = codec;
  spec.row_groups[0].chunks[0].pages[0].edit_header = edit;
  const std::string error = Stream(spec, {{0, 100}}, use_index, options).Next();
  const std::string kind = error.substr(0, error.find(": ") + 2);
  const size_t place = error.find(" bytes at ");
  return place == std::string::npos ? error : kind + error.substr(error.find(": ", place) + 2);
}

TEST(PageReader, RefusesSizesThatNoCodecReaches) {
  const auto bomb = [](filegen::PageHeader& header) { header.uncompressed_page_size = 1 << 30; };
  for (const auto codec :
       {arrow::Compression::SNAPPY, arrow::Compression::GZIP, arrow::Compression::LZ4, arrow::Compression::ZSTD}) {
    EXPECT_EQ(ErrorOf(bomb, codec), "corrupt: page claims 1073741824 bytes, more than its codec can hold")
        << arrow::util::Codec::GetCodecAsString(codec);
  }
  EXPECT_EQ(ErrorOf(bomb, arrow::Compression::UNCOMPRESSED), "corrupt: an uncompressed page names two sizes");
  PageReadOptions small;
  small.page_bytes_max = 799;
  EXPECT_EQ(ErrorOf([](filegen::PageHeader&) {}, arrow::Compression::BROTLI, true, small),
            "budget: page decompresses to 800 bytes, more than page_bytes_max");
}

TEST(PageReader, RefusesPagesThatDecompressToAnotherSize) {
  for (const int change : {-1, 1}) {
    const auto error = ErrorOf([change](filegen::PageHeader& header) { header.uncompressed_page_size += change; },
                               arrow::Compression::SNAPPY);
    EXPECT_EQ(error.substr(0, 14), "corrupt: page ") << error;
    EXPECT_NE(error.find("decompress"), std::string::npos) << error;
  }
}

TEST(PageReader, RefusesPagesThatEndBehindTheirPlace) {
  const auto longer = [](filegen::PageHeader& header) { header.compressed_page_size += 100'000; };
  EXPECT_NE(ErrorOf(longer, arrow::Compression::UNCOMPRESSED).find("ends behind its index entry"), std::string::npos);
  EXPECT_NE(ErrorOf(longer, arrow::Compression::UNCOMPRESSED, false).find("ends behind its column chunk"),
            std::string::npos);
}

TEST(PageReader, APageOfOtherRowsThanItsIndexSaysContradictsTheIndex) {
  auto spec = Numbers({Rows(10), Rows(10), Rows(10)});
  spec.row_groups[0].chunks[0].index.edit_offset_index = [](filegen::OffsetIndexSpec& index) {
    ++index.page_locations[1].first_row_index;
  };
  Stream stream(spec, {{0, 30}});
  EXPECT_NE(stream.All().back().find("page holds 10 rows, its offset index says 11"), std::string::npos);
  EXPECT_TRUE(stream.state().index_contradicted);
}

TEST(PageReader, AnIndexThatPointsAtNoPageIsContradicted) {
  auto spec = Numbers({Rows(10), Rows(10), Rows(10)});
  spec.row_groups[0].chunks[0].index.edit_offset_index = [](filegen::OffsetIndexSpec& index) {
    index.page_locations[1].offset += 3;
    index.page_locations[1].compressed_page_size -= 3;
  };
  Stream stream(spec, {{12, 13}});
  EXPECT_EQ(stream.Next().substr(0, 8), "corrupt:");
  EXPECT_TRUE(stream.state().index_contradicted);
}

TEST(PageReader, AnIndexThatPointsAtTheDictionaryIsContradicted) {
  auto spec = Numbers({Rows(2, Encoding::RLE_DICTIONARY), Rows(2)});
  spec.row_groups[0].chunks[0].index.edit_offset_index = [](filegen::OffsetIndexSpec& index) {
    index.page_locations[0].compressed_page_size =
        static_cast<int32_t>(index.page_locations[0].offset - 4);  // of the dictionary, which lies in front
    index.page_locations[0].offset = 4;
  };
  Stream stream(spec, {{0, 2}});
  EXPECT_NE(stream.Next().find("points at something that is not a data page"), std::string::npos);
  EXPECT_TRUE(stream.state().index_contradicted);
}

TEST(PageReader, ADictionaryThatIsNotThereIsAnError) {
  auto spec = Numbers({Rows(2), Rows(2)});
  spec.row_groups[0].chunks[0].pages[0].edit_header = [](filegen::PageHeader& header) { header.encoding = 8; };
  EXPECT_NE(Stream(spec, {{0, 4}}, false).Next().find("has no dictionary page"), std::string::npos);
  EXPECT_NE(Stream(spec, {{0, 4}}, true).Next().find("has no dictionary page"), std::string::npos);
}

TEST(PageReader, WithoutAnIndexAChunkIsFetchedByTheWindow) {
  auto spec = Numbers(filegen::PagesOf(1000, 100));
  FileReading file(spec);
  const ChunkPlan plan = file.Plan(0, {{0, 1000}}, 0, /*use_index=*/false);
  PageReadOptions options;
  options.window_bytes = 2000;
  SelectedPageReader pages(file.reader(), &plan, file.footer().schema().Column(0), options,
                           std::make_shared<PageReadState>());
  int64_t rows = 0;
  while (pages.NextPage() != nullptr) rows += pages.page_end_row() - pages.page_first_row();
  EXPECT_EQ(rows, 1000);
  int64_t bytes = 0;
  for (const ByteRange& range : file.requests()) bytes += range.length;
  EXPECT_EQ(bytes, plan.chunk_range.length) << "each byte once";
  EXPECT_LE(file.requests().size(), 10u);
}

}  // namespace
}  // namespace frazil::parquet

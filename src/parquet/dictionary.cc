// SPDX-License-Identifier: Apache-2.0
#include "src/parquet/dictionary.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include <arrow/array/util.h>
#include <parquet/column_page.h>
#include <parquet/column_reader.h>
#include <parquet/exception.h>
#include <parquet/level_conversion.h>

#include "src/parquet/leaf_values.h"
#include "src/parquet/page_header.h"

namespace frazil::parquet {
namespace {

namespace pq = ::parquet;

// Gives one page.
class OnePage : public pq::PageReader {
 public:
  explicit OnePage(std::shared_ptr<pq::Page> page) : page_(std::move(page)) {}
  std::shared_ptr<pq::Page> NextPage() override { return std::exchange(page_, nullptr); }
  void set_max_page_header_size(uint32_t) override {}

 private:
  std::shared_ptr<pq::Page> page_;
};

bool IsLevelEncoding(int encoding) { return encoding == kEncodingRle || encoding == kEncodingBitPacked; }

// Whether `bytes` are exactly `count` PLAIN values of the leaf.
bool HoldsExactly(std::string_view bytes, int64_t count, const pq::ColumnDescriptor& leaf) {
  int64_t width = 0;
  switch (leaf.physical_type()) {
    case pq::Type::INT32:
    case pq::Type::FLOAT:
      width = 4;
      break;
    case pq::Type::INT64:
    case pq::Type::DOUBLE:
      width = 8;
      break;
    case pq::Type::INT96:
      width = 12;
      break;
    case pq::Type::FIXED_LEN_BYTE_ARRAY:
      width = leaf.type_length();
      break;
    case pq::Type::BYTE_ARRAY:
      for (; count > 0; --count) {
        uint32_t length = 0;
        if (bytes.size() < sizeof(length)) return false;
        std::memcpy(&length, bytes.data(), sizeof(length));  // little-endian, as this machine
        bytes.remove_prefix(sizeof(length));
        if (bytes.size() < length) return false;
        bytes.remove_prefix(length);
      }
      return bytes.empty();
    default:
      return false;
  }
  return static_cast<int64_t>(bytes.size()) == count * width;
}

// The entries of a dictionary page as a data page of values that are all there.
arrow::Result<std::shared_ptr<pq::Page>> AsDataPage(const pq::DictionaryPage& dictionary,
                                                    const pq::ColumnDescriptor& leaf) {
  std::string levels;
  if (leaf.max_definition_level() > 0) {
    // One run of the greatest level, after its length in four bytes.
    std::string run;
    uint64_t header = static_cast<uint64_t>(dictionary.num_values()) << 1;
    for (; header > 0x7f; header >>= 7) run.push_back(static_cast<char>(header | 0x80));
    run.push_back(static_cast<char>(header));
    const auto level = static_cast<uint32_t>(leaf.max_definition_level());
    run.push_back(static_cast<char>(level));
    if (std::bit_width(level) > 8) run.push_back(static_cast<char>(level >> 8));
    const auto length = static_cast<uint32_t>(run.size());
    levels.assign(reinterpret_cast<const char*>(&length), sizeof(length));
    levels += run;
  }
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> body,
                        arrow::AllocateBuffer(static_cast<int64_t>(levels.size()) + dictionary.size()));
  std::memcpy(body->mutable_data(), levels.data(), levels.size());
  std::memcpy(body->mutable_data() + levels.size(), dictionary.data(), static_cast<size_t>(dictionary.size()));
  const int64_t size = body->size();
  return std::make_shared<pq::DataPageV1>(std::move(body), dictionary.num_values(), pq::Encoding::PLAIN,
                                          pq::Encoding::RLE, pq::Encoding::RLE, size);
}

arrow::Result<std::shared_ptr<arrow::Array>> ReadUnchecked(io::RangeReader* reader, const ChunkPlan& plan,
                                                           const pq::ColumnDescriptor& leaf,
                                                           const std::shared_ptr<arrow::DataType>& type,
                                                           const PageReadOptions& options) {
  SelectedPageReader pages(reader, &plan, &leaf, options, std::make_shared<PageReadState>());
  const std::shared_ptr<pq::DictionaryPage> dictionary = pages.ReadDictionary();
  const std::string_view bytes(reinterpret_cast<const char*>(dictionary->data()),
                               static_cast<size_t>(dictionary->size()));
  const bool plain =
      dictionary->encoding() == pq::Encoding::PLAIN || dictionary->encoding() == pq::Encoding::PLAIN_DICTIONARY;
  if (!plain || !HoldsExactly(bytes, dictionary->num_values(), leaf)) {
    return MakeError(ErrorKind::kCorrupt, "the dictionary page does not hold as many entries as it says");
  }
  if (dictionary->num_values() == 0) return arrow::MakeEmptyArray(type);
  ARROW_ASSIGN_OR_RAISE(auto page, AsDataPage(*dictionary, leaf));
  auto value_type = arrow::is_decimal(type->id()) ? arrow::binary() : type;
  auto records = pq::internal::RecordReader::Make(&leaf, pq::internal::LevelInfo::ComputeLevelInfo(&leaf),
                                                  arrow::default_memory_pool(), false, false, value_type);
  records->SetPageReader(std::make_unique<OnePage>(std::move(page)));
  if (records->ReadRecords(dictionary->num_values()) != dictionary->num_values()) {
    return MakeError(ErrorKind::kCorrupt, "the dictionary page does not hold as many entries as it says");
  }
  return TakeValues(records.get(), leaf, type, /*nullable=*/leaf.max_definition_level() > 0);
}

}  // namespace

DictionaryUse DictionaryUseOf(const ColumnChunk& chunk, int page_count, std::string* reason) {
  const bool listed = std::any_of(chunk.encodings.begin(), chunk.encodings.end(), UsesDictionary);
  // Values coded in a third way.
  const bool others = std::any_of(chunk.encodings.begin(), chunk.encodings.end(), [](int encoding) {
    return !UsesDictionary(encoding) && !IsLevelEncoding(encoding) && encoding != kEncodingPlain;
  });
  if (chunk.encoding_stats.empty()) {
    if (!listed || others) return DictionaryUse::kNone;
    *reason = "the footer does not tell whether all pages use the dictionary";
    return DictionaryUse::kUnproven;
  }
  int64_t dictionary_pages = 0;
  for (const PageEncodingStats& stats : chunk.encoding_stats) {
    const bool data = stats.page_type == 0 || stats.page_type == 3;
    if (!data || stats.count <= 0) continue;
    if (!UsesDictionary(stats.encoding)) return DictionaryUse::kNone;
    dictionary_pages += stats.count;
  }
  if (dictionary_pages == 0) return DictionaryUse::kNone;
  if (others || !listed) {
    *reason = "encoding statistics contradict the list of encodings";
    return DictionaryUse::kUnproven;
  }
  if (page_count > dictionary_pages) {
    *reason = "encoding statistics count fewer pages than the offset index lists";
    return DictionaryUse::kUnproven;
  }
  return DictionaryUse::kWhole;
}

std::optional<ByteRange> DictionaryRange(const ColumnChunk& chunk, const ByteRange& chunk_range,
                                         const OffsetIndex* offsets) {
  int64_t end = chunk.dictionary_page_offset ? chunk.data_page_offset : chunk_range.offset;
  if (offsets != nullptr && !offsets->pages.empty()) end = offsets->pages[0].offset;
  if (end <= chunk_range.offset || end > chunk_range.end()) return std::nullopt;
  return ByteRange{chunk_range.offset, end - chunk_range.offset};
}

arrow::Result<std::shared_ptr<arrow::Array>> ReadDictionary(const Footer& footer, io::RangeReader* reader,
                                                            const ChunkPlan& plan,
                                                            const std::shared_ptr<arrow::DataType>& type,
                                                            const PageReadOptions& options) {
  if (plan.chunk.encrypted || plan.chunk.other_file || !plan.chunk.codec_supported ||
      !pq::IsCodecSupported(plan.chunk.codec)) {
    return MakeError(ErrorKind::kUnsupported, "the column chunk can not be read");
  }
  try {
    return ReadUnchecked(reader, plan, *footer.schema().Column(plan.chunk.leaf), type, options);
  } catch (const pq::ParquetStatusException& e) {
    return e.status();
  } catch (const std::exception& e) {
    return MakeError(ErrorKind::kCorrupt, e.what());
  }
}

}  // namespace frazil::parquet

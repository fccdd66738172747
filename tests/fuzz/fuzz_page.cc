// SPDX-License-Identifier: Apache-2.0
//
// The pages of one column chunk under a schema that is given: read whole, and read by random selections, with and
// without an offset index. Where both reads succeed they give the same rows.
//
// Input, by PageInput of page_input.h: a head of fixed length, then the bytes of the chunk.
#include <memory>
#include <random>

#include <arrow/array.h>
#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/compare.h>

#include "frazil/byte_source.h"
#include "src/io/range_reader.h"
#include "src/parquet/field_reader.h"
#include "src/parquet/footer_for_test.h"
#include "src/parquet/projection.h"
#include "src/parquet/select.h"
#include "tests/fuzz/page_input.h"
#include "tests/fuzz/target.h"

namespace frazil::fuzz {
namespace {

using ArrayPtr = std::shared_ptr<arrow::Array>;

constexpr int64_t kChunkOffset = 4;

std::shared_ptr<const parquet::Footer> FooterOf(const PageInput& input, int64_t chunk_bytes) {
  parquet::FooterForTest footer;
  const auto leaf = [&](const char* name, int repetition) {
    return parquet::LeafElement(name, input.physical_type, repetition, input.physical_type == 7 ? 5 : 0);
  };
  const auto list = [](const char* name) { return parquet::GroupElement(name, 1).I32(6, 3); };
  parquet::ChunkForTest chunk;
  switch (input.structure) {
    case PageInput::kRequired:
    case PageInput::kOptional:
    case PageInput::kRepeated:
      footer.schema = {leaf("c", input.structure)};
      chunk.path = {"c"};
      break;
    case PageInput::kList:
      footer.schema = {list("c"), parquet::GroupElement("list", 1, 2), leaf("element", 1)};
      chunk.path = {"c", "list", "element"};
      break;
    default:
      footer.schema = {list("c"), parquet::GroupElement("list", 1, 2), list("element"),
                       parquet::GroupElement("list", 1, 2), leaf("element", 1)};
      chunk.path = {"c", "list", "element", "list", "element"};
  }
  chunk.type = input.physical_type;
  chunk.codec = input.codec;
  chunk.num_values = input.value_count;
  chunk.total_compressed_size = chunk_bytes;
  footer.row_groups = {parquet::FooterForTest::RowGroup({chunk.Thrift()}, input.row_count)};
  auto parsed = parquet::FooterForTest::Parse(footer.File(chunk_bytes));
  return parsed.ok() ? *parsed : nullptr;
}

// The rows of `rows` as one array, read a few at a time.
arrow::Result<ArrayPtr> ReadRows(const parquet::Footer& footer, std::string_view chunk_bytes,
                                 const std::shared_ptr<const parquet::OffsetIndex>& offsets, const RowRanges& rows,
                                 int64_t batch_rows, bool verify_checksums) {
  auto file = arrow::Buffer::FromString("PAR1" + std::string(chunk_bytes) + std::string(100, '\0'));
  io::RangeReader reader(FromBuffer(file, "page"), std::make_shared<io::Trace>());
  ARROW_ASSIGN_OR_RAISE(auto chunk, footer.Chunk(0, 0));
  const ByteRange range{kChunkOffset, static_cast<int64_t>(chunk_bytes.size())};
  const auto plan = parquet::PlanChunk(chunk, range, offsets, rows, footer.row_group_row_count(0));
  ARROW_RETURN_NOT_OK(reader.Fetch(plan.Ranges(), "pages"));
  parquet::PageReadOptions options;
  options.verify_checksums = verify_checksums;
  options.page_bytes_max = 16 << 20;
  const parquet::ProjectedField field = parquet::ProjectAll(footer.manifest())[0];
  ARROW_ASSIGN_OR_RAISE(auto field_reader, parquet::FieldReader::Open(field, [&](int, const auto& type, bool nullable) {
                          return parquet::LeafReader::Open(&footer, &reader, plan, type, nullable, options);
                        }));
  arrow::ArrayVector pieces;
  for (int64_t rank = 0; rank < rows.count(); rank += batch_rows) {
    const RowRanges slice = rows.SliceByRank(rank, std::min(rows.count(), rank + batch_rows));
    ARROW_RETURN_NOT_OK(field_reader->leaves()[0]->Read(slice));
    ARROW_ASSIGN_OR_RAISE(auto array, field_reader->Build());
    Require(array->ValidateFull().ok(), "an array that was read is valid");
    pieces.push_back(std::move(array));
  }
  if (pieces.empty()) return arrow::MakeArrayOfNull(field.field->type(), 0);
  return arrow::Concatenate(pieces);
}

// The true index of the pages of a flat column, whose headers tell their rows; null for others.
std::shared_ptr<const parquet::OffsetIndex> IndexOf(const PageInput& input) {
  if (input.structure > PageInput::kOptional) return nullptr;
  auto index = std::make_shared<parquet::OffsetIndex>();
  int64_t row = 0;
  for (size_t at = 0; at < input.chunk.size();) {
    const auto header = parquet::ParsePageHeader(input.chunk.substr(at));
    if (!header.ok() || !header->has_value()) return nullptr;
    const parquet::PageHeader& h = **header;
    if (h.page_bytes() > static_cast<int64_t>(input.chunk.size() - at)) return nullptr;
    if (h.is_data()) {
      index->pages.push_back({kChunkOffset + static_cast<int64_t>(at), static_cast<int32_t>(h.page_bytes()), row});
      row += h.num_values;
    }
    at += static_cast<size_t>(h.page_bytes());
  }
  index->row_count = input.row_count;
  return row == input.row_count && !index->pages.empty() ? index : nullptr;
}

void Check(std::string_view bytes) {
  const PageInput input = PageInput::Parse(bytes);
  const auto footer = FooterOf(input, static_cast<int64_t>(input.chunk.size()));
  if (footer == nullptr || input.row_count == 0 || footer->manifest().schema_fields.empty()) return;
  const bool verify = (input.flags & 1) != 0;
  const RowRanges all = RowRanges::Of(0, input.row_count);
  const auto whole = ReadRows(*footer, input.chunk, nullptr, all, 100, verify);
  const auto index = IndexOf(input);
  std::mt19937 random(static_cast<uint32_t>(input.selection));
  for (int turn = 0; turn < 3; ++turn) {
    RowRanges rows;
    const auto step = static_cast<uint32_t>(1 + random() % 40);
    for (int64_t at = random() % step; at < input.row_count;) {
      const int64_t end = std::min<int64_t>(input.row_count, at + 1 + random() % step);
      rows.Append(at, end);
      at = end + 1 + random() % step;
    }
    for (const auto& offsets : {std::shared_ptr<const parquet::OffsetIndex>(), index}) {
      const auto some = ReadRows(*footer, input.chunk, offsets, rows, 1 + random() % 50, verify);
      if (!whole.ok() || !some.ok()) continue;
      const auto expected = parquet::SelectRanks(*whole, rows).ValueOrDie();
      Require((*some)->Equals(expected, arrow::EqualOptions::Defaults().nans_equal(true)),
              "a selection gives the rows of the whole");
    }
  }
}

}  // namespace
}  // namespace frazil::fuzz

FRAZIL_FUZZ_TARGET(page, frazil::fuzz::Check)

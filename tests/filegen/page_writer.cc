// SPDX-License-Identifier: Apache-2.0
#include "tests/filegen/page_writer.h"

#include <functional>
#include <string_view>
#include <utility>

#include <arrow/util/crc32.h>

#include "tests/filegen/encode.h"

namespace frazil::filegen {

namespace {

std::string WithLength(const std::string& bytes) {
  auto length = static_cast<uint32_t>(bytes.size());
  std::string out;
  for (int shift = 0; shift < 32; shift += 8) out.push_back(static_cast<char>(length >> shift));
  return out + bytes;
}

std::optional<int64_t> Count(const CountPolicy& policy, int64_t right) {
  if (policy.kind == CountPolicy::Kind::kAbsent) return std::nullopt;
  return policy.kind == CountPolicy::Kind::kRight ? right : policy.value;
}

void SetBounds(const StatisticsPolicy& policy, const ChunkContext& context, const Bounds& exact, Statistics* out) {
  const Node& leaf = *context.leaf->node;
  Bounds bounds = exact;
  if (policy.bounds == StatisticsPolicy::Bounds::kTruncated) {
    bounds = {TruncateMin(leaf, exact.min, policy.truncate_bytes), TruncateMax(leaf, exact.max, policy.truncate_bytes)};
  }
  if (policy.exactness_flags) {
    out->is_min_value_exact = bounds.min == exact.min;
    out->is_max_value_exact = bounds.max == exact.max;
  }
  out->min_value = bounds.min;
  out->max_value = bounds.max;
}

// Fixes header and body, then appends both.
PagePlace Append(PageHeader header, std::string body, CrcPolicy crc,
                 const std::function<void(PageHeader&)>& edit_header,
                 const std::function<void(std::string&)>& edit_body, std::string* file) {
  header.compressed_page_size = static_cast<int32_t>(body.size());
  if (crc != CrcPolicy::kNone) {
    uint32_t right = ::arrow::internal::crc32(0, body.data(), body.size());
    header.crc = crc == CrcPolicy::kRight ? right : right ^ 1;
  }
  if (edit_body) edit_body(body);
  if (edit_header) edit_header(header);
  std::string header_bytes = Serialize(header);
  PagePlace place;
  place.offset = static_cast<int64_t>(file->size());
  place.header_bytes = static_cast<int32_t>(header_bytes.size());
  place.body_bytes = static_cast<int32_t>(body.size());
  place.uncompressed_body_bytes = header.uncompressed_page_size;
  file->append(header_bytes);
  file->append(body);
  return place;
}

arrow::Result<std::string> PageValues(const PageSpec& page, const PageSpan& span, const ChunkContext& context) {
  if (UsesDictionary(page.encoding)) {
    auto indices = context.indices.subspan(span.value_begin, span.value_count());
    return EncodeIndices(indices, context.dictionary_entry_count, page.runs);
  }
  return EncodeValues(*context.leaf->node, page.encoding, context.chunk->data.values, span.value_begin, span.value_end);
}

}  // namespace

Statistics MakeStatistics(const StatisticsPolicy& policy, const ChunkContext& context, int64_t null_count,
                          int64_t value_begin, int64_t value_end) {
  using BoundsKind = StatisticsPolicy::Bounds;
  const Node& leaf = *context.leaf->node;
  const ChunkSpec& chunk = *context.chunk;
  bool ieee = leaf.order == ColumnOrderKind::kIeee754Total;
  Statistics out;
  out.null_count = Count(policy.null_count, null_count);
  out.distinct_count = policy.distinct_count;
  BoundsOfValues found = ComputeBounds(OrderOf(leaf), ieee, chunk.nan, chunk.data.values, value_begin, value_end);
  if (IsFloating(leaf) || policy.nan_count.kind == CountPolicy::Kind::kValue) {
    out.nan_count = Count(policy.nan_count, found.nan_count);
  }
  if (policy.bounds == BoundsKind::kRaw) {
    out.min_value = policy.raw_min;
    out.max_value = policy.raw_max;
    return out;
  }
  if (policy.bounds == BoundsKind::kLegacy || policy.bounds == BoundsKind::kBoth) {
    BoundsOfValues legacy =
        ComputeBounds(LegacyOrderOf(leaf), ieee, chunk.nan, chunk.data.values, value_begin, value_end);
    if (legacy.bounds) {
      out.min = legacy.bounds->min;
      out.max = legacy.bounds->max;
    }
  }
  if (policy.bounds != BoundsKind::kNone && policy.bounds != BoundsKind::kLegacy && found.bounds) {
    SetBounds(policy, context, *found.bounds, &out);
  }
  return out;
}

arrow::Result<PagePlace> WriteDataPage(const PageSpec& page, const PageSpan& span, const ChunkContext& context,
                                       std::string* file) {
  const LeafInfo& leaf = *context.leaf;
  const ColumnData& data = context.chunk->data;
  auto level_count = static_cast<size_t>(span.level_count());
  std::string rep =
      EncodeLevels({data.rep_levels.data() + span.level_begin, level_count}, leaf.max_rep_level, page.runs);
  std::string def =
      EncodeLevels({data.def_levels.data() + span.level_begin, level_count}, leaf.max_def_level, page.runs);
  ARROW_ASSIGN_OR_RAISE(std::string values, PageValues(page, span, context));
  PageHeader header;
  header.num_values = static_cast<int32_t>(level_count);
  header.encoding = page.encoding;
  if (page.statistics && page.statistics->present) {
    header.statistics = MakeStatistics(*page.statistics, context, span.null_count(), span.value_begin, span.value_end);
  }
  std::string body;
  if (page.version == 2) {
    header.type = kDataPageV2;
    header.num_nulls = static_cast<int32_t>(span.null_count());
    header.num_rows = static_cast<int32_t>(span.row_count);
    header.definition_levels_byte_length = static_cast<int32_t>(def.size());
    header.repetition_levels_byte_length = static_cast<int32_t>(rep.size());
    if (!page.compressed || page.state_compressed) header.is_compressed = page.compressed;
    bool omit = page.omit_empty_body && span.value_count() == 0;
    if (omit) values.clear();
    header.uncompressed_page_size = static_cast<int32_t>(rep.size() + def.size() + values.size());
    if (page.compressed && !omit) {
      ARROW_ASSIGN_OR_RAISE(values, Compress(context.codec, values));
    }
    body = rep + def + values;
  } else {
    header.type = kDataPage;
    if (leaf.max_rep_level > 0) body += WithLength(rep);
    if (leaf.max_def_level > 0) body += WithLength(def);
    body += values;
    header.uncompressed_page_size = static_cast<int32_t>(body.size());
    ARROW_ASSIGN_OR_RAISE(body, Compress(context.codec, body));
  }
  return Append(std::move(header), std::move(body), page.crc, page.edit_header, page.edit_body, file);
}

arrow::Result<PagePlace> WriteDictionaryPage(const ValueVector& entries, const ChunkContext& context,
                                             std::string* file) {
  const DictionarySpec& spec = context.chunk->dictionary;
  ARROW_ASSIGN_OR_RAISE(std::string body,
                        EncodeValues(*context.leaf->node, ::parquet::Encoding::PLAIN, entries, 0, ValueCount(entries)));
  PageHeader header;
  header.type = kDictionaryPage;
  header.num_values = static_cast<int32_t>(ValueCount(entries));
  header.encoding = spec.encoding;
  header.uncompressed_page_size = static_cast<int32_t>(body.size());
  ARROW_ASSIGN_OR_RAISE(body, Compress(context.codec, body));
  return Append(std::move(header), std::move(body), spec.crc, spec.edit_header, spec.edit_body, file);
}

PagePlace WriteGap(int32_t body_bytes, std::string* file) {
  PageHeader header;
  header.type = kIndexPage;
  header.uncompressed_page_size = body_bytes;
  return Append(std::move(header), std::string(static_cast<size_t>(body_bytes), '\xA5'), CrcPolicy::kNone, nullptr,
                nullptr, file);
}

}  // namespace frazil::filegen

// SPDX-License-Identifier: Apache-2.0
#include "tests/filegen/write.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/filegen/chunk_writer.h"

namespace frazil::filegen {

namespace {

constexpr char kMagic[] = "PAR1";

void AppendLength(size_t length, std::string* file) {
  for (int shift = 0; shift < 32; shift += 8) file->push_back(static_cast<char>(length >> shift));
}

class FileWriter {
 public:
  explicit FileWriter(const FileSpec& spec) : spec_(spec), leaves_(Leaves(spec.schema)), bytes_(kMagic) {}

  arrow::Status Write(FileLayout* layout) {
    for (const RowGroupSpec& group : spec_.row_groups) ARROW_RETURN_NOT_OK(WriteRowGroup(group));
    if (spec_.bloom_placement != BloomPlacement::kAfterIndexes) PlaceBloomFilters();
    if (!spec_.indexes_beside_chunks) {
      for (auto& group : chunks_) {
        for (WrittenChunk& chunk : group) PlaceColumnIndex(&chunk);
      }
      for (auto& group : chunks_) {
        for (WrittenChunk& chunk : group) PlaceOffsetIndex(&chunk);
      }
    }
    PlaceBloomFilters();
    bytes_.append(static_cast<size_t>(spec_.footer_gap_bytes), '\0');
    WriteFooter(layout);
    if (spec_.edit_file) spec_.edit_file(bytes_);
    return arrow::Status::OK();
  }

  std::string Take() { return std::move(bytes_); }

 private:
  arrow::Status WriteRowGroup(const RowGroupSpec& group) {
    if (group.chunks.size() != leaves_.size()) {
      return arrow::Status::Invalid("row group of ", group.chunks.size(), " chunks for ", leaves_.size(), " leaves");
    }
    std::vector<WrittenChunk>& chunks = chunks_.emplace_back();
    for (size_t leaf = 0; leaf < leaves_.size(); ++leaf) {
      ARROW_ASSIGN_OR_RAISE(WrittenChunk chunk,
                            WriteChunk(leaves_[leaf], group.chunks[leaf], group.row_count, &bytes_));
      if (spec_.indexes_beside_chunks) {
        PlaceColumnIndex(&chunk);
        PlaceOffsetIndex(&chunk);
      }
      if (spec_.bloom_placement == BloomPlacement::kBesideChunk) PlaceBloomFilter(group.chunks[leaf], &chunk);
      chunks.push_back(std::move(chunk));
    }
    if (spec_.bloom_placement == BloomPlacement::kAfterRowGroup) {
      for (size_t leaf = 0; leaf < leaves_.size(); ++leaf) PlaceBloomFilter(group.chunks[leaf], &chunks[leaf]);
    }
    return arrow::Status::OK();
  }

  ByteRange Append(const std::string& bytes) {
    ByteRange range{static_cast<int64_t>(bytes_.size()), static_cast<int64_t>(bytes.size())};
    bytes_ += bytes;
    return range;
  }

  void PlaceColumnIndex(WrittenChunk* chunk) {
    if (!chunk->column_index) return;
    ByteRange range = Append(*chunk->column_index);
    chunk->layout.column_index = range;
    chunk->metadata.column_index_offset = range.offset;
    chunk->metadata.column_index_length = static_cast<int32_t>(range.length);
  }

  void PlaceOffsetIndex(WrittenChunk* chunk) {
    if (!chunk->offset_index) return;
    ByteRange range = Append(*chunk->offset_index);
    chunk->layout.offset_index = range;
    chunk->metadata.offset_index_offset = range.offset;
    chunk->metadata.offset_index_length = static_cast<int32_t>(range.length);
  }

  // Those that have no place yet, in the order of the placement.
  void PlaceBloomFilters() {
    std::vector<std::pair<size_t, size_t>> order;  // row group, leaf
    for (size_t group = 0; group < chunks_.size(); ++group) {
      for (size_t leaf = 0; leaf < leaves_.size(); ++leaf) order.emplace_back(group, leaf);
    }
    if (spec_.bloom_placement == BloomPlacement::kColumnMajor) {
      std::stable_sort(order.begin(), order.end(), [](auto a, auto b) { return a.second < b.second; });
    }
    if (spec_.bloom_placement == BloomPlacement::kBackwards) std::reverse(order.begin(), order.end());
    for (const auto& [group, leaf] : order) {
      PlaceBloomFilter(spec_.row_groups[group].chunks[leaf], &chunks_[group][leaf]);
    }
  }

  void PlaceBloomFilter(const ChunkSpec& spec, WrittenChunk* chunk) {
    if (!chunk->bloom_filter || chunk->layout.bloom_filter) return;
    ByteRange range = Append(*chunk->bloom_filter);
    chunk->layout.bloom_filter = range;
    chunk->metadata.bloom_filter_offset = range.offset;
    if (spec.bloom_filter.declare_length) chunk->metadata.bloom_filter_length = static_cast<int32_t>(range.length);
  }

  RowGroupMetadata MakeRowGroup(size_t ordinal) {
    const RowGroupSpec& spec = spec_.row_groups[ordinal];
    RowGroupMetadata group;
    group.num_rows = spec.row_count;
    group.sorting_columns = spec.sorting_columns;
    if (ordinal <= INT16_MAX) group.ordinal = static_cast<int16_t>(ordinal);
    int64_t compressed_bytes = 0;
    for (size_t leaf = 0; leaf < leaves_.size(); ++leaf) {
      WrittenChunk& chunk = chunks_[ordinal][leaf];
      group.total_byte_size += chunk.metadata.total_uncompressed_size;
      compressed_bytes += chunk.layout.range.length;
      if (spec.chunks[leaf].edit_metadata) spec.chunks[leaf].edit_metadata(chunk.metadata);
      group.columns.push_back(chunk.metadata);
    }
    group.total_compressed_size = compressed_bytes;
    if (!leaves_.empty()) group.file_offset = chunks_[ordinal][0].layout.range.offset;
    if (spec.edit_metadata) spec.edit_metadata(group);
    return group;
  }

  void WriteFooter(FileLayout* layout) {
    FileMetadata file;
    file.version = spec_.version;
    file.schema = spec_.schema;
    file.key_value_metadata = spec_.key_value_metadata;
    file.created_by = spec_.created_by;
    for (size_t group = 0; group < chunks_.size(); ++group) {
      file.num_rows += spec_.row_groups[group].row_count;
      file.row_groups.push_back(MakeRowGroup(group));
    }
    if (spec_.column_orders) {
      for (const LeafInfo& leaf : leaves_) file.column_orders.push_back(static_cast<int>(leaf.node->order));
    }
    if (spec_.edit_footer) spec_.edit_footer(file);
    std::string footer = Serialize(file);
    if (spec_.edit_footer_bytes) spec_.edit_footer_bytes(footer);
    ByteRange range = Append(footer);
    AppendLength(footer.size(), &bytes_);
    bytes_ += kMagic;
    if (layout == nullptr) return;
    layout->footer = range;
    layout->chunks.clear();
    for (auto& group : chunks_) {
      auto& chunks = layout->chunks.emplace_back();
      for (WrittenChunk& chunk : group) chunks.push_back(std::move(chunk.layout));
    }
  }

  const FileSpec& spec_;
  std::vector<LeafInfo> leaves_;
  std::string bytes_;
  std::vector<std::vector<WrittenChunk>> chunks_;
};

}  // namespace

arrow::Result<std::shared_ptr<arrow::Buffer>> WriteFile(const FileSpec& file, FileLayout* layout) {
  FileWriter writer(file);
  ARROW_RETURN_NOT_OK(writer.Write(layout));
  return arrow::Buffer::FromString(writer.Take());
}

}  // namespace frazil::filegen

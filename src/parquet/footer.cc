// SPDX-License-Identifier: Apache-2.0

#include "src/parquet/footer.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <new>
#include <unordered_map>

#include <arrow/util/key_value_metadata.h>
#include <parquet/exception.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>

#include "src/expr/expression.h"
#include "src/parquet/column_chunk.h"
#include "src/parquet/thrift.h"

namespace frazil::parquet {

namespace {

using Type = CompactReader::Type;

// The footer's own frame: four bytes of length and four of magic; a file has another magic in front.
constexpr int64_t kFrameBytes = 8;
constexpr int64_t kMagicBytes = 4;
// What Arrow and Impala allow for a dictionary page header that total_compressed_size forgot.
constexpr int64_t kDictionaryHeaderBytesMax = 100;

arrow::Status Corrupt(std::string text) { return MakeError(ErrorKind::kCorrupt, std::move(text)); }

// The footer's length, from the frame at the end of `tail`.
arrow::Result<int64_t> FooterBytes(std::string_view tail, int64_t file_size, int64_t footer_bytes_max) {
  if (file_size < kFrameBytes + kMagicBytes) {
    return Corrupt("not a Parquet file: " + std::to_string(file_size) + " bytes are less than the smallest one has");
  }
  if (static_cast<int64_t>(tail.size()) < kFrameBytes || static_cast<int64_t>(tail.size()) > file_size) {
    return MakeError(ErrorKind::kInternal, "the tail of the file has " + std::to_string(tail.size()) + " bytes");
  }
  const std::string_view magic = tail.substr(tail.size() - kMagicBytes);
  if (magic == "PARE") return MakeError(ErrorKind::kUnsupported, "the footer is encrypted");
  if (magic != "PAR1") return Corrupt("not a Parquet file: it does not end in PAR1");
  int64_t bytes = 0;
  for (int i = 0; i < 4; ++i) {
    bytes |= int64_t{static_cast<uint8_t>(tail[tail.size() - kFrameBytes + i])} << (8 * i);
  }
  if (bytes == 0) return Corrupt("the footer is empty");
  if (bytes > file_size - kFrameBytes - kMagicBytes) {
    return Corrupt("the footer of " + std::to_string(bytes) + " bytes does not fit into the file of " +
                   std::to_string(file_size) + " bytes");
  }
  if (bytes > footer_bytes_max) {
    return MakeError(ErrorKind::kBudget, "the footer has " + std::to_string(bytes) + " bytes, more than the " +
                                             std::to_string(footer_bytes_max) + " allowed");
  }
  return bytes;
}

ColumnOrder ReadColumnOrder(CompactReader& r) {
  ColumnOrder order = ColumnOrder::kUnknown;
  int members = 0;
  for (CompactReader::Fields f(r); f.Next(); ++members) {
    if (f.id() == 1) order = ColumnOrder::kTypeDefined;
    if (f.id() == 2) order = ColumnOrder::kIeee754Total;
    r.Skip(f.type());
  }
  return members == 1 ? order : ColumnOrder::kUnknown;
}

// A FileMetaData without row groups, for Arrow. The parts are raw Thrift values.
std::string SchemaThrift(std::string_view schema, std::string_view key_values, std::string_view created_by) {
  std::string thrift("\x15\x02", 2);     // 1: version, i32 1
  thrift.append("\x19").append(schema);  // 2: schema
  thrift.append("\x16\x00\x19\x0c", 4);  // 3: num_rows, i64 0; 4: row_groups, none
  if (!key_values.empty()) thrift.append("\x19").append(key_values);
  if (!created_by.empty()) thrift.append(key_values.empty() ? "\x28" : "\x18").append(created_by);
  thrift.push_back('\0');
  return thrift;
}

// Refuses a repetition of a later version of the format (VECTOR), which Arrow would read as that of a required column.
arrow::Status CheckRepetitions(const ::parquet::schema::GroupNode& group) {
  for (int i = 0; i < group.field_count(); ++i) {
    const ::parquet::schema::Node& node = *group.field(i);
    if (node.repetition() == ::parquet::Repetition::UNDEFINED) {
      return MakeError(ErrorKind::kUnsupported, "the schema: the repetition of " + node.name() + " is not known");
    }
    if (node.is_group()) {
      ARROW_RETURN_NOT_OK(CheckRepetitions(static_cast<const ::parquet::schema::GroupNode&>(node)));
    }
  }
  return arrow::Status::OK();
}

// An element of the schema: hides its logicalType, in place, when it is a group that is said to be always null. Hive
// writes structs, lists and maps so. A reader of Thrift passes over the id that the field gets.
bool HideNullOfGroup(CompactReader& r, std::string* thrift) {
  constexpr int kHiddenId = 14;  // past what the format has, near enough for the short form of a field header
  bool is_group = false;
  std::optional<int64_t> header;
  bool always_null = false;
  int before = 0;
  int64_t begin = r.position();
  for (CompactReader::Fields f(r); f.Next(); begin = r.position()) {
    if (f.id() == 5) {
      is_group = r.I32If(f).value_or(0) > 0;
    } else if (f.id() == 10 && f.type() == Type::kStruct && r.position() == begin + 1) {
      header = begin;
      for (CompactReader::Fields member(r); member.Next();) {
        always_null = member.id() == 11;
        r.Skip(member.type());
      }
    } else {
      r.Skip(f.type());
    }
    if (!header) before = f.id();
  }
  if (!r.ok() || !is_group || !always_null) return false;
  const int delta = kHiddenId - before;
  if (delta > 15) return false;
  (*thrift)[static_cast<size_t>(*header)] = static_cast<char>((delta << 4) | static_cast<int>(Type::kStruct));
  return true;
}

// The same for all elements. False when there was none.
bool HideNullOfGroups(std::string* thrift) {
  bool any = false;
  const std::string original = *thrift;
  CompactReader r(original);
  for (CompactReader::Fields f(r); f.Next();) {
    if (f.id() == 2) {
      r.ForEach(f, Type::kStruct, [&] { any |= HideNullOfGroup(r, thrift); });
    } else {
      r.Skip(f.type());
    }
  }
  return any;
}

// A key for a path: names may hold dots, but no name holds a NUL in practice, and a clash only refuses the file.
template <typename Parts>
std::string PathKey(const Parts& parts) {
  std::string key;
  for (const auto& part : parts) key.append(part).push_back('\0');
  return key;
}

bool SamePath(const std::vector<std::string_view>& stored, const std::vector<std::string>& path) {
  return std::equal(stored.begin(), stored.end(), path.begin(), path.end());
}

}  // namespace

struct Footer::Schema {
  std::shared_ptr<::parquet::FileMetaData> metadata;
  ::parquet::arrow::SchemaManifest manifest;
  std::shared_ptr<arrow::Schema> arrow_schema;
  FilterSchema filter_schema;
  std::vector<std::vector<std::string>> paths;
  bool sizes_lack_dictionary_header = false;
};

// Chunks by their paths, for row groups whose chunks are not in the order of the schema: made when one is met.
struct Footer::ChunkPaths {
  using Map = std::unordered_map<std::string, int>;  // -1: several chunks have that path

  std::mutex mutex;
  std::unordered_map<int, Map> by_row_group;
};

Footer::~Footer() = default;

arrow::Result<ByteRange> ChunkRange(const ColumnChunk& chunk, int64_t file_size) {
  const int64_t begin = chunk.dictionary_page_offset.value_or(chunk.data_page_offset);
  const int64_t length = chunk.total_compressed_size;
  int64_t end = 0;
  if (begin < kMagicBytes || length <= 0 || __builtin_add_overflow(begin, length, &end) ||
      end > file_size - kFrameBytes) {
    // Old writers leave offset 0 in the chunks of row groups without rows: there is nothing to read there.
    if (chunk.num_values == 0) return ByteRange{std::clamp<int64_t>(begin, 0, file_size), 0};
    return Corrupt("the column chunk at offset " + std::to_string(begin) + " of " + std::to_string(length) +
                   " bytes does not lie inside the file of " + std::to_string(file_size) + " bytes");
  }
  return ByteRange{begin, length};
}

arrow::Result<std::shared_ptr<const Footer>> Footer::Parse(const std::shared_ptr<arrow::Buffer>& tail,
                                                           int64_t file_size, const FooterOptions& options,
                                                           int64_t* tail_bytes_needed) {
  const std::string_view tail_bytes(*tail);
  ARROW_ASSIGN_OR_RAISE(const int64_t footer_bytes, FooterBytes(tail_bytes, file_size, options.footer_bytes_max));
  if (footer_bytes + kFrameBytes > tail->size()) {
    *tail_bytes_needed = footer_bytes + kFrameBytes;
    return nullptr;
  }
  std::shared_ptr<Footer> footer(new Footer);
  footer->bytes_ = arrow::SliceBuffer(tail, tail->size() - kFrameBytes - footer_bytes, footer_bytes);
  footer->file_size_ = file_size;
  footer->footer_offset_ = file_size - kFrameBytes - footer_bytes;
  ARROW_ASSIGN_OR_RAISE(std::string schema_thrift, footer->Walk(std::string_view(*footer->bytes_)));
  arrow::Status schema_read = footer->ReadSchema(schema_thrift);
  if (!schema_read.ok() && HideNullOfGroups(&schema_thrift)) schema_read = footer->ReadSchema(schema_thrift);
  ARROW_RETURN_NOT_OK(schema_read);
  ARROW_RETURN_NOT_OK(footer->CheckRowGroups());
  const auto leaf_count = static_cast<size_t>(footer->leaf_count());
  if (footer->column_orders_.size() != leaf_count) {
    // Absent for every column, or a list that can not be matched with the columns.
    const ColumnOrder order = footer->column_orders_.empty() ? ColumnOrder::kUndefined : ColumnOrder::kUnknown;
    footer->column_orders_.assign(leaf_count, order);
  }
  footer->chunk_paths_ = std::make_unique<ChunkPaths>();
  return footer;
}

arrow::Result<std::string> Footer::Walk(std::string_view thrift) {
  std::optional<int32_t> version;
  std::string_view schema, key_values, created_by;
  bool has_row_groups = false;
  CompactReader r(thrift);
  // Skips a field of `type` and returns its raw value; a field of another type is as good as absent.
  const auto raw = [&](const CompactReader::Fields& field, Type type) {
    const int64_t begin = r.position();
    r.Skip(field.type());
    return field.type() == type ? thrift.substr(begin, r.position() - begin) : std::string_view();
  };
  for (CompactReader::Fields f(r); f.Next();) {
    switch (f.id()) {
      case 1:
        version = r.I32If(f);
        break;
      case 2:
        schema = raw(f, Type::kList);
        break;
      case 4: {
        row_groups_.clear();
        chunk_starts_.clear();
        row_count_ = 0;
        arrow::Status status;
        has_row_groups = r.ForEach(f, Type::kStruct, [&] {
          if (status.ok()) status = ReadRowGroup(r);
          if (!status.ok()) r.Fail();
        });
        ARROW_RETURN_NOT_OK(status);
        break;
      }
      case 5:
        key_values = raw(f, Type::kList);
        break;
      case 6:
        created_by = raw(f, Type::kBinary);
        break;
      case 7:
        column_orders_.clear();
        r.ForEach(f, Type::kStruct, [&] { column_orders_.push_back(ReadColumnOrder(r)); });
        break;
      default:
        r.Skip(f.type());  // num_rows among them: the row groups say it better
    }
  }
  if (!r.ok()) return Corrupt("the footer is not Thrift");
  if (!version) return Corrupt("the footer lacks version");
  if (schema.empty()) return Corrupt("the footer lacks schema");
  if (!has_row_groups) return Corrupt("the footer lacks row_groups");
  version_ = *version;
  return SchemaThrift(schema, key_values, created_by);
}

arrow::Status Footer::ReadRowGroup(CompactReader& r) {
  RowGroup row_group;
  std::optional<int64_t> num_rows;
  bool has_columns = false;
  for (CompactReader::Fields f(r); f.Next();) {
    if (f.id() == 3) {
      num_rows = r.I64If(f);
    } else if (f.id() == 1 && f.type() == Type::kList) {
      const CompactReader::List list = r.ListHeader(f.type());
      if (list.size != 0 && list.type != Type::kStruct) r.Fail();
      row_group.first_chunk = chunk_starts_.size();
      row_group.column_count = list.size;
      for (uint32_t i = 0; i < list.size && r.ok(); ++i) {
        chunk_starts_.push_back(static_cast<uint32_t>(r.position()));
        r.SkipElement(Type::kStruct);
      }
      has_columns = true;
    } else {
      r.Skip(f.type());
    }
  }
  const ErrorPlace place{.row_group = row_group_count()};
  if (!r.ok()) return MakeError(ErrorKind::kCorrupt, "its metadata is not Thrift", place);
  if (!has_columns) return MakeError(ErrorKind::kCorrupt, "its metadata lacks columns", place);
  if (!num_rows) return MakeError(ErrorKind::kCorrupt, "its metadata lacks num_rows", place);
  if (*num_rows < 0) {
    return MakeError(ErrorKind::kCorrupt, "negative num_rows " + std::to_string(*num_rows), place);
  }
  row_group.num_rows = *num_rows;
  row_group.first_row = row_count_;
  if (__builtin_add_overflow(row_count_, *num_rows, &row_count_)) {
    return MakeError(ErrorKind::kCorrupt, "the rows up to here are more than 64 bits can count", place);
  }
  row_groups_.push_back(row_group);
  return arrow::Status::OK();
}

arrow::Status Footer::CheckRowGroups() const {
  for (int i = 0; i < row_group_count(); ++i) {
    if (row_groups_[i].column_count != static_cast<uint32_t>(leaf_count())) {
      return MakeError(ErrorKind::kCorrupt,
                       std::to_string(row_groups_[i].column_count) + " column chunks for the " +
                           std::to_string(leaf_count()) + " columns of the schema",
                       {.row_group = i});
    }
  }
  return arrow::Status::OK();
}

arrow::Status Footer::ReadSchema(const std::string& thrift) {
  schema_ = std::make_unique<Schema>();
  try {
    schema_->metadata = ::parquet::FileMetaData::Make(thrift.data(), static_cast<int64_t>(thrift.size()));
    ::parquet::ArrowReaderProperties properties;
    properties.set_arrow_extensions_enabled(true);  // as pyarrow does: uuid and json are extension types
    const arrow::Status status = ::parquet::arrow::SchemaManifest::Make(
        schema_->metadata->schema(), schema_->metadata->key_value_metadata(), properties, &schema_->manifest);
    // The schema is Parquet's; what has no Arrow form (deep nesting, a map without keys) is refused here.
    if (!status.ok()) return MakeError(ErrorKind::kUnsupported, "the schema: " + status.message());
    ARROW_RETURN_NOT_OK(CheckRepetitions(*schema_->metadata->schema()->group_node()));
    schema_->sizes_lack_dictionary_header =
        schema_->metadata->writer_version().VersionLt(::parquet::ApplicationVersion::PARQUET_816_FIXED_VERSION());
  } catch (const ::parquet::ParquetStatusException& e) {
    return MakeError(KindOf(e.status()), "the schema: " + e.status().message());
  } catch (const std::bad_alloc&) {
    return MakeError(ErrorKind::kBudget, "no memory for the schema");
  } catch (const std::exception& e) {
    return Corrupt(std::string("the schema: ") + e.what());
  }
  created_by_ = schema_->metadata->created_by();
  const std::shared_ptr<const arrow::KeyValueMetadata>& key_values = schema_->metadata->key_value_metadata();
  for (int64_t i = 0; key_values != nullptr && i < key_values->size(); ++i) {
    key_values_.emplace_back(key_values->key(i), key_values->value(i));
  }
  arrow::FieldVector fields;
  for (const ::parquet::arrow::SchemaField& field : schema_->manifest.schema_fields) fields.push_back(field.field);
  // With an ARROW:schema, its own entry is taken out of the metadata that the schema shows.
  const auto& origin = schema_->manifest.origin_schema;
  schema_->arrow_schema = arrow::schema(std::move(fields), origin != nullptr ? origin->metadata() : key_values);
  schema_->filter_schema = MakeFilterSchema(schema());
  for (int leaf = 0; leaf < leaf_count(); ++leaf) {
    expr::ColumnPath path;
    path.parts = schema().Column(leaf)->path()->ToDotVector();
    leaf_paths_.push_back(path.ToString());
    schema_->paths.push_back(std::move(path.parts));
  }
  return arrow::Status::OK();
}

arrow::Result<ColumnChunk> Footer::Chunk(int row_group, int leaf) const {
  arrow::Result<ColumnChunk> chunk = FindChunk(row_group, leaf);
  if (!chunk.ok()) return AddPlace(chunk.status(), {.row_group = row_group, .column = leaf_path(leaf)});
  return chunk;
}

std::string_view Footer::ChunkThrift(const RowGroup& row_group, int ordinal) const {
  return std::string_view(*bytes_).substr(chunk_starts_[row_group.first_chunk + ordinal]);
}

arrow::Result<int> Footer::ChunkByPath(int row_group, int leaf) const {
  const std::lock_guard<std::mutex> lock(chunk_paths_->mutex);
  const auto [entry, is_first] = chunk_paths_->by_row_group.try_emplace(row_group);
  ChunkPaths::Map& ordinals = entry->second;
  for (int i = 0; is_first && i < leaf_count(); ++i) {
    const auto [chunk, is_new] = ordinals.emplace(PathKey(DecodeChunkPath(ChunkThrift(row_groups_[row_group], i))), i);
    if (!is_new) chunk->second = -1;
  }
  const auto found = ordinals.find(PathKey(schema_->paths[leaf]));
  if (found == ordinals.end()) return Corrupt("the row group has no chunk with the path of this column");
  if (found->second < 0) return Corrupt("several chunks have the path of this column");
  return found->second;
}

arrow::Result<ColumnChunk> Footer::FindChunk(int row_group, int leaf) const {
  const RowGroup& place = row_groups_[row_group];
  ARROW_ASSIGN_OR_RAISE(DecodedChunk decoded, DecodeColumnChunk(ChunkThrift(place, leaf)));
  // No path (encrypted metadata, or a writer that leaves it out): the position is all there is.
  if (!decoded.path.empty() && !SamePath(decoded.path, schema_->paths[leaf])) {
    ARROW_ASSIGN_OR_RAISE(const int ordinal, ChunkByPath(row_group, leaf));
    ARROW_ASSIGN_OR_RAISE(decoded, DecodeColumnChunk(ChunkThrift(place, ordinal)));
  }
  ColumnChunk& chunk = decoded.chunk;
  chunk.leaf = leaf;
  const int physical_type = schema().Column(leaf)->physical_type();
  if (decoded.has_meta_data && chunk.physical_type != physical_type) {
    return Corrupt("the chunk's physical type " + std::to_string(chunk.physical_type) + " is not the schema's " +
                   std::to_string(physical_type));
  }
  chunk.physical_type = physical_type;
  if (schema_->sizes_lack_dictionary_header) PadCompressedSize(&chunk);
  return std::move(chunk);
}

void Footer::PadCompressedSize(ColumnChunk* chunk) const {
  const arrow::Result<ByteRange> range = ChunkRange(*chunk, file_size_);
  if (!range.ok()) return;
  chunk->total_compressed_size += std::clamp<int64_t>(footer_offset_ - range->end(), 0, kDictionaryHeaderBytesMax);
}

const ::parquet::SchemaDescriptor& Footer::schema() const { return *schema_->metadata->schema(); }

const ::parquet::arrow::SchemaManifest& Footer::manifest() const { return schema_->manifest; }

const std::shared_ptr<arrow::Schema>& Footer::arrow_schema() const { return schema_->arrow_schema; }

const FilterSchema& Footer::filter_schema() const { return schema_->filter_schema; }

int Footer::leaf_count() const { return schema().num_columns(); }

ColumnOrder Footer::column_order(int leaf) const { return column_orders_[leaf]; }

}  // namespace frazil::parquet

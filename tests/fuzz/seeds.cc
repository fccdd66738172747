// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/seeds.h"

#include <cstring>
#include <utility>

#include <arrow/util/compression.h>

#include "tests/filegen/random_file.h"
#include "tests/filegen/write.h"
#include "tests/fuzz/iceberg_seeds.h"
#include "tests/fuzz/page_input.h"

namespace frazil::fuzz {
namespace {

using filegen::ChunkSpec;
using filegen::FileLayout;
using filegen::FileSpec;
using filegen::List;
using filegen::Node;
using filegen::PageSpec;
using filegen::Row;
using filegen::Value;
using ::parquet::Encoding;
using ::parquet::Type;

struct Written {
  FileSpec spec;
  FileLayout layout;
  std::string bytes;

  std::string_view At(const ByteRange& range) const {
    return std::string_view(bytes).substr(static_cast<size_t>(range.offset), static_cast<size_t>(range.length));
  }
};

arrow::Result<Written> WriteOneColumn(const Node& node, const std::vector<Value>& values, ChunkSpec chunk) {
  Written written;
  written.spec.schema = {node};
  std::vector<Row> rows;
  for (const Value& value : values) rows.push_back({value});
  ARROW_ASSIGN_OR_RAISE(auto columns, filegen::Shred(written.spec.schema, rows));
  chunk.data = std::move(columns[0]);
  auto& group = written.spec.row_groups.emplace_back();
  group.row_count = static_cast<int64_t>(rows.size());
  group.chunks.push_back(std::move(chunk));
  ARROW_ASSIGN_OR_RAISE(auto bytes, filegen::WriteFile(written.spec, &written.layout));
  written.bytes = bytes->ToString();
  return written;
}

Value ScalarOf(Type::type physical, int i) {
  switch (physical) {
    case Type::BOOLEAN:
      return Value(i % 3 == 0);
    case Type::INT32:
      return Value(int32_t{i * 7 - 40});
    case Type::INT64:
      return Value(int64_t{i} * 1'000'000'007);
    case Type::INT96:
      return Value(filegen::Int96{{static_cast<uint32_t>(i) * 1000, 0, 2'440'588}});
    case Type::FLOAT:
      return Value(static_cast<float>(i) * 0.5f);
    case Type::DOUBLE:
      return Value(i % 9 == 8 ? -0.0 : i * 0.25);
    case Type::FIXED_LEN_BYTE_ARRAY:
      return Value(std::string("fix") + static_cast<char>('a' + i % 26) + static_cast<char>('a' + i / 26));
    default:
      return Value("text " + std::to_string(i % 11));
  }
}

Node LeafOf(std::string name, Type::type physical, ::parquet::Repetition::type repetition) {
  return physical == Type::FIXED_LEN_BYTE_ARRAY ? filegen::FixedLeaf(std::move(name), 5, repetition)
                                                : filegen::Leaf(std::move(name), physical, repetition);
}

// A column of the structures of PageInput, every third value null where there can be nulls.
std::pair<Node, std::vector<Value>> ColumnOf(Type::type physical, int structure, int row_count) {
  std::vector<Value> values;
  int next = 0;
  auto scalar = [&](bool nullable) { return nullable && ++next % 3 == 0 ? Value() : ScalarOf(physical, next++); };
  auto list = [&](int size, bool nullable) {
    List items;
    for (int i = 0; i < size; ++i) items.items.push_back(scalar(nullable));
    return Value(std::move(items));
  };
  for (int row = 0; row < row_count; ++row) {
    switch (structure) {
      case PageInput::kRequired:
      case PageInput::kOptional:
        values.push_back(scalar(structure == PageInput::kOptional));
        break;
      case PageInput::kRepeated:
        values.push_back(list(row % 4, false));
        break;
      case PageInput::kList:
        values.push_back(row % 5 == 0 ? Value() : list(row % 4, true));
        break;
      default: {
        List lists;
        for (int i = 0; i < row % 3; ++i) lists.items.push_back(i == 1 ? Value() : list(row % 4, true));
        values.push_back(row % 7 == 0 ? Value() : Value(std::move(lists)));
      }
    }
  }
  switch (structure) {
    case PageInput::kRequired:
      return {LeafOf("c", physical, filegen::kRequired), values};
    case PageInput::kOptional:
      return {LeafOf("c", physical, filegen::kOptional), values};
    case PageInput::kRepeated:
      return {LeafOf("c", physical, filegen::kRepeated), values};
    case PageInput::kList:
      return {filegen::ListOf("c", LeafOf("element", physical, filegen::kOptional)), values};
    default:
      return {filegen::ListOf("c", filegen::ListOf("element", LeafOf("element", physical, filegen::kOptional))),
              values};
  }
}

struct PageCase {
  const char* name;
  Type::type physical;
  int structure;
  ::arrow::Compression::type codec;
  int codec_number;  // parquet.thrift CompressionCodec
  int version;
  Encoding::type encoding;
};

arrow::Status AddPageSeeds(std::vector<Seed>* seeds) {
  using ::arrow::Compression;
  const PageCase cases[] = {
      {"int32_plain", Type::INT32, 0, Compression::UNCOMPRESSED, 0, 1, Encoding::PLAIN},
      {"bool_rle", Type::BOOLEAN, 1, Compression::UNCOMPRESSED, 0, 2, Encoding::RLE},
      {"int64_delta", Type::INT64, 1, Compression::SNAPPY, 1, 1, Encoding::DELTA_BINARY_PACKED},
      {"int96_dictionary", Type::INT96, 1, Compression::UNCOMPRESSED, 0, 1, Encoding::RLE_DICTIONARY},
      {"float_split", Type::FLOAT, 1, Compression::ZSTD, 6, 2, Encoding::BYTE_STREAM_SPLIT},
      {"double_gzip", Type::DOUBLE, 0, Compression::GZIP, 2, 1, Encoding::PLAIN},
      {"text_dictionary", Type::BYTE_ARRAY, 1, Compression::UNCOMPRESSED, 0, 2, Encoding::RLE_DICTIONARY},
      {"text_delta", Type::BYTE_ARRAY, 1, Compression::UNCOMPRESSED, 0, 1, Encoding::DELTA_BYTE_ARRAY},
      {"text_delta_length", Type::BYTE_ARRAY, 3, Compression::LZ4, 7, 2, Encoding::DELTA_LENGTH_BYTE_ARRAY},
      {"fixed_plain", Type::FIXED_LEN_BYTE_ARRAY, 1, Compression::BROTLI, 4, 1, Encoding::PLAIN},
      {"repeated", Type::INT32, 2, Compression::UNCOMPRESSED, 0, 1, Encoding::PLAIN},
      {"list_v1", Type::INT64, 3, Compression::UNCOMPRESSED, 0, 1, Encoding::RLE_DICTIONARY},
      {"list_v2", Type::INT32, 3, Compression::UNCOMPRESSED, 0, 2, Encoding::PLAIN},
      {"lists_v1", Type::BYTE_ARRAY, 4, Compression::UNCOMPRESSED, 0, 1, Encoding::PLAIN},
      {"lists_v2", Type::DOUBLE, 4, Compression::SNAPPY, 1, 2, Encoding::RLE_DICTIONARY},
  };
  for (const PageCase& one : cases) {
    constexpr int kRows = 40;
    const auto [node, values] = ColumnOf(one.physical, one.structure, kRows);
    ChunkSpec chunk;
    chunk.codec = one.codec;
    PageSpec page{.version = one.version, .encoding = one.encoding, .crc = filegen::CrcPolicy::kRight};
    chunk.pages = filegen::PagesOf(kRows, 13, page);
    // A fall back from the dictionary at the end, where there is one.
    if (one.encoding == Encoding::RLE_DICTIONARY) chunk.pages.back().encoding = Encoding::PLAIN;
    ARROW_ASSIGN_OR_RAISE(const Written written, WriteOneColumn(node, values, chunk));
    PageInput input;
    input.physical_type = static_cast<int>(one.physical);
    input.structure = one.structure;
    input.codec = one.codec_number;
    input.row_count = kRows;
    input.value_count = written.spec.row_groups[0].chunks[0].data.level_count();
    input.chunk = written.At(written.layout.chunks[0][0].range);
    seeds->push_back({"page", one.name, input.Bytes()});
    for (const filegen::PageLayout& layout : written.layout.chunks[0][0].pages) {
      if (layout.first_row != 0) continue;
      seeds->push_back({"page_header", one.name, std::string(written.At(layout.range).substr(0, 64))});
    }
  }
  return arrow::Status::OK();
}

// Types by their place in kKinds of fuzz_page_index.cc.
arrow::Status AddPageIndexSeeds(std::vector<Seed>* seeds) {
  const std::pair<int, Type::type> kinds[] = {
      {0, Type::INT32}, {1, Type::INT64}, {2, Type::DOUBLE}, {3, Type::BYTE_ARRAY}, {6, Type::BOOLEAN}};
  for (const auto& [kind, physical] : kinds) {
    constexpr int kRows = 30;
    const auto [node, values] = ColumnOf(physical, PageInput::kOptional, kRows);
    ChunkSpec chunk;
    chunk.pages = filegen::PagesOf(kRows, 4);
    chunk.index.level_histograms = kind % 2 == 0;
    ARROW_ASSIGN_OR_RAISE(const Written written, WriteOneColumn(node, values, chunk));
    const filegen::ChunkLayout& layout = written.layout.chunks[0][0];
    const std::string_view offsets = written.At(*layout.offset_index);
    std::string bytes{static_cast<char>(kind), kRows, 0, static_cast<char>(offsets.size()),
                      static_cast<char>(offsets.size() >> 8)};
    bytes.append(offsets).append(written.At(*layout.column_index));
    seeds->push_back({"page_index", ::parquet::TypeToString(physical), bytes});
  }
  return arrow::Status::OK();
}

arrow::Status AddBloomFilterSeeds(std::vector<Seed>* seeds) {
  for (const int32_t bitset_bytes : {32, 96, 1024, 8192}) {
    const auto [node, values] = ColumnOf(Type::BYTE_ARRAY, PageInput::kOptional, 30);
    ChunkSpec chunk;
    chunk.pages = filegen::PagesOf(30, 30);
    chunk.bloom_filter.bitset_bytes = bitset_bytes;
    ARROW_ASSIGN_OR_RAISE(const Written written, WriteOneColumn(node, values, chunk));
    // Of the large one the header and some of the bits.
    const std::string_view bytes = written.At(*written.layout.chunks[0][0].bloom_filter).substr(0, 1100);
    seeds->push_back({"bloom_filter", std::to_string(bitset_bytes) + "_bytes", std::string(bytes)});
  }
  return arrow::Status::OK();
}

arrow::Status AddFileSeeds(std::vector<Seed>* seeds) {
  filegen::RandomFileOptions options;
  options.row_count_max = 40;
  options.row_group_count_max = 2;
  options.column_count_max = 3;
  options.hard_empty_pages = true;
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    ARROW_ASSIGN_OR_RAISE(const filegen::RandomFile file, filegen::MakeRandomFile(seed, options));
    const std::string bytes = file.bytes->ToString();
    const ByteRange& footer = file.layout.footer;
    const std::string name = "random_" + std::to_string(seed);
    if (bytes.size() < 12'000) seeds->push_back({"file", name, bytes});
    if (footer.length < 4'000) {
      seeds->push_back(
          {"footer", name, bytes.substr(static_cast<size_t>(footer.offset), static_cast<size_t>(footer.length))});
    }
  }
  return arrow::Status::OK();
}

void AddFilterSeeds(std::vector<Seed>* seeds) {
  const std::pair<const char*, const char*> filters[] = {
      {"compare", "b = 1 AND c >= -9223372036854775808 OR NOT (d < 18446744073709551615)"},
      {"between", "h BETWEEN 0.01 AND DECIMAL '1.50' AND j NOT BETWEEN -1e20 AND 1e20"},
      {"in", "k IN ('a', 'it''s', NULL) OR c NOT IN (1, 2, 3, 1.5)"},
      {"null", "z IS NOT NULL AND s IS NULL AND g IS NOT NAN"},
      {"text", "k LIKE 'a_%\\%' AND k STARTS WITH 'b' OR l STARTS WITH X'00ff'"},
      {"time", "o = DATE '2024-02-29' AND p < TIME '12:34:56.789' AND q > TIMESTAMPTZ '1969-12-31T23:59:59Z'"},
      {"timestamp",
       "r <= TIMESTAMP '2262-04-12 00:00:00.000000001' OR n = UUID '00112233-4455-6677-8899-aabbccddeeff'"},
      {"floats", "e > 'NaN' OR f = -0.0 OR g <> 1e-320"},
      {"quoted", "\"z\".x = 1 AND `b` <> 2 AND \"q\"\"t\" IS NULL"},
      {"constants", "TRUE AND NOT FALSE OR a = TRUE"},
  };
  for (const auto& [name, text] : filters) seeds->push_back({"filter", name, text});
}

void AddMatcherSeeds(std::vector<Seed>* seeds) {
  for (int kind = 0; kind < 12; ++kind) {
    for (const int flags : {0, 13}) {
      std::string bytes{static_cast<char>(kind), static_cast<char>(flags), 3, 2};
      for (int i = 0; i < 400; ++i) bytes.push_back(static_cast<char>(i * i * 31 >> 3));
      seeds->push_back({"matcher", "kind_" + std::to_string(kind) + "_" + std::to_string(flags), bytes});
    }
  }
}

arrow::Status AddSnappySeeds(std::vector<Seed>* seeds) {
  std::string plain;
  for (int i = 0; i < 300; ++i) plain += std::to_string(i % 17) + (i % 5 == 0 ? "same words again and again" : "");
  ARROW_ASSIGN_OR_RAISE(auto codec, ::arrow::util::Codec::Create(::arrow::Compression::SNAPPY));
  for (const size_t size : {size_t{0}, size_t{5}, size_t{70}, plain.size()}) {
    const auto* in = reinterpret_cast<const uint8_t*>(plain.data());
    const auto in_bytes = static_cast<int64_t>(size);
    std::string block(static_cast<size_t>(codec->MaxCompressedLen(in_bytes, in)), '\0');
    ARROW_ASSIGN_OR_RAISE(const int64_t written, codec->Compress(in_bytes, in, static_cast<int64_t>(block.size()),
                                                                 reinterpret_cast<uint8_t*>(block.data())));
    block.resize(static_cast<size_t>(written));
    const std::string head{static_cast<char>(size), static_cast<char>(size >> 8)};
    seeds->push_back({"snappy", std::to_string(size), head + block});
  }
  return arrow::Status::OK();
}

// Tasks as planners write them, over the file of fuzz_task.cc, whose first column is "row".
void AddTaskSeeds(std::vector<Seed>* seeds) {
  const std::string head =
      R"({"version":1,"file":"a.parquet","format":"parquet","file_size_bytes":4000,"record_count":60,)";
  const std::string schema = R"("schema":{"type":"struct","schema-id":0,"fields":[)"
                             R"({"id":1,"name":"row","required":true,"type":"long"},)"
                             R"({"id":9,"name":"cat","required":false,"type":"string"}]},)";
  const std::string leaf = R"({"field_id":1,"column":"row","keys":[["3","9"],["12"]],"null":false,"text":"row < 9"})";
  const std::string partition =
      R"("partition":[{"field_id":1000,"name":"cat","source_ids":[9],"transform":"identity","type":"string",)"
      R"("value":"x","bytes":"78"}],"data_sequence_number":3,)";
  const std::string columns = R"("filter":"","columns":["row"],)";
  const std::pair<const char*, std::string> tasks[] = {
      {"plain", head + R"("filter":"\"row\" > 5","columns":["\"row\""],"column_types":["row: int64 not null"]})"},
      {"plain_rows", head + R"("rows":{"begin":3,"end":9},"filter":"","columns":["\"row\""],)" +
                         R"("column_types":["row: int64 not null"]})"},
      {"iceberg", head + columns + R"("iceberg":{"snapshot_id":"7",)" + schema + R"("spec_id":0,)" + partition +
                      R"("residual":)" + leaf + R"(,"delete_files":[]}})"},
      {"bytes", head + R"("bytes":{"begin":100,"end":900},)" + columns + R"("iceberg":{"snapshot_id":null,)" + schema +
                    R"("spec_id":0,"partition":[],"residual":{"and":[true,{"or":[)" + leaf + R"(,false]}]},)" +
                    R"("delete_files":[]}})"},
      {"deletes", head + R"("rows":{"begin":0,"end":null},)" + columns + R"("iceberg":{)" + schema +
                      R"("name_mapping":[{"field-id":1,"names":["row"]}],"rewrite_locations":[["/a","/b"]],)" +
                      R"("spec_id":0,"partition":[],"data_sequence_number":1,"residual":true,"delete_files":[)" +
                      R"({"file":"d","content":"equality-deletes","format":"parquet","record_count":2,)" +
                      R"("sequence_number":2,"equality_ids":[1]},)" +
                      R"({"file":"v","content":"position-deletes","format":"puffin","record_count":1,)" +
                      R"("sequence_number":2,"content_offset":4,"content_size_bytes":40}]}})"},
      {"like", head + columns + R"("iceberg":{)" + schema + R"("spec_id":0,"partition":[],"residual":{"field_id":9,)" +
                   R"("column":"cat","keys":[["61","62"]],"null":true,"like":"a_b%","negated":false,"text":"x"},)" +
                   R"("delete_files":[]}})"},
  };
  for (const auto& [name, text] : tasks) seeds->push_back({"task", name, text});
}

}  // namespace

arrow::Result<std::vector<Seed>> MakeSeeds() {
  std::vector<Seed> seeds;
  ARROW_RETURN_NOT_OK(AddPageSeeds(&seeds));
  ARROW_RETURN_NOT_OK(AddPageIndexSeeds(&seeds));
  ARROW_RETURN_NOT_OK(AddBloomFilterSeeds(&seeds));
  ARROW_RETURN_NOT_OK(AddFileSeeds(&seeds));
  ARROW_RETURN_NOT_OK(AddSnappySeeds(&seeds));
  AddFilterSeeds(&seeds);
  AddMatcherSeeds(&seeds);
  AddIcebergSeeds(&seeds);
  AddTaskSeeds(&seeds);
  return seeds;
}

}  // namespace frazil::fuzz

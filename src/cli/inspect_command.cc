// SPDX-License-Identifier: Apache-2.0
//
// inspect: the metadata of one file, or of an Iceberg table (frazil/metadata_table.h), as rows. Bounds are printed as
// decoded values; what can not be decoded is null.
#include <algorithm>
#include <utility>

#include <parquet/types.h>

#include "frazil/metadata_table.h"
#include "src/base/text.h"
#include "src/cli/commands.h"
#include "src/cli/metadata_rows.h"
#include "src/cli/page_rows.h"
#include "src/io/stores.h"
#include "src/parquet/statistics.h"
#include "src/scan/catalog_address.h"
#include "src/scan/iceberg_table.h"
#include "src/scan/open_file.h"

namespace frazil::cli {
namespace {

using Cell = MetadataRows::Cell;
using Kind = MetadataRows::Kind;

Cell BoundCell(const std::optional<expr::Key>& key, const expr::ColumnType& type) {
  if (!key) return {};
  return expr::KeyToString(*key, type);
}

std::string EncodingNames(const std::vector<int>& encodings) {
  std::string names;
  for (int encoding : encodings) names += (names.empty() ? "" : " ") + EncodingName(encoding);
  return names;
}

MetadataRows SchemaRows(const parquet::Footer& footer, const std::vector<int>& leaves) {
  MetadataRows rows({{"column"},
                     {"physical_type"},
                     {"logical_type"},
                     {"filter_type"},
                     {"max_definition_level", Kind::kNumber},
                     {"max_repetition_level", Kind::kNumber},
                     {"field_id", Kind::kNumber}});
  for (int leaf : leaves) {
    const ::parquet::ColumnDescriptor* column = footer.schema().Column(leaf);
    const int field_id = column->schema_node()->field_id();
    rows.Add({footer.leaf_path(leaf), ::parquet::TypeToString(column->physical_type()),
              column->logical_type() ? Cell(column->logical_type()->ToString()) : Cell(),
              parquet::LeafType(*column).ToString(), int64_t{column->max_definition_level()},
              int64_t{column->max_repetition_level()}, field_id >= 0 ? Cell(int64_t{field_id}) : Cell()});
  }
  return rows;
}

arrow::Result<MetadataRows> RowGroupRows(const parquet::Footer& footer) {
  MetadataRows rows({{"row_group", Kind::kNumber},
                     {"first_row", Kind::kNumber},
                     {"row_count", Kind::kNumber},
                     {"compressed_bytes", Kind::kNumber},
                     {"uncompressed_bytes", Kind::kNumber},
                     {"column_indexes", Kind::kNumber},
                     {"offset_indexes", Kind::kNumber},
                     {"bloom_filters", Kind::kNumber}});
  for (int i = 0; i < footer.row_group_count(); ++i) {
    int64_t compressed = 0;
    int64_t uncompressed = 0;
    int64_t column_indexes = 0;
    int64_t offset_indexes = 0;
    int64_t blooms = 0;
    for (int leaf = 0; leaf < footer.leaf_count(); ++leaf) {
      ARROW_ASSIGN_OR_RAISE(auto chunk, footer.Chunk(i, leaf));
      // Stored sizes can be anything: sums must not overflow.
      compressed += std::clamp<int64_t>(chunk.total_compressed_size, 0, footer.file_size());
      uncompressed += std::clamp<int64_t>(chunk.total_uncompressed_size, 0, int64_t{1} << 40);
      column_indexes += chunk.column_index ? 1 : 0;
      offset_indexes += chunk.offset_index ? 1 : 0;
      blooms += chunk.bloom_filter_offset ? 1 : 0;
    }
    rows.Add({int64_t{i}, footer.row_group_first_row(i), footer.row_group_row_count(i), compressed, uncompressed,
              column_indexes, offset_indexes, blooms});
  }
  return rows;
}

arrow::Result<MetadataRows> ColumnRows(const parquet::Footer& footer, const std::vector<int>& leaves) {
  MetadataRows rows({{"row_group", Kind::kNumber},
                     {"column"},
                     {"codec"},
                     {"encodings"},
                     {"num_values", Kind::kNumber},
                     {"compressed_bytes", Kind::kNumber},
                     {"uncompressed_bytes", Kind::kNumber},
                     {"data_page_offset", Kind::kNumber},
                     {"dictionary_page_offset", Kind::kNumber},
                     {"column_index_bytes", Kind::kNumber},
                     {"offset_index_bytes", Kind::kNumber},
                     {"bloom_filter_offset", Kind::kNumber},
                     {"bloom_filter_bytes", Kind::kNumber}});
  for (int i = 0; i < footer.row_group_count(); ++i) {
    for (int leaf : leaves) {
      ARROW_ASSIGN_OR_RAISE(auto chunk, footer.Chunk(i, leaf));
      rows.Add({int64_t{i}, footer.leaf_path(leaf), CodecName(chunk), EncodingNames(chunk.encodings), chunk.num_values,
                chunk.total_compressed_size, chunk.total_uncompressed_size, chunk.data_page_offset,
                CellOf(chunk.dictionary_page_offset), chunk.column_index ? Cell(chunk.column_index->length) : Cell(),
                chunk.offset_index ? Cell(chunk.offset_index->length) : Cell(), CellOf(chunk.bloom_filter_offset),
                chunk.bloom_filter_length ? Cell(int64_t{*chunk.bloom_filter_length}) : Cell()});
    }
  }
  return rows;
}

arrow::Result<MetadataRows> StatisticsRows(const parquet::Footer& footer, const std::vector<int>& leaves) {
  MetadataRows rows({{"row_group", Kind::kNumber},
                     {"column"},
                     {"min"},
                     {"max"},
                     {"null_count", Kind::kNumber},
                     {"nan_count", Kind::kNumber},
                     {"distinct_count", Kind::kNumber},
                     {"min_exact", Kind::kBool},
                     {"max_exact", Kind::kBool},
                     {"not_used_because"}});
  for (int i = 0; i < footer.row_group_count(); ++i) {
    for (int leaf : leaves) {
      ARROW_ASSIGN_OR_RAISE(auto chunk, footer.Chunk(i, leaf));
      const auto decoder = parquet::MakeBoundsDecoder(*footer.schema().Column(leaf), footer.column_order(leaf));
      std::string unusable;
      const auto bounds = parquet::ChunkBounds(footer, chunk, decoder, footer.row_group_row_count(i), &unusable);
      if (footer.schema().Column(leaf)->max_repetition_level() > 0) unusable = "inside a list or map";
      const parquet::RawStatistics raw = chunk.statistics.value_or(parquet::RawStatistics{});
      auto flag = [](const std::optional<bool>& value) { return value ? Cell(*value) : Cell(); };
      rows.Add({int64_t{i}, footer.leaf_path(leaf), BoundCell(bounds.min, decoder.type),
                BoundCell(bounds.max, decoder.type), CellOf(raw.null_count), CellOf(raw.nan_count),
                CellOf(raw.distinct_count), flag(raw.is_min_value_exact), flag(raw.is_max_value_exact),
                unusable.empty() ? Cell() : Cell(unusable)});
    }
  }
  return rows;
}

// The leaves that --column names: one, or all below a group; all without it.
arrow::Result<std::vector<int>> LeavesOf(const parquet::Footer& footer, const std::string& column) {
  std::vector<int> leaves;
  for (int leaf = 0; leaf < footer.leaf_count(); ++leaf) {
    const std::string& path = footer.leaf_path(leaf);
    if (column.empty() || path == column || path.rfind(column + ".", 0) == 0) leaves.push_back(leaf);
  }
  if (!leaves.empty() || column.empty()) return leaves;
  std::string names;
  for (int leaf = 0; leaf < footer.leaf_count() && leaf < 10; ++leaf)
    names += (leaf > 0 ? ", " : "") + footer.leaf_path(leaf);
  return MakeError(ErrorKind::kUsage, "unknown column " + column + "; the columns are " + names);
}

const std::vector<std::string>& FileParts() {
  static const std::vector<std::string> kNames{"schema", "row-groups", "columns", "pages", "stats"};
  return kNames;
}

// Error (usage) when `what` is none of `names`.
arrow::Status CheckPart(const std::string& what, const std::vector<std::string>& names, const char* of) {
  if (std::find(names.begin(), names.end(), what) != names.end()) return arrow::Status::OK();
  constexpr size_t kShownBytesMax = 80;
  std::string listed;
  for (const std::string& name : names) listed += (listed.empty() ? "" : ", ") + name;
  return MakeError(ErrorKind::kUsage,
                   std::string(of) + " have no " + Printable(what, kShownBytesMax) + " to show; there are " + listed);
}

arrow::Status InspectTable(const CommandOptions& options, const TableOptions& table_options, const std::string& what,
                           Format format) {
  ARROW_RETURN_NOT_OK(CheckPart(what, MetadataTableNames(), "Iceberg tables"));
  ARROW_ASSIGN_OR_RAISE(const ScanOptions scan_options, ToScanOptions(options));
  ARROW_ASSIGN_OR_RAISE(const auto table, Table::Open(options.sources, table_options));
  ARROW_ASSIGN_OR_RAISE(auto rows, ReadMetadataTable(table, what, {scan_options.columns, scan_options.limit}));
  return WriteRows(rows.get(), format, INT64_MAX);
}

arrow::Status InspectFile(const std::string& address, const TableOptions& table_options, const std::string& what,
                          const std::string& column, Format format) {
  ARROW_RETURN_NOT_OK(CheckPart(what, FileParts(), "Parquet files"));
  ARROW_ASSIGN_OR_RAISE(auto source, io::Stores(table_options.properties).Open(address));
  io::RangeReader reader(source, std::make_shared<io::Trace>());
  auto rows = [&]() -> arrow::Result<MetadataRows> {
    ARROW_ASSIGN_OR_RAISE(auto file, scan::OpenFile(source, &reader));
    const parquet::Footer& footer = *file.footer;
    ARROW_ASSIGN_OR_RAISE(auto leaves, LeavesOf(footer, column));
    if (what == "schema") return SchemaRows(footer, leaves);
    if (what == "columns") return ColumnRows(footer, leaves);
    if (what == "stats") return StatisticsRows(footer, leaves);
    if (what == "pages") return PageRows(footer, leaves, &reader);
    return RowGroupRows(footer);
  }();
  if (!rows.ok()) return AddPlace(rows.status(), {.file = source->name()});
  return PrintRows(*rows, format);
}

}  // namespace

arrow::Status RunInspect(const CommandOptions& options, const std::string& what, const std::string& column) {
  Format format = Format::kTable;
  if (!options.format.empty()) {
    ARROW_ASSIGN_OR_RAISE(format, ParseFormat(options.format));
  }
  const std::string& address = options.sources[0];
  ARROW_ASSIGN_OR_RAISE(const TableOptions table_options, ToTableOptions(options));
  bool is_table = scan::IsIcebergAddress(address);
  if (!is_table) {
    ARROW_ASSIGN_OR_RAISE(const auto name, scan::FindCatalogAddress(address, table_options));
    is_table = name.has_value();
  }
  if (is_table) {
    if (!column.empty()) return MakeError(ErrorKind::kUsage, "--column is for Parquet files; a table takes --select");
    return InspectTable(options, table_options, what.empty() ? "overview" : what, format);
  }
  if (!options.select.empty() || options.limit >= 0) {
    return MakeError(ErrorKind::kUsage, "--select and --limit are for Iceberg tables; a Parquet file takes --column");
  }
  return InspectFile(address, table_options, what.empty() ? "row-groups" : what, column, format);
}

}  // namespace frazil::cli

// SPDX-License-Identifier: Apache-2.0
#include "tests/scenario.h"

#include <cstdio>
#include <functional>
#include <optional>
#include <utility>

#include "tests/filegen/column_data.h"

namespace frazil {
namespace {

using filegen::ChunkSpec;
using filegen::FileSpec;
using filegen::PageSpec;
using filegen::RowGroupSpec;
using filegen::Value;
using ::parquet::Encoding;
using ::parquet::Type;

constexpr int64_t kRows = 20'000;
PageSpec DictionaryPage() {
  PageSpec page;
  page.encoding = Encoding::RLE_DICTIONARY;
  return page;
}

int64_t MixedKey(int64_t row) { return row * 7919 % kRows; }

// A request costs as much as reading through a kilobyte: plans show their pieces.
constexpr CostModel kSmallGap{1'000, 1'000'000'000, 16 << 20, 1};
// As local files, one request at a time, so that their order is the same every time.
constexpr CostModel kLocal{20'000, 2'000'000'000, 16 << 20, 1};

RowGroupSpec EventsGroup(int64_t begin, int64_t rows) {
  std::vector<int64_t> ids;
  std::vector<int64_t> keys;
  std::vector<double> amounts;
  std::vector<std::optional<std::string>> names;
  for (int64_t row = begin; row < begin + rows; ++row) {
    ids.push_back(row);
    keys.push_back(MixedKey(row));
    amounts.push_back(static_cast<double>(row % 1000) + 0.25);
    char name[16];
    std::snprintf(name, sizeof(name), "name-%02d", static_cast<int>(row % 100));
    names.push_back(row % 13 == 0 ? std::nullopt : std::optional<std::string>(name));
  }
  RowGroupSpec group;
  group.row_count = rows;
  const auto add = [&](filegen::ColumnData data, std::vector<PageSpec> pages) {
    ChunkSpec& chunk = group.chunks.emplace_back();
    chunk.data = std::move(data);
    chunk.pages = std::move(pages);
  };
  add(filegen::RequiredColumn(std::move(ids)), filegen::PagesOf(rows, 1000));
  add(filegen::RequiredColumn(std::move(keys)), filegen::PagesOf(rows, 700));
  add(filegen::OptionalColumn(names), filegen::PagesOf(rows, 2500, DictionaryPage()));
  add(filegen::RequiredColumn(std::move(amounts)), filegen::PagesOf(rows, 500));
  return group;
}

FileSpec EventsSchema() {
  FileSpec file;
  file.schema = {filegen::Leaf("id", Type::INT64, filegen::kRequired),
                 filegen::Leaf("k", Type::INT64, filegen::kRequired), filegen::StringLeaf("name"),
                 filegen::Leaf("amount", Type::DOUBLE, filegen::kRequired)};
  return file;
}

// As Arrow's writer does it by default: every column begins with a dictionary and falls back to PLAIN when that grows
// too large, which for a column of all different values is soon; V1 pages; all indexes behind the data.
FileSpec FallbackFile() {
  FileSpec file = EventsFile();
  for (const char* column : {"id", "k", "amount"}) {
    auto& pages = ChunkOf(file, column).pages;
    for (size_t i = 0; i < pages.size() / 4; ++i) pages[i].encoding = Encoding::RLE_DICTIONARY;
  }
  return file;
}

FileSpec ManyRowGroups() {
  FileSpec file = EventsSchema();
  for (int64_t begin = 0; begin < kRows; begin += 500) file.row_groups.push_back(EventsGroup(begin, 500));
  return file;
}

// id in pages of 100 rows, tags (list of text) in pages of 70, place.x and place.y in pages of 130 and 90.
FileSpec NestedFile() {
  FileSpec file;
  file.schema = {filegen::Leaf("id", Type::INT64, filegen::kRequired),
                 filegen::ListOf("tags", filegen::StringLeaf("element")),
                 filegen::StructOf("place", {filegen::Leaf("x", Type::INT32), filegen::Leaf("y", Type::DOUBLE)})};
  std::vector<filegen::Row> rows;
  for (int64_t i = 0; i < 6000; ++i) {
    filegen::List tags;
    for (int64_t j = 0; j < i % 4; ++j) tags.items.emplace_back("tag-" + std::to_string(i) + '-' + std::to_string(j));
    Value place;
    if (i % 7 != 0)
      place = Value(filegen::Struct{{Value(static_cast<int32_t>(i)), Value(0.5 * static_cast<double>(i))}});
    rows.push_back({Value(i), i % 5 == 0 ? Value() : Value(std::move(tags)), std::move(place)});
  }
  auto columns = filegen::Shred(file.schema, rows).ValueOrDie();
  RowGroupSpec& group = file.row_groups.emplace_back();
  group.row_count = static_cast<int64_t>(rows.size());
  const int64_t page_rows[] = {100, 70, 130, 90};
  for (size_t i = 0; i < columns.size(); ++i) {
    ChunkSpec& chunk = group.chunks.emplace_back();
    chunk.data = std::move(columns[i]);
    chunk.pages = filegen::PagesOf(group.row_count, page_rows[i], {.version = 2});
  }
  return file;
}

ScanOptions Query(std::string filter, std::vector<std::string> columns = {}, int64_t limit = -1) {
  ScanOptions options;
  options.filter = std::move(filter);
  options.columns = std::move(columns);
  options.limit = limit;
  return options;
}

ScanOptions Unpruned(ScanOptions options) {
  options.disabled_levels = AllLevels();
  return options;
}

FileSpec Edited(FileSpec file, const std::function<void(FileSpec&)>& edit) {
  edit(file);
  return file;
}

std::vector<Scenario> LookupScenarios() {
  return {
      {"sorted_lookup", "a range of the sort column: one page of each column", EventsFile(),
       Query("id BETWEEN 7000 AND 7010", {"amount"}), false, kLocal},
      {"random_two_stages", "a key in random order: the filter's pages first, then the pages that hold its rows",
       EventsFile(), Query("k = 7919", {"id", "name", "amount"}), false, kSmallGap},
      {"and_of_two_columns", "the row ranges of both sides are intersected", EventsFile(),
       Query("id >= 4000 AND id < 9000 AND name = 'name-42'", {"amount"}), false, kSmallGap},
      {"or_of_ranges", "the row ranges of both sides are joined", EventsFile(),
       Query("id < 3 OR id >= 19999", {"amount"}), false, kSmallGap},
      {"or_of_two_columns", "pages of either side, where the index leaves that side open", EventsFile(),
       Query("id = 5 OR k = 5", {"amount"}), false, kSmallGap},
      {"in_list", "pages that hold no member are skipped", EventsFile(),
       Query("id IN (1, 7500, 7501, 16000, 99999)", {"amount"}), false, kSmallGap},
      {"positions", "rows by position: no filter column is read", EventsFile(),
       Query("_pos BETWEEN 12345 AND 12347", {"_pos", "amount"}), false, kSmallGap},
      {"limit_without_filter", "the first pages only", EventsFile(), Query("", {"id", "amount"}, 5), false, kSmallGap},
      {"limit_with_filter", "no row group behind the one that fills the limit", ManyRowGroups(),
       Query("k >= 10000", {"id"}, 3), false, kSmallGap},
      {"full_scan", "no filter: no index is read", EventsFile(), Query(""), false, kLocal},
      {"levels_off", "every level switched off: the columns as a whole", EventsFile(),
       Unpruned(Query("id = 7000", {"amount"})), false, kLocal},
      {"many_row_groups", "one of forty row groups", ManyRowGroups(), Query("id = 7777", {"amount"}), false, kSmallGap},
      {"nested_unaligned", "every leaf has page borders of its own", NestedFile(),
       Query("id BETWEEN 250 AND 260", {"tags", "place"}), false, kSmallGap},
      {"nested_field", "one field of a struct", NestedFile(), Query("place.x = 2501", {"place.y"}), false, kSmallGap},
  };
}

std::vector<Scenario> IndexScenarios() {
  const auto no_index = [](FileSpec& file) {
    for (ChunkSpec& chunk : file.row_groups[0].chunks) chunk.index.offset_index = chunk.index.column_index = false;
  };
  const auto no_column_index = [](FileSpec& file) { ChunkOf(file, "id").index.column_index = false; };
  const auto projection_without_index = [](FileSpec& file) {
    ChunkOf(file, "amount").index.offset_index = ChunkOf(file, "amount").index.column_index = false;
  };
  const auto lying = [](FileSpec& file) {
    ChunkOf(file, "amount").index.edit_offset_index = [](filegen::OffsetIndexSpec& index) {
      ++index.page_locations[14].first_row_index;
    };
  };
  const auto contradicting = [](FileSpec& file) {
    ChunkOf(file, "id").index.edit_column_index = [](filegen::ColumnIndexSpec& index) { index.null_pages[7] = true; };
  };
  const ScanOptions lookup = Query("id BETWEEN 7000 AND 7010", {"amount"});
  return {
      {"no_index", "no page index at all: the columns as a whole", Edited(EventsFile(), no_index), lookup, false,
       kLocal},
      {"no_column_index", "an offset index alone tells no values: all of the filter column, then single pages",
       Edited(EventsFile(), no_column_index), lookup, false, kSmallGap},
      {"projection_without_index", "a projected column without an index costs only its own savings",
       Edited(EventsFile(), projection_without_index), lookup, false, kLocal},
      {"lying_offset_index", "a page that holds other rows than the index says: the column is read without its index",
       Edited(EventsFile(), lying), lookup, false, kSmallGap},
      {"contradicting_column_index", "bounds that contradict themselves are not used",
       Edited(EventsFile(), contradicting), lookup, false, kSmallGap},
      {"far_index", "an index far from the footer takes a round of its own",
       Edited(EventsFile(), [](FileSpec& file) { file.footer_gap_bytes = 200'000; }), lookup, false, kLocal},
      {"count_from_index", "whole pages are proven: nothing but the footer and the index", EventsFile(),
       Query("id >= 5000"), true, kSmallGap},
      {"count_with_border_page", "only the page on the border is read", EventsFile(), Query("id >= 5500"), true,
       kSmallGap},
      {"count_all", "from the footer alone", EventsFile(), Query("id >= 0"), true, kSmallGap},
      {"all_match", "a filter column whose pages are all proven is not fetched", EventsFile(),
       Query("id >= 5000 AND id < 7000", {"amount"}), false, kSmallGap},
      {"nothing_matches", "the footer proves it", EventsFile(), Query("id > 20000"), false, kSmallGap},
  };
}

std::vector<Scenario> DictionaryScenarios() {
  const auto plain_names = [](FileSpec& file) {
    auto& pages = ChunkOf(file, "name").pages;
    for (size_t i = 2; i < pages.size(); ++i) pages[i].encoding = Encoding::PLAIN;
  };
  return {
      {"dictionary", "a selected page uses the dictionary: it is fetched too", EventsFile(),
       Query("id = 7777", {"name"}), false, kSmallGap},
      {"no_dictionary_use", "the selected page is plain: the dictionary stays where it is",
       Edited(EventsFile(), plain_names), Query("id = 7777", {"name"}), false, kSmallGap},
      {"dictionary_fallback", "the selection spans the page where the writer gave the dictionary up",
       Edited(EventsFile(), plain_names), Query("id BETWEEN 4990 AND 5010", {"name"}), false, kSmallGap},
      {"dictionary_rules_out", "no entry matches: no page is read", EventsFile(), Query("name LIKE '%x%'", {"amount"}),
       false, kSmallGap},
      {"dictionary_first", "an entry matches: the dictionary is not read again", EventsFile(),
       Query("name LIKE '%-42'", {"amount"}), false, kSmallGap},
      {"arrow_layout_plain", "as Arrow writes: the lookup is behind the fallback", FallbackFile(),
       Query("id BETWEEN 12000 AND 12010", {"amount"}), false, kLocal},
      {"arrow_layout_dictionary", "as Arrow writes: the lookup is before the fallback", FallbackFile(),
       Query("id BETWEEN 2000 AND 2010", {"amount"}), false, kLocal},
  };
}

// ManyRowGroups with bloom filters of k and name.
FileSpec BloomFile(int32_t bitset_bytes, filegen::BloomPlacement placement, bool declare_length = true) {
  FileSpec file = ManyRowGroups();
  file.bloom_placement = placement;
  for (RowGroupSpec& group : file.row_groups) {
    for (size_t column : {1, 2}) {
      group.chunks[column].bloom_filter.bitset_bytes = bitset_bytes;
      group.chunks[column].bloom_filter.declare_length = declare_length;
    }
  }
  return file;
}

std::vector<Scenario> BloomScenarios() {
  using filegen::BloomPlacement;
  const auto unknown_hash = [](FileSpec& file) {
    for (RowGroupSpec& group : file.row_groups) {
      group.chunks[1].bloom_filter.edit_bytes = [](std::string& bytes) { bytes[8] = '\x2c'; };
    }
  };
  const ScanOptions lookup = Query("k = 7919", {"id", "amount"});
  const FileSpec together = BloomFile(1024, BloomPlacement::kAfterData);
  return {
      {"bloom_together", "the filters of a column in one request, read through those of another", together, lookup,
       false, kLocal},
      {"bloom_column_major", "the filters of a column side by side", BloomFile(1024, BloomPlacement::kColumnMajor),
       lookup, false, kSmallGap},
      {"bloom_between_row_groups", "a request for each filter", BloomFile(1024, BloomPlacement::kAfterRowGroup), lookup,
       false, kSmallGap},
      {"bloom_without_length", "headers first, then the blocks", BloomFile(1024, BloomPlacement::kAfterRowGroup, false),
       lookup, false, kSmallGap, true},
      {"bloom_blocks", "of large filters only the header and a block", BloomFile(3200, BloomPlacement::kAfterData),
       Query("k IN (7919, 7920)", {"id"}), false, kSmallGap, true},
      {"bloom_miss", "a value that no row group has", together, Query("name = 'name-5x'", {"id"}), false, kLocal},
      {"bloom_and_bounds", "neither rules a row group out alone", together,
       Query("name = 'name-5x' OR name > 'name-99'", {"id"}), false, kLocal},
      {"bloom_unknown_hash", "filters of an unknown hash are not used", Edited(together, unknown_hash),
       Query("k = 7919", {"id"}), false, kLocal},
  };
}

// "3-5, 7"
std::string Runs(const std::vector<size_t>& numbers) {
  std::string out;
  for (size_t i = 0; i < numbers.size();) {
    size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    out += (i > 0 ? ", " : "") + std::to_string(numbers[i]);
    if (last > i) out += '-' + std::to_string(numbers[last]);
    i = last + 1;
  }
  return out;
}

}  // namespace

FileSpec EventsFile() {
  FileSpec file = EventsSchema();
  file.row_groups.push_back(EventsGroup(0, kRows));
  return file;
}

ChunkSpec& ChunkOf(FileSpec& file, const std::string& column) {
  size_t leaf = 0;
  while (file.schema[leaf].name != column) ++leaf;
  return file.row_groups[0].chunks[leaf];
}

const std::vector<Scenario>& Scenarios() {
  static const std::vector<Scenario> kScenarios = [] {
    std::vector<Scenario> all = LookupScenarios();
    for (auto* more : {&IndexScenarios, &DictionaryScenarios, &BloomScenarios}) {
      for (Scenario& scenario : (*more)()) all.push_back(std::move(scenario));
    }
    return all;
  }();
  return kScenarios;
}

std::string PartsIn(const FileSpec& file, const filegen::FileLayout& layout, ByteRange range) {
  const auto holds = [&](const std::optional<ByteRange>& part) {
    return part && part->offset >= range.offset && part->end() <= range.end();
  };
  const auto touches = [&](const std::optional<ByteRange>& part) {
    return part && part->offset < range.end() && part->end() > range.offset;
  };
  std::string out;
  const auto add = [&](const std::string& part) { out += (out.empty() ? "" : "; ") + part; };
  const auto leaves = filegen::Leaves(file.schema);
  size_t indexes = 0;
  size_t filters = 0;
  for (size_t group = 0; group < layout.chunks.size(); ++group) {
    for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
      const filegen::ChunkLayout& chunk = layout.chunks[group][leaf];
      std::string name;
      for (const std::string& part : leaves[leaf].path) name += (name.empty() ? "" : ".") + part;
      if (layout.chunks.size() > 1) name += " in row group " + std::to_string(group);
      if (holds(chunk.dictionary)) add("dictionary of " + name);
      std::vector<size_t> pages;
      for (size_t page = 0; page < chunk.pages.size(); ++page) {
        if (holds(chunk.pages[page].range)) pages.push_back(page);
      }
      if (!pages.empty()) add((pages.size() > 1 ? "pages " : "page ") + Runs(pages) + " of " + name);
      if (holds(chunk.bloom_filter)) {
        ++filters;
      } else if (touches(chunk.bloom_filter)) {
        add("part of the bloom filter of " + name);
      }
      indexes += (holds(chunk.column_index) ? 1 : 0) + (holds(chunk.offset_index) ? 1 : 0);
    }
  }
  if (filters > 0) add(std::to_string(filters) + " bloom filters");
  if (indexes > 0) add(std::to_string(indexes) + " indexes");
  if (holds(layout.footer)) add("footer");
  return out;
}

}  // namespace frazil

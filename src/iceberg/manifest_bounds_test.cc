// SPDX-License-Identifier: Apache-2.0
//
// Lists inside manifest entries that are too long, malformed or impossible: refused, or left out where they are only
// hints, in the same way whether the writer put them behind what decides on the entry (they are read at once) or in
// front of it (they are passed over and read late).
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "frazil/error.h"
#include "src/iceberg/avro_for_test.h"
#include "src/iceberg/manifest.h"

namespace frazil::iceberg {
namespace {

constexpr int64_t kInt64Max = std::numeric_limits<int64_t>::max();
constexpr int64_t kInt64Min = std::numeric_limits<int64_t>::min();
const char* const kMalformed = "the bytes are malformed, or end inside it";

struct Order {
  bool lists_first = false;
  bool optional_items = false;
};

std::string Schema(const Order& order) {
  const auto list = [&](const char* name, int id, const std::string& item) {
    return R"({"name": ")" + std::string(name) + R"(", "field-id": )" + std::to_string(id) +
           R"(, "type": {"type": "array", "items": )" + (order.optional_items ? R"(["null", )" + item + "]" : item) +
           "}}";
  };
  const std::string lists =
      list("equality_ids", 135, "\"int\"") + ", " + list("split_offsets", 132, "\"long\"") + ", " +
      list("lower_bounds", 125, R"({"type": "record", "name": "k", "fields": [{"name": "key", "type": "int"},
                                  {"name": "value", "type": "bytes"}]})");
  const std::string others = R"({"name": "content", "field-id": 134, "type": "int"},
      {"name": "file_path", "field-id": 100, "type": "string"},
      {"name": "file_format", "field-id": 101, "type": "string"},
      {"name": "record_count", "field-id": 103, "type": "long"},
      {"name": "file_size_in_bytes", "field-id": 104, "type": "long"})";
  return R"({"type": "record", "name": "manifest_entry", "fields": [{"name": "status", "field-id": 0, "type": "int"},
      {"name": "data_file", "field-id": 2, "type": {"type": "record", "name": "r2", "fields": [)" +
         (order.lists_first ? lists + ", " + others : others + ", " + lists) + "]}}]}";
}

struct Lists {
  AvroBytes ids = AvroBytes().Long(0);
  AvroBytes offsets = AvroBytes().Long(0);
  AvroBytes bounds = AvroBytes().Long(0);
  int64_t content = 1;  // position deletes
};

struct Read {
  std::string error;  // empty: none
  std::vector<int32_t> equality_ids;
  std::vector<int64_t> split_offsets;
  std::optional<std::string> lower_bound;
  int64_t entries = 0;
};

// Two entries of these lists: what is read of the last one.
Read ReadEntries(const Lists& lists, const Order& order, bool keep = true) {
  AvroBytes entry;
  const AvroBytes all = AvroBytes().Add(lists.ids).Add(lists.offsets).Add(lists.bounds);
  entry.Long(1);
  if (order.lists_first) entry.Add(all);
  entry.Long(lists.content).Bytes("a").Bytes("PARQUET").Long(10).Long(1000);
  if (!order.lists_first) entry.Add(all);
  const std::string file = AvroFile(Schema(order), {{2, AvroBytes().Add(entry).Add(entry).bytes()}}, "deflate");
  ManifestReadOptions options{.metric_field_ids = {1}};
  options.keep = [&](const ManifestEntry&) { return keep; };
  Read read;
  auto reader = ManifestReader::Open(file, {.content = ManifestContent::kDeletes}, options);
  EXPECT_TRUE(reader.ok()) << reader.status().ToString();
  while (reader.ok()) {
    const auto next = reader->Next();
    if (!next.ok()) {
      EXPECT_EQ(KindOf(next.status()), ErrorKind::kCorrupt);
      read.error = next.status().message();
      read.error.erase(0, read.error.rfind(": ") + 2);
      break;
    }
    if (*next == nullptr) break;
    ++read.entries;
    read.equality_ids = (*next)->equality_ids;
    read.split_offsets = (*next)->split_offsets;
    if ((*next)->metrics[0].lower_bound) read.lower_bound = std::string(*(*next)->metrics[0].lower_bound);
  }
  return read;
}

// The text of the error, which is the same in both orders; empty: none.
std::string Error(const Lists& lists, bool optional_items = false) {
  const std::string at_once = ReadEntries(lists, {.optional_items = optional_items}).error;
  const std::string late = ReadEntries(lists, {.lists_first = true, .optional_items = optional_items}).error;
  EXPECT_EQ(at_once, late);
  return at_once;
}

AvroBytes Numbers(const std::vector<int64_t>& numbers) {
  AvroBytes list;
  if (!numbers.empty()) list.Long(static_cast<int64_t>(numbers.size()));
  for (const int64_t number : numbers) list.Long(number);
  return list.Long(0);
}

TEST(ManifestBounds, ReadsSoundListsInEveryOrder) {
  const Lists lists{.ids = AvroBytes().Long(-2).Long(2).Long(3).Long(1).Long(1).Long(7).Long(0),
                    .offsets = Numbers({4, 9}),
                    .bounds = AvroBytes().Long(-1).Long(3).Long(1).Bytes("b").Long(0)};
  for (const bool lists_first : {false, true}) {
    const Read read = ReadEntries(lists, {.lists_first = lists_first});
    EXPECT_EQ(read.error, "");
    EXPECT_EQ(read.entries, 2);
    EXPECT_EQ(read.equality_ids, (std::vector<int32_t>{3, 1, 7}));
    EXPECT_EQ(read.split_offsets, (std::vector<int64_t>{4, 9}));
    EXPECT_EQ(read.lower_bound, "b");
  }
}

TEST(ManifestBounds, RefusesCountsThatDoNotFit) {
  for (const AvroBytes& list :
       {AvroBytes().Long(1'000'000'000'000).Long(1), AvroBytes().Long(kInt64Max),
        AvroBytes().Long(kInt64Min).Long(1).Long(1).Long(0),
        AvroBytes().Long(-1'000'000'000'000).Long(4).Long(1).Long(0), AvroBytes().Long(-1).Long(-1).Long(1).Long(0),
        AvroBytes().Long(-1).Long(kInt64Max).Long(1).Long(0)}) {
    EXPECT_EQ(Error({.ids = list}), kMalformed);
    EXPECT_EQ(Error({.offsets = list}), kMalformed);
    EXPECT_EQ(Error({.bounds = list}), kMalformed);
    // Passed over, too.
    EXPECT_EQ(ReadEntries({.ids = list}, {}, /*keep=*/false).error, kMalformed);
  }
}

// Passed over by its size, such a block seems sound; its items end elsewhere.
TEST(ManifestBounds, RefusesBlocksOfAnotherSizeThanTheyTell) {
  const AvroBytes too_long = AvroBytes().Long(-2).Long(3).Long(3).Long(1).Long(0).Long(0);
  EXPECT_EQ(Error({.ids = too_long}), kMalformed);
  EXPECT_EQ(Error({.offsets = too_long}), kMalformed);
  const AvroBytes too_short = AvroBytes().Long(-1).Long(1).Long(1000).Long(0);
  EXPECT_EQ(Error({.ids = too_short}), kMalformed);
  EXPECT_EQ(Error({.bounds = AvroBytes().Long(-1).Long(4).Long(1).Bytes("b").Long(0).Long(0)}), kMalformed);
}

TEST(ManifestBounds, RefusesEqualityIdsThatCanNotBe) {
  EXPECT_EQ(Error({.ids = Numbers({1, int64_t{1} << 40})}), kMalformed);
  EXPECT_EQ(Error({.ids = Numbers({1, -1})}), "one of its equality_ids is negative");
  EXPECT_EQ(Error({.content = 2}), "it has no equality_ids");
  EXPECT_EQ(Error({.ids = Numbers({1}), .content = 2}), "");
  // An id that is null: without it other rows would be deleted.
  EXPECT_EQ(Error({.ids = AvroBytes().Long(2).Branch(1).Long(1).Branch(0).Long(0)}, /*optional_items=*/true),
            kMalformed);
  EXPECT_EQ(Error({.ids = Numbers(std::vector<int64_t>(kEqualityIdsMax, 1))}), "");
  EXPECT_EQ(Error({.ids = Numbers(std::vector<int64_t>(kEqualityIdsMax + 1, 1))}), kMalformed);
}

TEST(ManifestBounds, LeavesOutSplitOffsetsThatCanNotBe) {
  const auto count = [](const AvroBytes& offsets, bool optional_items = false) {
    size_t counts[2];
    for (const bool lists_first : {false, true}) {
      const Read read = ReadEntries({.offsets = offsets}, {lists_first, optional_items});
      EXPECT_EQ(read.error, "");
      EXPECT_EQ(read.entries, 2);
      counts[lists_first ? 1 : 0] = read.split_offsets.size();
    }
    EXPECT_EQ(counts[0], counts[1]);
    return counts[0];
  };
  EXPECT_EQ(count(Numbers(std::vector<int64_t>(kSplitOffsetsMax, 4))), static_cast<size_t>(kSplitOffsetsMax));
  EXPECT_EQ(count(Numbers(std::vector<int64_t>(kSplitOffsetsMax + 1, 4))), 0U);
  EXPECT_EQ(count(AvroBytes().Long(2).Branch(1).Long(4).Branch(1).Long(9).Long(0), /*optional_items=*/true), 2U);
  EXPECT_EQ(count(AvroBytes().Long(2).Branch(1).Long(4).Branch(0).Long(0), /*optional_items=*/true), 0U);
  EXPECT_EQ(count(AvroBytes().Long(2).Branch(0).Branch(1).Long(4).Long(0), /*optional_items=*/true), 0U);
}

TEST(ManifestBounds, RefusesListedCountsThatAddUpToNoNumber) {
  const std::string file = AvroFile(Schema({}), {});
  const auto message = [&](const ManifestFile& listed) {
    const auto reader = ManifestReader::Open(file, listed);
    return reader.ok() ? std::string("accepted") : reader.status().message();
  };
  const std::string refused = "the list tells of more entries in the manifest than can be counted";
  EXPECT_EQ(message({.added_file_count = kInt64Max, .existing_file_count = 1}), refused);
  EXPECT_EQ(message({.existing_file_count = 1, .deleted_file_count = kInt64Max}), refused);
  EXPECT_EQ(message({.added_file_count = kInt64Max, .existing_file_count = 0}), "accepted");
}

}  // namespace
}  // namespace frazil::iceberg

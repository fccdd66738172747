// SPDX-License-Identifier: Apache-2.0
#include "src/layout/external_sort.h"

#include <random>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/table.h>
#include <gtest/gtest.h>

#include "frazil/error.h"

namespace frazil::layout {
namespace {

const auto kSchema = arrow::schema(
    {arrow::field("key", arrow::int32()), arrow::field("text", arrow::utf8()), arrow::field("came", arrow::int64())});

// Rows of keys below `key_count`; "came" counts them from `first`, "text" is derived from the key.
std::shared_ptr<arrow::RecordBatch> Batch(std::mt19937_64* random, int64_t rows, int key_count, int64_t first) {
  arrow::Int32Builder keys;
  arrow::StringBuilder texts;
  arrow::Int64Builder came;
  for (int64_t row = 0; row < rows; ++row) {
    const auto key = static_cast<int32_t>((*random)() % static_cast<uint64_t>(key_count));
    EXPECT_TRUE((key % 7 == 0 ? keys.AppendNull() : keys.Append(key)).ok());
    EXPECT_TRUE(texts.Append("text of " + std::to_string(key)).ok());
    EXPECT_TRUE(came.Append(first + row).ok());
  }
  return arrow::RecordBatch::Make(kSchema, rows, {*keys.Finish(), *texts.Finish(), *came.Finish()});
}

struct Sorted {
  arrow::Status status;
  int64_t runs = 0;
  std::vector<int64_t> came;
  bool ordered = true;    // by key, nulls first, then as they came
  bool whole = true;      // each text is that of its key
  int64_t bytes_max = 0;  // that Arrow's pool held at once, beyond what it held before
};

Sorted Sort(const std::vector<std::shared_ptr<arrow::RecordBatch>>& batches, ExternalSortOptions options) {
  Sorted sorted;
  auto encoder = SortKeyEncoder::Make(*kSchema, {{"key"}});
  ExternalSorter sorter(kSchema, *std::move(encoder), std::move(options));
  for (const auto& batch : batches) {
    sorted.status = sorter.Add(batch);
    if (!sorted.status.ok()) return sorted;
  }
  auto reader = sorter.Finish();
  sorted.status = reader.status();
  if (!reader.ok()) return sorted;
  int64_t last_key = -2;
  int64_t last_came = -1;
  while (true) {
    auto batch = (*reader)->Next();
    sorted.status = batch.status();
    if (!batch.ok() || *batch == nullptr) break;
    EXPECT_TRUE((*batch)->ValidateFull().ok());
    const auto& keys = static_cast<const arrow::Int32Array&>(*(*batch)->column(0));
    const auto& texts = static_cast<const arrow::StringArray&>(*(*batch)->column(1));
    const auto& came = static_cast<const arrow::Int64Array&>(*(*batch)->column(2));
    for (int64_t row = 0; row < (*batch)->num_rows(); ++row) {
      const int64_t key = keys.IsNull(row) ? -1 : keys.Value(row);
      sorted.ordered &= last_key < key || (last_key == key && last_came < came.Value(row));
      sorted.whole &= key < 0 || texts.GetView(row) == "text of " + std::to_string(key);
      sorted.came.push_back(came.Value(row));
      last_key = key;
      last_came = came.Value(row);
    }
  }
  sorted.runs = sorter.runs_spilled();
  return sorted;
}

std::vector<std::shared_ptr<arrow::RecordBatch>> Batches(uint64_t seed, int count, int64_t rows, int key_count) {
  std::mt19937_64 random(seed);
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
  for (int i = 0; i < count; ++i) batches.push_back(Batch(&random, rows, key_count, i * rows));
  return batches;
}

void ExpectAllRows(const Sorted& sorted, int64_t row_count) {
  ASSERT_TRUE(sorted.status.ok()) << sorted.status;
  EXPECT_TRUE(sorted.ordered);
  EXPECT_TRUE(sorted.whole);
  std::vector<int64_t> came = sorted.came;
  std::sort(came.begin(), came.end());
  ASSERT_EQ(static_cast<int64_t>(came.size()), row_count);
  for (int64_t i = 0; i < row_count; ++i) ASSERT_EQ(came[static_cast<size_t>(i)], i);
}

TEST(ExternalSort, InMemory) {
  const Sorted sorted = Sort(Batches(1, 5, 1000, 200), {});
  ExpectAllRows(sorted, 5000);
  EXPECT_EQ(sorted.runs, 0);
}

TEST(ExternalSort, NothingAndEmptyBatches) {
  ExpectAllRows(Sort({}, {}), 0);
  ExpectAllRows(Sort(Batches(1, 2, 0, 5), {}), 0);
}

TEST(ExternalSort, RunsOnDiskAreMerged) {
  // 20,000 rows of some 40 bytes in a budget that holds a few thousand.
  const Sorted sorted = Sort(Batches(2, 20, 1000, 300), {.memory_bytes = 300'000});
  ExpectAllRows(sorted, 20'000);
  EXPECT_GT(sorted.runs, 5);
}

TEST(ExternalSort, MoreRunsThanAreMergedAtOnce) {
  // A run a batch, and room for the batches of two runs.
  const Sorted sorted = Sort(Batches(3, 200, 50, 1000), {.memory_bytes = 1000, .batch_rows = 64});
  ExpectAllRows(sorted, 10'000);
  EXPECT_GT(sorted.runs, 200) << "some were merged into others";
}

TEST(ExternalSort, RandomRowsBudgetsAndBatches) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int turn = 0; turn < 10; ++turn) {
    const int count = static_cast<int>(random() % 20);
    const auto rows = static_cast<int64_t>(random() % 300);
    const int keys = 1 + static_cast<int>(random() % 500);
    ExpectAllRows(
        Sort(Batches(random(), count, rows, keys), {.memory_bytes = 1 + static_cast<int64_t>(random() % 200'000),
                                                    .batch_rows = 1 + static_cast<int64_t>(random() % 100)}),
        count * rows);
  }
}

TEST(ExternalSort, MemoryStaysWithinTheBudget) {
  std::mt19937_64 random(4);
  constexpr int64_t kBudget = 8 << 20;
  auto encoder = SortKeyEncoder::Make(*kSchema, {{"key"}});
  arrow::MemoryPool* pool = arrow::default_memory_pool();
  const int64_t before = pool->bytes_allocated();
  int64_t most = 0;
  ExternalSorter sorter(kSchema, *std::move(encoder), {.memory_bytes = kBudget, .batch_rows = 1000});
  for (int i = 0; i < 400; ++i) {  // 400,000 rows, 16 MB
    ASSERT_TRUE(sorter.Add(Batch(&random, 1000, 1'000'000, i * 1000)).ok());
    most = std::max(most, pool->bytes_allocated() - before);
  }
  auto reader = sorter.Finish();
  ASSERT_TRUE(reader.ok()) << reader.status();
  for (auto batch = (*reader)->Next(); batch.ok() && *batch != nullptr; batch = (*reader)->Next()) {
    most = std::max(most, pool->bytes_allocated() - before);
  }
  EXPECT_GT(sorter.runs_spilled(), 2);
  EXPECT_LE(most, kBudget);
}

TEST(ExternalSort, AFolderThatIsNotThere) {
  const Sorted sorted = Sort(Batches(5, 3, 100, 10), {.memory_bytes = 1, .spill_folder = "/does/not/exist"});
  EXPECT_EQ(KindOf(sorted.status), ErrorKind::kNotFound) << sorted.status;
}

}  // namespace
}  // namespace frazil::layout

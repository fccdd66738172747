// SPDX-License-Identifier: Apache-2.0
//
// How fast manifests are decoded, by the processor time of one thread, from memory. Makes manifests of random entries
// (or takes files), decodes each again and again, and prints entries a second and bytes a second for what planning asks
// of them:
//
//   all            every entry, no metrics
//   bounds         every entry, counts and bounds of one column: a lookup on a column that is no partition field
//   partition      the entries of one partition in a hundred, with bounds of one column
//
//   manifest_loop                                         10 columns, each codec
//   manifest_loop --columns 100 --codec deflate
//   manifest_loop --file a.avro --file b.avro
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <arrow/result.h>
#include <arrow/status.h>
#include <CLI/CLI.hpp>

#include "src/iceberg/avro_container.h"
#include "src/iceberg/manifest.h"
#include "src/iceberg/manifest_for_test.h"

namespace frazil::iceberg {
namespace {

struct LoopOptions {
  std::vector<std::string> files;
  std::vector<std::string> codecs = {"null", "deflate", "snappy", "zstandard"};
  int64_t columns = 10;
  int64_t entries = 10'000;
  double seconds = 1;
};

// As a writer of a wide table makes them: half of the columns are numbers, half texts of up to 16 bytes.
TestEntry RandomEntry(int64_t columns, std::mt19937_64& random) {
  TestEntry entry;
  entry.path = "s3://warehouse/db/events/data/day=2026-01-17/bucket=42/00042-" + std::to_string(random() % 100'000) +
               "-0f6b1c9e-7c6b-4c37-9d3c-" + std::to_string(random() % 1'000'000'000) + "-0-00001.parquet";
  entry.snapshot_id = static_cast<int64_t>(5'000'000'000'000'000'000);
  entry.partition.Branch(1).Long(static_cast<int64_t>(random() % 100));
  entry.record_count = static_cast<int64_t>(random() % 10'000'000);
  entry.size_bytes = static_cast<int64_t>(random() % 500'000'000) + 100'000'000;
  TestCounts sizes, values, nulls, nans;
  TestBounds lower, upper;
  for (int64_t id = 1; id <= columns; ++id) {
    sizes.emplace_back(id, random() % 10'000'000);
    values.emplace_back(id, entry.record_count);
    nulls.emplace_back(id, random() % 2 == 0 ? 0 : random() % 1000);
    if (id % 5 == 0) nans.emplace_back(id, 0);
    for (TestBounds* bounds : {&lower, &upper}) {
      std::string bound(id % 2 == 0 ? 8 : random() % 17, '\0');
      for (char& byte : bound) byte = static_cast<char>(id % 2 == 0 ? random() % 256 : 'a' + random() % 26);
      bounds->emplace_back(id, std::move(bound));
    }
  }
  entry.column_sizes = std::move(sizes);
  entry.value_counts = std::move(values);
  entry.null_counts = std::move(nulls);
  entry.nan_counts = std::move(nans);
  entry.lower_bounds = std::move(lower);
  entry.upper_bounds = std::move(upper);
  entry.split_offsets = std::vector<int64_t>{4, 134'217'732};
  entry.sort_order_id = 0;
  return entry;
}

std::string RandomManifest(const LoopOptions& options, const std::string& codec) {
  std::mt19937_64 random(42);
  std::vector<TestEntry> entries;
  for (int64_t i = 0; i < options.entries; ++i) entries.push_back(RandomEntry(options.columns, random));
  AvroBytes one;
  AppendTestEntry(entries.front(), &one);
  // Iceberg's own writer ends a block at 64 kB.
  const auto per_block = std::max<int64_t>(1, 64'000 / static_cast<int64_t>(one.bytes().size()));
  return TestManifest(entries, {.partition_fields = R"({"name": "bucket", "field-id": 1000, "type": ["null", "int"]})",
                                .codec = codec,
                                .entries_per_block = per_block});
}

// Of this thread alone: other work of the machine does not count.
double CpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

struct Pass {
  int64_t decoded = 0;
  int64_t kept = 0;
  uint64_t sum = 0;  // of what was decoded, so that it is
};

arrow::Result<Pass> Decode(const std::string& bytes, const ManifestReadOptions& options) {
  ARROW_ASSIGN_OR_RAISE(ManifestReader reader, ManifestReader::Open(bytes, {}, options));
  Pass pass;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const ManifestEntry* entry, reader.Next());
    if (entry == nullptr) break;
    ++pass.kept;
    pass.sum += static_cast<uint64_t>(entry->record_count) + entry->path.size();
    for (const ColumnMetrics& column : entry->metrics) pass.sum += column.lower_bound ? column.lower_bound->size() : 1;
  }
  pass.decoded = reader.entry_count();
  return pass;
}

arrow::Status Measure(const std::string& name, const std::string& bytes, double seconds_min) {
  ARROW_ASSIGN_OR_RAISE(AvroContainer file, AvroContainer::Open(bytes));
  int64_t plain_bytes = 0;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const auto block, file.NextBlock());
    if (!block) break;
    plain_bytes += static_cast<int64_t>(block->bytes.size());
  }
  ManifestReadOptions all, bounds{.metric_field_ids = {4}}, partition{.metric_field_ids = {4}};
  partition.keep = [](const ManifestEntry& entry) {
    return entry.partition.empty() || entry.partition[0].integer == 7;
  };
  for (const auto& [what, options] : {std::pair{"all", &all}, {"bounds", &bounds}, {"partition", &partition}}) {
    const double begin = CpuSeconds();
    double best = seconds_min;
    Pass pass;
    for (double start = begin; start - begin < seconds_min; start = CpuSeconds()) {
      ARROW_ASSIGN_OR_RAISE(pass, Decode(bytes, *options));
      best = std::min(best, CpuSeconds() - start);
    }
    const auto per_second = [&](int64_t count) { return static_cast<int64_t>(static_cast<double>(count) / best); };
    std::cout << name << ' ' << what << ": " << per_second(pass.decoded) << " entries/s, "
              << per_second(plain_bytes) / 1'000'000 << " MB/s of " << plain_bytes / std::max<int64_t>(1, pass.decoded)
              << " bytes an entry, " << pass.kept << " of " << pass.decoded << " kept, stored " << bytes.size()
              << " bytes\n";
  }
  return arrow::Status::OK();
}

arrow::Status Run(const LoopOptions& options) {
  for (const std::string& path : options.files) {
    std::ifstream in(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    ARROW_RETURN_NOT_OK(Measure(path, bytes, options.seconds));
  }
  if (!options.files.empty()) return arrow::Status::OK();
  for (const std::string& codec : options.codecs) {
    ARROW_RETURN_NOT_OK(Measure(codec, RandomManifest(options, codec), options.seconds));
  }
  return arrow::Status::OK();
}

}  // namespace
}  // namespace frazil::iceberg

int main(int argc, char** argv) {
  frazil::iceberg::LoopOptions options;
  CLI::App app("Decodes manifests from memory and prints entries a second");
  app.add_option("--file", options.files, "a manifest; else random ones are made");
  app.add_option("--codec", options.codecs, "null, deflate, snappy, zstandard");
  app.add_option("--columns", options.columns, "columns with metrics");
  app.add_option("--entries", options.entries, "entries of a manifest");
  app.add_option("--seconds", options.seconds, "at least so long for each figure");
  CLI11_PARSE(app, argc, argv);
  const auto status = frazil::iceberg::Run(options);
  if (!status.ok()) {
    std::cerr << status.ToString() << '\n';
    return 1;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::cout << "peak memory " << usage.ru_maxrss / 1024 << " MiB, the written manifests included\n";
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
//
// A scan in a warm process, for bench/: the table is opened anew in every iteration (footer and indexes are read
// again), so what is timed is a whole query without the start of a process.
//
//   scan_loop FILE --where "id = 42" --iterations 1000      prints the median and the least time, for a person or perf
//   scan_loop FILE --where "id = 42"                        each line of standard input is a number of iterations; each
//                                                           answer a line of JSON: rows, counters and all times
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <arrow/memory_pool.h>
#include <arrow/result.h>
#include <arrow/status.h>
#include <CLI/CLI.hpp>

#include "frazil/table.h"

namespace frazil {
namespace {

struct LoopOptions {
  std::string file;
  ScanOptions scan;
  bool count = false;   // Count() in place of reading rows
  bool stream = false;  // drop each batch as it comes; else all are held until the scan ends, as a table would
  int64_t iterations = 0;
};

struct Iteration {
  int64_t rows = 0;
  int64_t elapsed_ns = 0;
  ScanReport report;
};

arrow::Result<Iteration> RunOnce(const LoopOptions& options) {
  Iteration done;
  auto report = std::make_shared<ScanReport>();
  std::vector<std::shared_ptr<arrow::RecordBatch>> held;
  const auto start = std::chrono::steady_clock::now();
  ARROW_ASSIGN_OR_RAISE(const auto table, Table::Open({options.file}));
  Scan scan = table->NewScan();
  scan.options() = options.scan;
  if (options.count) {
    ARROW_ASSIGN_OR_RAISE(done.rows, scan.Count(report.get()));
  } else {
    ARROW_ASSIGN_OR_RAISE(const auto reader, scan.ToReader(report));
    while (true) {
      std::shared_ptr<arrow::RecordBatch> batch;
      ARROW_RETURN_NOT_OK(reader->ReadNext(&batch));
      if (batch == nullptr) break;
      done.rows += batch->num_rows();
      if (!options.stream) held.push_back(std::move(batch));
    }
    ARROW_RETURN_NOT_OK(reader->Close());
  }
  held.clear();  // a table is freed within its caller's time, too
  done.elapsed_ns = std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count();
  done.report = std::move(*report);
  return done;
}

// Runs the scan `iterations` times; `last` is the last run, whose counters are those of every run.
arrow::Result<std::vector<int64_t>> RunMany(const LoopOptions& options, int64_t iterations, Iteration* last) {
  std::vector<int64_t> elapsed_ns;
  for (int64_t i = 0; i < iterations; ++i) {
    ARROW_ASSIGN_OR_RAISE(*last, RunOnce(options));
    elapsed_ns.push_back(last->elapsed_ns);
  }
  return elapsed_ns;
}

arrow::Status RunForPerson(const LoopOptions& options) {
  Iteration last;
  ARROW_ASSIGN_OR_RAISE(auto elapsed_ns, RunMany(options, options.iterations, &last));
  std::sort(elapsed_ns.begin(), elapsed_ns.end());
  std::cout << "rows " << last.rows << ", bytes " << last.report.bytes_read << ", requests " << last.report.requests
            << ", rounds " << last.report.rounds << ", median_ns " << elapsed_ns[elapsed_ns.size() / 2] << ", min_ns "
            << elapsed_ns.front() << ", pool_bytes_max " << arrow::default_memory_pool()->max_memory() << "\n";
  return arrow::Status::OK();
}

arrow::Status Serve(const LoopOptions& options) {
  int64_t iterations = 0;
  while (std::cin >> iterations) {
    Iteration last;
    ARROW_ASSIGN_OR_RAISE(const auto elapsed_ns, RunMany(options, iterations, &last));
    std::cout << "{\"rows\": " << last.rows << ", \"bytes\": " << last.report.bytes_read
              << ", \"requests\": " << last.report.requests << ", \"rounds\": " << last.report.rounds
              << ", \"pool_bytes_max\": " << arrow::default_memory_pool()->max_memory() << ", \"ns\": [";
    for (size_t i = 0; i < elapsed_ns.size(); ++i) std::cout << (i == 0 ? "" : ", ") << elapsed_ns[i];
    std::cout << "]}" << std::endl;
  }
  return arrow::Status::OK();
}

}  // namespace
}  // namespace frazil

int main(int argc, char** argv) {
  frazil::LoopOptions options;
  bool no_prune = false;
  std::vector<std::string> disabled;
  CLI::App app{"Runs one scan many times in one process"};
  app.add_option("FILE", options.file)->required();
  app.add_option("--where", options.scan.filter);
  app.add_option("--select", options.scan.columns)->delimiter(',');
  app.add_option("--threads", options.scan.threads);
  app.add_option("--memory-bytes", options.scan.memory_bytes, "Budget of the scan");
  app.add_option("--batch-rows", options.scan.batch_rows, "Rows of a batch, at most");
  app.add_option("--batch-bytes", options.scan.batch_bytes, "Bytes of a batch, at most");
  app.add_flag("--count", options.count, "Only count the rows");
  app.add_flag("--stream", options.stream, "Drop each batch as it comes");
  app.add_flag("--no-prune", no_prune, "Switch every skipping level off");
  app.add_option("--disable", disabled, "Skipping levels to switch off")->delimiter(',');
  app.add_option("--iterations", options.iterations, "Run so often, print a summary")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  if (no_prune) options.scan.disabled_levels = frazil::AllLevels();
  for (const std::string& name : disabled) {
    const auto level = frazil::ParseLevel(name);
    if (!level.ok()) {
      std::cerr << "scan_loop: " << level.status().ToString() << "\n";
      return 1;
    }
    options.scan.disabled_levels.push_back(*level);
  }
  const arrow::Status status = options.iterations > 0 ? frazil::RunForPerson(options) : frazil::Serve(options);
  if (!status.ok()) std::cerr << "scan_loop: " << status.ToString() << "\n";
  return status.ok() ? 0 : 1;
}

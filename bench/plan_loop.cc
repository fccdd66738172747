// SPDX-License-Identifier: Apache-2.0
//
// Planning of an Iceberg table in a warm process, for bench/: from the metadata file to the data files that may hold a
// match, none of which is opened. The table is opened anew in every iteration.
//
//   plan_loop TABLE --where "order_id = 42" --iterations 10     prints the median and the least time
//   plan_loop TABLE --where "order_id = 42"                     each line of standard input is a number of iterations;
//                                                               each answer a line of JSON: files, counters, all times
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <arrow/result.h>
#include <arrow/status.h>
#include <CLI/CLI.hpp>

#include "src/scan/iceberg_planner.h"

namespace frazil::scan {
namespace {

struct LoopOptions {
  std::string table;
  ScanOptions scan;
  int64_t iterations = 0;
};

struct Iteration {
  int64_t files = 0;
  int64_t elapsed_ns = 0;
  int64_t cpu_ns = 0;  // of all threads
  ScanReport report;
};

int64_t CpuNs() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

arrow::Result<Iteration> RunOnce(const LoopOptions& options) {
  Iteration done;
  const auto start = std::chrono::steady_clock::now();
  const int64_t cpu_start_ns = CpuNs();
  auto context = std::make_shared<ScanContext>();
  context->options = options.scan;
  context->trace = std::make_shared<io::Trace>();
  context->evidence = std::make_shared<Evidence>(options.scan, context->trace);
  context->threads = options.scan.threads > 0 ? options.scan.threads
                                              : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  ARROW_ASSIGN_OR_RAISE(const auto table, OpenIcebergTable(options.table, {}, context->trace));
  ARROW_ASSIGN_OR_RAISE(context->request, ParseRequest(options.scan));
  ARROW_ASSIGN_OR_RAISE(auto binding, BindTable(context->request, table->schema));
  context->schema = binding.schema;
  context->table_binding = std::make_shared<const TableBinding>(std::move(binding));
  IcebergPlanner planner(table, context->table_binding, context);
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const auto file, planner.NextDataFile());
    if (!file) break;
    ++done.files;
  }
  done.elapsed_ns = std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count();
  done.cpu_ns = CpuNs() - cpu_start_ns;
  done.report = context->evidence->Report(/*analyzed=*/false);
  return done;
}

int64_t PeakBytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return int64_t{usage.ru_maxrss} << 10;
}

arrow::Result<std::vector<int64_t>> RunMany(const LoopOptions& options, int64_t iterations, Iteration* last) {
  std::vector<int64_t> elapsed_ns;
  for (int64_t i = 0; i < iterations; ++i) {
    ARROW_ASSIGN_OR_RAISE(*last, RunOnce(options));
    elapsed_ns.push_back(last->elapsed_ns);
  }
  return elapsed_ns;
}

int64_t CountOf(const ScanReport& report, const std::string& level, bool kept) {
  for (const LevelReport& of : report.levels) {
    if (of.name == level) return kept ? of.kept : of.total;
  }
  return 0;
}

arrow::Status Run(const LoopOptions& options) {
  Iteration last;
  if (options.iterations > 0) {
    ARROW_ASSIGN_OR_RAISE(auto elapsed_ns, RunMany(options, options.iterations, &last));
    std::sort(elapsed_ns.begin(), elapsed_ns.end());
    std::cout << "files " << last.files << ", manifests " << CountOf(last.report, "manifest", true) << " of "
              << CountOf(last.report, "manifest", false) << ", bytes " << last.report.bytes_read << ", requests "
              << last.report.requests << ", median_ns " << elapsed_ns[elapsed_ns.size() / 2] << ", min_ns "
              << elapsed_ns.front() << ", cpu_ns " << last.cpu_ns << ", peak memory " << (PeakBytes() >> 20)
              << " MiB\n";
    return arrow::Status::OK();
  }
  int64_t iterations = 0;
  while (std::cin >> iterations) {
    ARROW_ASSIGN_OR_RAISE(const auto elapsed_ns, RunMany(options, iterations, &last));
    std::cout << "{\"files\": " << last.files << ", \"manifests\": " << CountOf(last.report, "manifest", true)
              << ", \"entries\": " << CountOf(last.report, "partition", false)
              << ", \"bytes\": " << last.report.bytes_read << ", \"requests\": " << last.report.requests
              << ", \"peak_bytes\": " << PeakBytes() << ", \"ns\": [";
    for (size_t i = 0; i < elapsed_ns.size(); ++i) std::cout << (i == 0 ? "" : ", ") << elapsed_ns[i];
    std::cout << "]}" << std::endl;
  }
  return arrow::Status::OK();
}

}  // namespace
}  // namespace frazil::scan

int main(int argc, char** argv) {
  frazil::scan::LoopOptions options;
  CLI::App app{"Plans scans of one Iceberg table many times in one process"};
  app.add_option("TABLE", options.table)->required();
  app.add_option("--where", options.scan.filter);
  app.add_option("--threads", options.scan.threads);
  app.add_option("--iterations", options.iterations, "Run so often, print a summary")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  const arrow::Status status = frazil::scan::Run(options);
  if (!status.ok()) std::cerr << "plan_loop: " << status.ToString() << "\n";
  return status.ok() ? 0 : 1;
}

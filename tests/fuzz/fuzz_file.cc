// SPDX-License-Identifier: Apache-2.0
//
// A whole file: opened, explained, counted and scanned, with pruning on and off. What is damaged may change the answer
// (a statistic that lies is believed), so only a clean end is asked for, and that memory stays in proportion.
#include <memory>
#include <string>

#include <arrow/record_batch.h>

#include "frazil/byte_source.h"
#include "frazil/table.h"
#include "src/expr/expression.h"
#include "tests/fuzz/target.h"

namespace frazil::fuzz {
namespace {

constexpr int64_t kRowsMax = 20'000;

// Some filter that the schema makes possible, by the number.
std::string FilterOf(const arrow::Schema& schema, uint64_t choice) {
  if (schema.num_fields() == 0) return "_pos < 3";
  const auto& field = schema.field(static_cast<int>(choice % static_cast<uint64_t>(schema.num_fields())));
  const std::string column = expr::ColumnPath{{field->name()}, 0}.ToString();
  const char* tests[] = {" IS NULL", " IS NOT NULL", " >= 5", " <> 7", " < 'm'", " IN (1, 2, 3)", " = 0.5"};
  return column + tests[choice / 7 % std::size(tests)] + (choice % 5 == 0 ? " OR _pos BETWEEN 3 AND 5" : "");
}

void Drain(const Scan& scan) {
  auto report = std::make_shared<ScanReport>();
  auto reader = scan.ToReader(report);
  if (!reader.ok()) return;
  std::shared_ptr<arrow::RecordBatch> batch;
  for (int64_t rows = 0; rows < kRowsMax; rows += batch->num_rows()) {
    if (!(*reader)->ReadNext(&batch).ok() || batch == nullptr) break;
    Require(batch->Validate().ok(), "a batch that was read is valid");
  }
  Require((*reader)->Close().ok(), "a reader can be closed");
  (void)ReportToText(*report);
}

void Check(std::string_view bytes) {
  auto table = Table::OpenSources({FromBuffer(arrow::Buffer::FromString(std::string(bytes)), "f")});
  if (!table.ok()) return;
  uint64_t choice = 1469598103934665603u;
  for (const char c : bytes.substr(bytes.size() / 2)) choice = (choice ^ static_cast<uint8_t>(c)) * 1099511628211u;
  Scan scan = (*table)->NewScan();
  scan.options().threads = 1;
  scan.options().batch_rows = 500;
  Drain(Scan(scan).Limit(kRowsMax));
  const std::string filter = FilterOf(*(*table)->schema(), choice >> 8);
  scan.Filter(filter).Limit(kRowsMax);
  (void)scan.Explain();
  (void)scan.Count();
  Drain(scan);
  scan.options().disabled_levels = AllLevels();
  scan.options().verify_checksums = true;
  Drain(scan);
}

}  // namespace
}  // namespace frazil::fuzz

FRAZIL_FUZZ_TARGET(file, frazil::fuzz::Check)

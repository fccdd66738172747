// SPDX-License-Identifier: Apache-2.0
//
// Somebody else's program: it knows nothing but the installed headers. Prints position and customer of the orders that
// a filter accepts, and what reading them cost.
#include <cstdio>
#include <memory>
#include <string>

#include <arrow/array.h>
#include <frazil/table.h>

arrow::Status PrintOrders(const std::string& path, const std::string& filter) {
  ARROW_ASSIGN_OR_RAISE(auto table, frazil::Table::Open({path}));
  auto report = std::make_shared<frazil::ScanReport>();
  ARROW_ASSIGN_OR_RAISE(auto reader, table->NewScan().Filter(filter).Select({"_pos", "customer"}).ToReader(report));
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(reader->ReadNext(&batch));
    if (batch == nullptr) break;
    const auto& positions = static_cast<const arrow::Int64Array&>(*batch->column(0));
    const auto& customers = static_cast<const arrow::StringArray&>(*batch->column(1));
    for (int64_t row = 0; row < batch->num_rows(); ++row) {
      std::printf("row %lld: %s\n", static_cast<long long>(positions.Value(row)), customers.GetString(row).c_str());
    }
  }
  ARROW_RETURN_NOT_OK(reader->Close());  // fills in the report
  std::printf("read %lld of %lld bytes\n", static_cast<long long>(report->bytes_read),
              static_cast<long long>(report->bytes_total));
  return arrow::Status::OK();
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const arrow::Status status = PrintOrders(argv[1], argv[2]);
  if (!status.ok()) {
    std::fprintf(stderr, "%s: %s\n", frazil::ErrorKindName(frazil::KindOf(status)), status.message().c_str());
  }
  return frazil::ExitCodeOf(status);
}

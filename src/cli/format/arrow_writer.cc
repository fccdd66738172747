// SPDX-License-Identifier: Apache-2.0
//
// arrow: an Arrow IPC stream (Arrow columnar format, "IPC Streaming Format"). The schema is written even when there
// are no rows.
#include <utility>

#include <arrow/io/interfaces.h>
#include <arrow/ipc/writer.h>

#include "src/cli/format/row_writers.h"

namespace frazil::cli {

namespace {

// The sink as Arrow's stream. Closing it flushes; the descriptor stays open.
class SinkStream final : public arrow::io::OutputStream {
 public:
  explicit SinkStream(OutputSink& sink) : sink_(sink), start_bytes_(sink.accepted_bytes()) {}

  arrow::Status Write(const void* data, int64_t byte_count) override {
    return sink_.Write({static_cast<const char*>(data), static_cast<size_t>(byte_count)});
  }
  using arrow::io::OutputStream::Write;
  arrow::Status Flush() override { return sink_.Flush(); }
  arrow::Status Close() override {
    closed_ = true;
    return sink_.Flush();
  }
  bool closed() const override { return closed_; }
  // Arrow aligns its messages by this, so it counts from the stream's own start.
  arrow::Result<int64_t> Tell() const override { return sink_.accepted_bytes() - start_bytes_; }

 private:
  OutputSink& sink_;
  int64_t start_bytes_;
  bool closed_ = false;
};

class ArrowWriter final : public RowWriter {
 public:
  explicit ArrowWriter(OutputSink& sink) : sink_(sink) {}

  arrow::Status Begin(const std::shared_ptr<arrow::Schema>& schema) override {
    schema_ = schema;
    stream_ = std::make_shared<SinkStream>(sink_);
    ARROW_ASSIGN_OR_RAISE(ipc_, arrow::ipc::MakeStreamWriter(stream_, schema));
    return arrow::Status::OK();
  }

  arrow::Status Write(const arrow::RecordBatch& batch) override {
    ARROW_RETURN_NOT_OK(CheckBatch(batch, schema_.get()));
    // The stream has one schema: a batch that differs from it in names or metadata only takes it over.
    const auto announced = arrow::RecordBatch::Make(schema_, batch.num_rows(), batch.columns());
    ARROW_RETURN_NOT_OK(ipc_->WriteRecordBatch(*announced));
    return sink_.Flush();
  }

  arrow::Status Finish(const RowWriterSummary&) override {
    ARROW_RETURN_NOT_OK(ipc_->Close());
    return stream_->Close();
  }

 private:
  OutputSink& sink_;
  std::shared_ptr<arrow::Schema> schema_;
  std::shared_ptr<SinkStream> stream_;
  std::shared_ptr<arrow::ipc::RecordBatchWriter> ipc_;
};

}  // namespace

std::unique_ptr<RowWriter> MakeArrowWriter(OutputSink& sink) { return std::make_unique<ArrowWriter>(sink); }

}  // namespace frazil::cli

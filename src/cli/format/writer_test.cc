// SPDX-License-Identifier: Apache-2.0
#include "src/cli/format/writer.h"

#include <sys/mman.h>
#include <unistd.h>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/reader.h>
#include <arrow/json/from_string.h>
#include <arrow/table.h>
#include <gtest/gtest.h>

#include "frazil/error.h"

namespace frazil::cli {
namespace {

using BatchPointer = std::shared_ptr<arrow::RecordBatch>;
using SchemaPointer = std::shared_ptr<arrow::Schema>;

constexpr Format kAllFormats[] = {Format::kTable, Format::kJson, Format::kJsonl, Format::kCsv, Format::kArrow};

// A file in memory.
class MemoryFile {
 public:
  MemoryFile() : fd_(memfd_create("frazil-test", 0)) { EXPECT_GE(fd_, 0); }
  ~MemoryFile() { close(fd_); }
  int fd() const { return fd_; }
  std::string Contents() const {
    std::string text(static_cast<size_t>(lseek(fd_, 0, SEEK_END)), '\0');
    EXPECT_EQ(pread(fd_, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
    return text;
  }

 private:
  int fd_;
};

std::string Render(Format format, const SchemaPointer& schema, const std::vector<BatchPointer>& batches,
                   const RowWriterOptions& options = {}, const RowWriterSummary& summary = {}) {
  MemoryFile file;
  OutputSink sink(file.fd());
  const auto writer = MakeRowWriter(format, sink, options).ValueOrDie();
  EXPECT_TRUE(writer->Begin(schema).ok());
  for (const auto& batch : batches) {
    const arrow::Status status = writer->Write(*batch);
    EXPECT_TRUE(status.ok()) << status.ToString();
  }
  EXPECT_TRUE(writer->Finish(summary).ok());
  return file.Contents();
}

SchemaPointer PeopleSchema() {
  return arrow::schema({arrow::field("id", arrow::int64()), arrow::field("na,me", arrow::utf8()),
                        arrow::field("paid", arrow::decimal128(9, 2))});
}

BatchPointer People(const std::string& ids, const std::string& names, const std::string& paid) {
  arrow::ArrayVector columns;
  const auto schema = PeopleSchema();
  columns.push_back(arrow::json::ArrayFromJSONString(arrow::int64(), ids).ValueOrDie());
  columns.push_back(arrow::json::ArrayFromJSONString(arrow::utf8(), names).ValueOrDie());
  columns.push_back(arrow::json::ArrayFromJSONString(arrow::decimal128(9, 2), paid).ValueOrDie());
  return arrow::RecordBatch::Make(schema, columns[0]->length(), columns);
}

std::vector<BatchPointer> TwoBatches() {
  return {People("[9007199254740993, null]", R"(["a,b", ""])", R"(["1.50", null])"), People("[]", "[]", "[]"),
          People("[-1]", R"([null])", R"(["-0.01"])")};
}

BatchPointer Numbers(int64_t first, int64_t count) {
  std::string json = "[";
  for (int64_t i = 0; i < count; ++i) json += (i > 0 ? "," : "") + std::to_string(first + i);
  const auto column = arrow::json::ArrayFromJSONString(arrow::int64(), json + "]").ValueOrDie();
  return arrow::RecordBatch::Make(arrow::schema({arrow::field("n", arrow::int64())}), count, {column});
}

TEST(RowWriter, FormatsByName) {
  for (const Format format : kAllFormats) EXPECT_EQ(ParseFormat(FormatName(format)).ValueOrDie(), format);
  const arrow::Status status = ParseFormat("xml").status();
  EXPECT_EQ(KindOf(status), ErrorKind::kUsage);
  EXPECT_EQ(status.message(), "unknown format 'xml'; the formats are table, json, jsonl, csv, arrow");
  EXPECT_FALSE(ParseFormat("CSV").ok());
  EXPECT_FALSE(ParseFormat("").ok());
}

TEST(RowWriter, Csv) {
  EXPECT_EQ(Render(Format::kCsv, PeopleSchema(), TwoBatches()),
            "id,\"na,me\",paid\n"
            "9007199254740993,\"a,b\",1.50\n"
            ",\"\",\n"
            "-1,,-0.01\n");
  EXPECT_EQ(Render(Format::kCsv, PeopleSchema(), {}), "id,\"na,me\",paid\n");
}

TEST(RowWriter, Jsonl) {
  EXPECT_EQ(Render(Format::kJsonl, PeopleSchema(), TwoBatches()), R"({"id":9007199254740993,"na,me":"a,b","paid":1.50})"
                                                                  "\n"
                                                                  R"({"id":null,"na,me":"","paid":null})"
                                                                  "\n"
                                                                  R"({"id":-1,"na,me":null,"paid":-0.01})"
                                                                  "\n");
  EXPECT_EQ(Render(Format::kJsonl, PeopleSchema(), {}), "");
}

TEST(RowWriter, Json) {
  EXPECT_EQ(Render(Format::kJson, PeopleSchema(), TwoBatches()),
            "[\n"
            R"({"id":9007199254740993,"na,me":"a,b","paid":1.50},)"
            "\n"
            R"({"id":null,"na,me":"","paid":null},)"
            "\n"
            R"({"id":-1,"na,me":null,"paid":-0.01})"
            "\n]\n");
  EXPECT_EQ(Render(Format::kJson, PeopleSchema(), {}), "[]\n");
  EXPECT_EQ(Render(Format::kJson, PeopleSchema(), {People("[]", "[]", "[]")}), "[]\n");
}

TEST(RowWriter, ArrowReadsBackEqual) {
  for (const auto& batches : {TwoBatches(), std::vector<BatchPointer>{}}) {
    const std::string bytes = Render(Format::kArrow, PeopleSchema(), batches);
    auto input = std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(bytes));
    const auto reader = arrow::ipc::RecordBatchStreamReader::Open(input).ValueOrDie();
    EXPECT_TRUE(reader->schema()->Equals(*PeopleSchema()));
    const auto got = reader->ToTable().ValueOrDie();
    EXPECT_TRUE(got->Equals(*arrow::Table::FromRecordBatches(PeopleSchema(), batches).ValueOrDie()));
  }
}

TEST(RowWriter, ArrowKeepsDictionariesThatChange) {
  const auto type = arrow::dictionary(arrow::int32(), arrow::utf8());
  const auto schema = arrow::schema({arrow::field("d", type)});
  std::vector<BatchPointer> batches;
  for (const char* values : {R"(["a", "b"])", R"(["c", "b"])"}) {
    const auto dictionary = arrow::json::ArrayFromJSONString(arrow::utf8(), values).ValueOrDie();
    const auto indices = arrow::json::ArrayFromJSONString(arrow::int32(), "[1, 0, null]").ValueOrDie();
    batches.push_back(
        arrow::RecordBatch::Make(schema, 3, {arrow::DictionaryArray::FromArrays(indices, dictionary).ValueOrDie()}));
  }
  const std::string bytes = Render(Format::kArrow, schema, batches);
  auto input = std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(bytes));
  const auto reader = arrow::ipc::RecordBatchStreamReader::Open(input).ValueOrDie();
  for (const auto& batch : batches) EXPECT_TRUE(reader->Next().ValueOrDie()->Equals(*batch));
  EXPECT_EQ(reader->Next().ValueOrDie(), nullptr);
  EXPECT_EQ(Render(Format::kCsv, schema, batches), "d\nb\na\n\nb\nc\n\n");
}

TEST(RowWriter, Table) {
  EXPECT_EQ(Render(Format::kTable, PeopleSchema(), TwoBatches()),
            "              id  na,me               paid\n"
            "           int64  string  decimal128(9, 2)\n"
            "----------------  ------  ----------------\n"
            "9007199254740993  a,b                 1.50\n"
            "            NULL                      NULL\n"
            "              -1  NULL               -0.01\n"
            "\n"
            "3 rows\n");
  EXPECT_EQ(Render(Format::kTable, PeopleSchema(), {}),
            "   id  na,me               paid\n"
            "int64  string  decimal128(9, 2)\n"
            "-----  ------  ----------------\n"
            "\n"
            "0 rows\n");
}

std::string LastLine(const std::string& text) { return text.substr(text.rfind('\n', text.size() - 2) + 1); }

TEST(RowWriter, TableShowsTheFirstRowsAndCountsAll) {
  const auto schema = arrow::schema({arrow::field("n", arrow::int64())});
  const std::vector<BatchPointer> batches = {Numbers(0, 15), Numbers(15, 15), Numbers(30, 2315)};
  const std::string text = Render(Format::kTable, schema, batches);
  EXPECT_NE(text.find("\n   19\n\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("   20\n"), std::string::npos);
  EXPECT_EQ(LastLine(text), "20 of 2,345 rows shown\n");
  EXPECT_EQ(LastLine(Render(Format::kTable, schema, {Numbers(0, 20)})), "20 rows\n");
  EXPECT_EQ(LastLine(Render(Format::kTable, schema, {Numbers(0, 1)})), "1 row\n");
  EXPECT_EQ(LastLine(Render(Format::kTable, schema, {Numbers(0, 3)}, {}, {1'000})), "3 of 1,000 rows shown\n");
  RowWriterOptions options;
  options.table_rows_max = 0;
  EXPECT_EQ(Render(Format::kTable, schema, {Numbers(0, 3)}, options), "    n\nint64\n-----\n\n0 of 3 rows shown\n");
}

TEST(RowWriter, TableCutsEscapesAndDims) {
  const auto schema = arrow::schema({arrow::field("text\x1b", arrow::utf8())});
  const auto column =
      arrow::json::ArrayFromJSONString(arrow::utf8(), R"(["日本語日本語", "a\nb\u001b[2J", null, "NULL"])")
          .ValueOrDie();
  const auto batch = arrow::RecordBatch::Make(schema, 4, {column});
  RowWriterOptions options;
  options.cell_columns_max = 10;
  options.colour = true;
  EXPECT_EQ(Render(Format::kTable, schema, {batch}, options),
            "text\\u001b\n"
            "\x1b[2mstring\x1b[0m\n"
            "\x1b[2m----------\x1b[0m\n"
            "日本語日…\n"
            "a\\nb…\n"
            "\x1b[2mNULL\x1b[0m\n"
            "NULL\n"
            "\n"
            "4 rows\n");
  // By default a value takes 60 columns.
  const auto long_column = arrow::json::ArrayFromJSONString(arrow::utf8(), "[\"" + std::string(10'000, 'x') + "\"]");
  const auto long_batch = arrow::RecordBatch::Make(schema, 1, {long_column.ValueOrDie()});
  const std::string text = Render(Format::kTable, schema, {long_batch});
  EXPECT_NE(text.find("\n" + std::string(59, 'x') + "…\n"), std::string::npos);
}

TEST(RowWriter, RowsWithoutColumns) {
  const auto schema = arrow::schema(arrow::FieldVector{});
  const auto batch = arrow::RecordBatch::Make(schema, 2, arrow::ArrayVector{});
  EXPECT_EQ(Render(Format::kTable, schema, {batch}), "2 rows\n");
  EXPECT_EQ(Render(Format::kJsonl, schema, {batch}), "{}\n{}\n");
  EXPECT_EQ(Render(Format::kCsv, schema, {batch}), "\n\n\n");
}

TEST(RowWriter, ManyBuffersKeepEveryRow) {
  const auto schema = arrow::schema({arrow::field("n", arrow::int64())});
  std::string expected = "n\n";
  for (int i = 0; i < 100'000; ++i) expected += std::to_string(i) + "\n";
  EXPECT_EQ(Render(Format::kCsv, schema, {Numbers(0, 60'000), Numbers(60'000, 40'000)}), expected);
}

TEST(RowWriter, RowsAreHandedOverBatchByBatch) {
  MemoryFile file;
  OutputSink sink(file.fd());
  const auto writer = MakeRowWriter(Format::kJsonl, sink).ValueOrDie();
  ASSERT_TRUE(writer->Begin(Numbers(0, 0)->schema()).ok());
  ASSERT_TRUE(writer->Write(*Numbers(7, 1)).ok());
  EXPECT_EQ(file.Contents(), "{\"n\":7}\n");
}

TEST(RowWriter, AReaderThatWentAwayEndsEveryFormat) {
  IgnoreBrokenPipeSignal();
  for (const Format format : kAllFormats) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    close(ends[0]);
    OutputSink sink(ends[1]);
    const auto writer = MakeRowWriter(format, sink).ValueOrDie();
    arrow::Status status = writer->Begin(Numbers(0, 0)->schema());
    if (status.ok()) status = writer->Write(*Numbers(0, 100));
    if (status.ok()) status = writer->Finish();
    close(ends[1]);
    EXPECT_TRUE(IsBrokenPipe(status)) << FormatName(format) << ": " << status.ToString();
    EXPECT_EQ(ExitCodeOf(status), 130);
  }
}

TEST(RowWriter, UnionsFailBeforeAnythingIsWritten) {
  const auto union_type = arrow::dense_union({arrow::field("a", arrow::int32())});
  const auto schema = arrow::schema({arrow::field("ok", arrow::int32()), arrow::field("u", arrow::list(union_type))});
  for (const Format format : kAllFormats) {
    MemoryFile file;
    OutputSink sink(file.fd());
    const arrow::Status status = MakeRowWriter(format, sink).ValueOrDie()->Begin(schema);
    if (format == Format::kArrow) {
      EXPECT_TRUE(status.ok());
      continue;
    }
    EXPECT_EQ(KindOf(status), ErrorKind::kUnsupported);
    EXPECT_EQ(sink.accepted_bytes(), 0);
  }
}

TEST(RowWriter, AForeignBatchIsAnInternalError) {
  for (const Format format : kAllFormats) {
    MemoryFile file;
    OutputSink sink(file.fd());
    const auto writer = MakeRowWriter(format, sink).ValueOrDie();
    EXPECT_EQ(KindOf(writer->Write(*Numbers(0, 1))), ErrorKind::kInternal);
    ASSERT_TRUE(writer->Begin(PeopleSchema()).ok());
    EXPECT_EQ(KindOf(writer->Write(*Numbers(0, 1))), ErrorKind::kInternal);
  }
}

TEST(RowWriter, TableOptionsAreChecked) {
  OutputSink sink(-1);
  RowWriterOptions options;
  options.cell_columns_max = 0;
  EXPECT_EQ(KindOf(MakeRowWriter(Format::kTable, sink, options).status()), ErrorKind::kUsage);
  options = {};
  options.table_rows_max = -1;
  EXPECT_EQ(KindOf(MakeRowWriter(Format::kTable, sink, options).status()), ErrorKind::kUsage);
}

}  // namespace
}  // namespace frazil::cli

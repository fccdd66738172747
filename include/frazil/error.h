// SPDX-License-Identifier: Apache-2.0
//
// Errors. Every fallible call of Frazil returns arrow::Status or arrow::Result. A status made by Frazil
// carries an ErrorDetail: one of ten kinds, and the place in the data where it happened. The kinds map one
// to one to the exit codes of the command line and, later, to HTTP statuses and Python exceptions.
//
//   arrow::Status st = frazil::MakeError(frazil::ErrorKind::kCorrupt, "page header is not Thrift");
//   st = frazil::AddPlace(std::move(st), {.column = "event_id", .page = 4});
//   st = frazil::AddPlace(std::move(st), {.file = "a.parquet", .row_group = 0});
//   st.message()  ->  "a.parquet: row group 0: column event_id: page 4: page header is not Thrift"
//
// Thread safety: plain values.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <arrow/status.h>

namespace frazil {

// What went wrong, by what the caller can do about it. The number is the process exit code.
enum class ErrorKind : int {
  kInternal = 1,     // a fault of ours, or a failure with no better name
  kUsage = 2,        // the request is wrong: filter text, column name, flag
  kNotFound = 3,     // the file, table or column is not there
  kAccess = 4,       // permission or credentials
  kCorrupt = 5,      // the data contradict their format
  kUnsupported = 6,  // well-formed, but nothing we read
  kUnavailable = 7,  // the store did not answer; a later try may work
  kBudget = 8,       // --max-bytes, --max-requests or the memory budget is exhausted
  kConflict = 9,     // somebody else changed the same thing
  kCancelled = 130,  // stopped by the caller
};

// "corrupt", "not found", ...: stable words, for machine output.
const char* ErrorKindName(ErrorKind kind);

// A half-open range of bytes of a file.
struct ByteRange {
  int64_t offset = 0;
  int64_t length = 0;

  int64_t end() const { return offset + length; }
  bool operator==(const ByteRange&) const = default;
};

// Where in the data an error happened. Unset members are unknown.
struct ErrorPlace {
  std::optional<std::string> file = std::nullopt;
  std::optional<int64_t> row_group = std::nullopt;
  std::optional<std::string> column = std::nullopt;
  std::optional<int64_t> page = std::nullopt;  // ordinal of the data page in its column chunk
  std::optional<ByteRange> range = std::nullopt;
};

// The detail on every status made by Frazil.
class ErrorDetail : public arrow::StatusDetail {
 public:
  static constexpr const char* kTypeId = "frazil::ErrorDetail";

  ErrorDetail(ErrorKind kind, std::string text, ErrorPlace place)
      : kind_(kind), text_(std::move(text)), place_(std::move(place)) {}

  const char* type_id() const override { return kTypeId; }
  std::string ToString() const override;

  ErrorKind kind() const { return kind_; }
  // The message without its place.
  const std::string& text() const { return text_; }
  const ErrorPlace& place() const { return place_; }

 private:
  ErrorKind kind_;
  std::string text_;
  ErrorPlace place_;
};

// A status of `kind`; its message is the place (file, row group, column, page, range) followed by `text`: one line,
// control bytes and bytes that are not UTF-8 written as \xhh.
arrow::Status MakeError(ErrorKind kind, std::string text, ErrorPlace place = {});

// Fills in the members of the place that `status` does not know yet. OK stays OK; a status of Arrow's own
// gets the kind that KindOf gives it.
arrow::Status AddPlace(arrow::Status status, const ErrorPlace& place);

// The kind of any status: Frazil's detail, else a mapping of Arrow's code (IOError -> unavailable, or not
// found / access by errno; Invalid -> corrupt; NotImplemented -> unsupported; Cancelled -> cancelled).
// REQUIRES: !status.ok().
ErrorKind KindOf(const arrow::Status& status);

// The exit code of the command line: 0 for OK, else the number of the kind.
int ExitCodeOf(const arrow::Status& status);

}  // namespace frazil

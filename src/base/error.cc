// SPDX-License-Identifier: Apache-2.0
#include "frazil/error.h"

#include <cerrno>
#include <utility>

#include <arrow/util/io_util.h>

#include "src/base/text.h"

namespace frazil {
namespace {

// Arrow's code is what a caller sees that knows nothing of our kinds; the nearest one is good enough.
arrow::StatusCode CodeOf(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kInternal:
      return arrow::StatusCode::UnknownError;
    case ErrorKind::kUsage:
    case ErrorKind::kCorrupt:
      return arrow::StatusCode::Invalid;
    case ErrorKind::kNotFound:
    case ErrorKind::kAccess:
    case ErrorKind::kUnavailable:
      return arrow::StatusCode::IOError;
    case ErrorKind::kUnsupported:
      return arrow::StatusCode::NotImplemented;
    case ErrorKind::kBudget:
      return arrow::StatusCode::CapacityError;
    case ErrorKind::kConflict:
      return arrow::StatusCode::AlreadyExists;
    case ErrorKind::kCancelled:
      return arrow::StatusCode::Cancelled;
  }
  return arrow::StatusCode::UnknownError;
}

std::string PlaceText(const ErrorPlace& place) {
  std::string text;
  if (place.file) text += *place.file + ": ";
  if (place.row_group) text += "row group " + std::to_string(*place.row_group) + ": ";
  if (place.column) text += "column " + *place.column + ": ";
  if (place.page) text += "page " + std::to_string(*place.page) + ": ";
  // Offset and length rather than the end: a damaged range may end beyond what 64 bits hold.
  if (place.range) {
    text += std::to_string(place.range->length) + " bytes at " + std::to_string(place.range->offset) + ": ";
  }
  return text;
}

// Our detail of a status, or null. Matched by type id, as Arrow does for its own details.
const ErrorDetail* DetailOf(const arrow::Status& status) {
  const auto& detail = status.detail();
  if (detail == nullptr || std::string_view(detail->type_id()) != ErrorDetail::kTypeId) return nullptr;
  return static_cast<const ErrorDetail*>(detail.get());
}

ErrorKind KindOfErrno(int error_number) {
  switch (error_number) {
    case ENOENT:
    case ENOTDIR:
      return ErrorKind::kNotFound;
    case EACCES:
    case EPERM:
      return ErrorKind::kAccess;
    default:
      return ErrorKind::kUnavailable;
  }
}

}  // namespace

const char* ErrorKindName(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kInternal:
      return "internal";
    case ErrorKind::kUsage:
      return "usage";
    case ErrorKind::kNotFound:
      return "not found";
    case ErrorKind::kAccess:
      return "access";
    case ErrorKind::kCorrupt:
      return "corrupt";
    case ErrorKind::kUnsupported:
      return "unsupported";
    case ErrorKind::kUnavailable:
      return "unavailable";
    case ErrorKind::kBudget:
      return "budget";
    case ErrorKind::kConflict:
      return "conflict";
    case ErrorKind::kCancelled:
      return "cancelled";
  }
  return "internal";
}

// Arrow appends the detail to Status::ToString(), where the message already holds the place and the text.
std::string ErrorDetail::ToString() const { return ErrorKindName(kind_); }

arrow::Status MakeError(ErrorKind kind, std::string text, ErrorPlace place) {
  // Names and texts of files and users reach the message; none may break the line or steer a terminal.
  std::string message = Printable(PlaceText(place) + text, std::string::npos);
  return arrow::Status(CodeOf(kind), std::move(message),
                       std::make_shared<ErrorDetail>(kind, std::move(text), std::move(place)));
}

arrow::Status AddPlace(arrow::Status status, const ErrorPlace& place) {
  if (status.ok()) return status;
  const ErrorDetail* detail = DetailOf(status);
  ErrorPlace whole = detail != nullptr ? detail->place() : ErrorPlace{};
  if (!whole.file) whole.file = place.file;
  if (!whole.row_group) whole.row_group = place.row_group;
  if (!whole.column) whole.column = place.column;
  if (!whole.page) whole.page = place.page;
  if (!whole.range) whole.range = place.range;
  return MakeError(KindOf(status), detail != nullptr ? detail->text() : status.message(), std::move(whole));
}

ErrorKind KindOf(const arrow::Status& status) {
  if (const ErrorDetail* detail = DetailOf(status)) return detail->kind();
  switch (status.code()) {
    case arrow::StatusCode::IOError:
      return KindOfErrno(arrow::internal::ErrnoFromStatus(status));
    case arrow::StatusCode::KeyError:
      return ErrorKind::kNotFound;
    case arrow::StatusCode::Invalid:
    case arrow::StatusCode::SerializationError:
      return ErrorKind::kCorrupt;
    case arrow::StatusCode::NotImplemented:
      return ErrorKind::kUnsupported;
    case arrow::StatusCode::OutOfMemory:
      return ErrorKind::kBudget;
    case arrow::StatusCode::AlreadyExists:
      return ErrorKind::kConflict;
    case arrow::StatusCode::Cancelled:
      return ErrorKind::kCancelled;
    default:
      return ErrorKind::kInternal;
  }
}

int ExitCodeOf(const arrow::Status& status) { return status.ok() ? 0 : static_cast<int>(KindOf(status)); }

}  // namespace frazil

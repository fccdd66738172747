// SPDX-License-Identifier: Apache-2.0
#include "frazil/error.h"

#include <cerrno>

#include <arrow/util/io_util.h>
#include <gtest/gtest.h>

namespace frazil {
namespace {

TEST(Error, MessageIsPlaceThenText) {
  arrow::Status status = MakeError(ErrorKind::kCorrupt, "page header is not Thrift");
  EXPECT_EQ(status.message(), "page header is not Thrift");
  status = AddPlace(std::move(status), {.file = {}, .row_group = {}, .column = "event_id", .page = 4, .range = {}});
  EXPECT_EQ(status.message(), "column event_id: page 4: page header is not Thrift");
  status = AddPlace(std::move(status),
                    {.file = "a.parquet", .row_group = 0, .column = {}, .page = {}, .range = ByteRange{100, 20}});
  EXPECT_EQ(status.message(),
            "a.parquet: row group 0: column event_id: page 4: 20 bytes at 100: page header is not Thrift");
  EXPECT_EQ(KindOf(status), ErrorKind::kCorrupt);
}

TEST(Error, AddPlaceKeepsWhatIsKnown) {
  ErrorPlace inner;
  inner.page = 1;
  ErrorPlace outer;
  outer.page = 2;
  outer.file = "f";
  const arrow::Status status = AddPlace(MakeError(ErrorKind::kBudget, "full", inner), outer);
  EXPECT_EQ(status.message(), "f: page 1: full");
  EXPECT_TRUE(AddPlace(arrow::Status::OK(), outer).ok());
}

TEST(Error, MessageIsOneLineWhateverIsInIt) {
  ErrorPlace place;
  place.file = "a\nb";
  place.column = "c\x1b[2J\xff";
  const arrow::Status status = MakeError(ErrorKind::kCorrupt, "d\r\nµ", place);
  EXPECT_EQ(status.message(), "a\\x0ab: column c\\x1b[2J\\xff: d\\x0d\\x0aµ");
  // The place is kept as it is, and placing again changes nothing.
  EXPECT_EQ(AddPlace(status, {.row_group = 1}).message(), "a\\x0ab: row group 1: column c\\x1b[2J\\xff: d\\x0d\\x0aµ");
}

TEST(Error, AddPlaceGivesArrowsErrorsAKind) {
  ErrorPlace place;
  place.file = "f";
  const arrow::Status status = AddPlace(arrow::Status::Invalid("bad"), place);
  EXPECT_EQ(status.message(), "f: bad");
  EXPECT_EQ(KindOf(status), ErrorKind::kCorrupt);
  ASSERT_NE(status.detail(), nullptr);
  EXPECT_STREQ(status.detail()->type_id(), ErrorDetail::kTypeId);
  const auto& detail = static_cast<const ErrorDetail&>(*status.detail());
  EXPECT_EQ(detail.text(), "bad");
  EXPECT_EQ(detail.place().file, "f");
}

TEST(Error, PlaceKeepsTheKindThatErrnoGave) {
  ErrorPlace place;
  place.file = "f";
  const arrow::Status missing = arrow::internal::IOErrorFromErrno(ENOENT, "open");
  EXPECT_EQ(KindOf(AddPlace(missing, place)), ErrorKind::kNotFound);
}

TEST(Error, KindsOfArrowsCodes) {
  EXPECT_EQ(KindOf(arrow::internal::IOErrorFromErrno(ENOENT, "x")), ErrorKind::kNotFound);
  EXPECT_EQ(KindOf(arrow::internal::IOErrorFromErrno(ENOTDIR, "x")), ErrorKind::kNotFound);
  EXPECT_EQ(KindOf(arrow::internal::IOErrorFromErrno(EACCES, "x")), ErrorKind::kAccess);
  EXPECT_EQ(KindOf(arrow::internal::IOErrorFromErrno(ECONNRESET, "x")), ErrorKind::kUnavailable);
  EXPECT_EQ(KindOf(arrow::Status::IOError("x")), ErrorKind::kUnavailable);
  EXPECT_EQ(KindOf(arrow::Status::NotImplemented("x")), ErrorKind::kUnsupported);
  EXPECT_EQ(KindOf(arrow::Status::Cancelled("x")), ErrorKind::kCancelled);
  EXPECT_EQ(KindOf(arrow::Status::OutOfMemory("x")), ErrorKind::kBudget);
  EXPECT_EQ(KindOf(arrow::Status::UnknownError("x")), ErrorKind::kInternal);
}

TEST(Error, ExitCodesAreTheKinds) {
  EXPECT_EQ(ExitCodeOf(arrow::Status::OK()), 0);
  for (const ErrorKind kind : {ErrorKind::kInternal, ErrorKind::kUsage, ErrorKind::kNotFound, ErrorKind::kAccess,
                               ErrorKind::kCorrupt, ErrorKind::kUnsupported, ErrorKind::kUnavailable,
                               ErrorKind::kBudget, ErrorKind::kConflict, ErrorKind::kCancelled}) {
    const arrow::Status status = MakeError(kind, "x");
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(KindOf(status), kind);
    EXPECT_EQ(ExitCodeOf(status), static_cast<int>(kind));
    EXPECT_EQ(status.detail()->ToString(), ErrorKindName(kind));
  }
  EXPECT_EQ(ExitCodeOf(MakeError(ErrorKind::kCancelled, "")), 130);
  EXPECT_STREQ(ErrorKindName(ErrorKind::kNotFound), "not found");
}

}  // namespace
}  // namespace frazil

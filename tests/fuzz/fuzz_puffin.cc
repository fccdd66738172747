// SPDX-License-Identifier: Apache-2.0
//
// Puffin files and the deletion vectors in them: rows come sorted and apart, and as many as the bitmap is said to hold.
//
// Input: what it is (1 byte: 0 a file, 1 a deletion vector, 2 a bitmap), the bytes.
#include "src/iceberg/deletion_vector.h"
#include "src/iceberg/puffin.h"
#include "tests/fuzz/target.h"

namespace frazil::fuzz {
namespace {

constexpr int64_t kBlobBytesMax = 1 << 20;

void CheckRows(const RowRanges& rows) {
  int64_t end = -1;
  for (const RowRange& run : rows.runs()) {
    Require(run.begin > end && run.begin < run.end, "deleted rows are sorted, in runs that do not touch");
    end = run.end;
  }
}

void CheckFile(std::string_view bytes) {
  const auto size = static_cast<int64_t>(bytes.size());
  const auto footer_bytes = iceberg::PuffinFooterBytes(bytes, size);
  if (!footer_bytes.ok()) return;
  Require(*footer_bytes > 0 && *footer_bytes < size, "a footer lies within its file");
  const auto footer = iceberg::ParsePuffinFooter(bytes.substr(static_cast<size_t>(size - *footer_bytes)), size);
  if (!footer.ok()) return;
  for (const iceberg::PuffinBlob& blob : footer->blobs) {
    Require(blob.range.offset >= 4 && blob.range.end() <= size - *footer_bytes, "a blob lies in front of the footer");
    const auto stored = bytes.substr(static_cast<size_t>(blob.range.offset), static_cast<size_t>(blob.range.length));
    const auto content = iceberg::DecodePuffinBlob(blob, stored, kBlobBytesMax);
    if (!content.ok()) continue;
    Require((*content)->size() <= kBlobBytesMax, "a blob is no longer than is allowed");
    const auto rows = iceberg::DecodeDeletionVector(std::string_view(**content), std::nullopt);
    if (rows.ok()) CheckRows(*rows);
  }
}

void Check(std::string_view bytes) {
  Input input(bytes);
  const int kind = input.Byte();
  const std::string_view rest = input.Rest();
  if (kind == 0) return CheckFile(rest);
  const auto rows = kind == 1 ? iceberg::DecodeDeletionVector(rest, std::nullopt) : iceberg::DecodeRoaring64(rest);
  if (!rows.ok()) return;
  CheckRows(*rows);
  if (kind != 1) return;
  Require(iceberg::DecodeDeletionVector(rest, rows->count()).ok(), "a vector has as many rows as it has");
  Require(!iceberg::DecodeDeletionVector(rest, rows->count() + 1).ok(), "a vector has no other number of rows");
}

}  // namespace
}  // namespace frazil::fuzz

FRAZIL_FUZZ_TARGET(puffin, frazil::fuzz::Check)

// SPDX-License-Identifier: Apache-2.0
//
// RangeReader: one file of a scan, as the executor reads it. Fetches many ranges as few requests (Coalesce), traces
// each, remembers what it fetched, and hands out slices without copying.
//
//   ARROW_RETURN_NOT_OK(reader.Fetch({{4, 100}, {90'000, 5'000}}, "pages"));
//   ARROW_ASSIGN_OR_RAISE(auto page, reader.Get({4, 100}));
//
// Bytes that are held are never read again: of a wanted range that is partly held, only the rest is fetched.
// Thread safety: all calls may be made from several threads at once. Two Fetch calls at the same time know nothing of
// each other: what both want is read twice.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <arrow/buffer.h>
#include <arrow/result.h>

#include "frazil/byte_source.h"
#include "src/io/trace.h"

namespace frazil::io {

// A budget over a whole scan; shared by its files. Zero: no limit.
struct ReadBudget {
  int64_t bytes_max = 0;
  int64_t requests_max = 0;
};

class RangeReader {
 public:
  RangeReader(std::shared_ptr<ByteSource> source, std::shared_ptr<Trace> trace, ReadBudget budget = {});

  const std::string& name() const { return source_->name(); }
  CostModel cost_model() const { return source_->cost_model(); }
  bool size_is_known() const { return source_->size_is_known(); }
  arrow::Result<int64_t> Size() { return source_->Size(); }

  // The last `length` bytes (the whole file when shorter), kept for later Get calls; at most one request, traced as
  // `purpose`. Needs no size; afterwards it is known.
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadTail(int64_t length, const std::string& purpose = "footer");

  // The whole file, kept as well; needs no size. One round, or two where the size is not known and is above
  // kTailBytesMax.
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadWhole(const std::string& purpose);
  static constexpr int64_t kTailBytesMax = int64_t{64} << 20;

  // Bytes that were read before, by somebody else: held without a request. `rounds`: those that it took and that count
  // as this reader's own.
  void Hold(int64_t offset, const std::shared_ptr<arrow::Buffer>& buffer, int rounds = 0);

  // Makes every wanted range available to Get: those not held yet are fetched, in parallel where the cost model says
  // so, as one dependent round. `gap_bytes_max`: read through no larger gap; unset: as the cost model says.
  // Errors: budget, and the source's own with file and range.
  arrow::Status Fetch(const std::vector<ByteRange>& wanted, const std::string& purpose,
                      std::optional<int64_t> gap_bytes_max = std::nullopt);

  // A slice of fetched bytes; no copy, unless the range lies across two requests. Internal error when the range was
  // not fetched.
  arrow::Result<std::shared_ptr<arrow::Buffer>> Get(ByteRange range) const;
  bool Holds(ByteRange range) const;

  // Forgets fetched bytes inside `range`; slices handed out stay valid. Memory is given back by the request, once no
  // byte of it is held or handed out, so release whole column chunks or row groups (gaps read through count).
  void Release(ByteRange range);

  // Dependent rounds so far: one per ReadTail and per Fetch that had to read, and those that Hold was told of.
  int rounds() const;

 private:
  // The requests that make `wanted` held; empty when it is held already. `mutex_` is held.
  std::vector<ByteRange> PlanLocked(const std::vector<ByteRange>& wanted, int64_t gap_bytes_max) const;
  // The parts of `range` that are not held, ascending. `mutex_` is held.
  std::vector<ByteRange> MissingLocked(ByteRange range) const;
  // Holds the parts of `buffer` (the bytes of `range`) that are not held yet. `mutex_` is held.
  void KeepLocked(ByteRange range, const std::shared_ptr<arrow::Buffer>& buffer);
  // Refuses a round that would exceed the budget, before any of it is read.
  arrow::Status CheckBudget(const std::vector<ByteRange>& requests) const;
  arrow::Status ReadInto(std::vector<ByteRange> requests, const std::string& purpose, int round);

  std::shared_ptr<ByteSource> source_;
  std::shared_ptr<Trace> trace_;
  ReadBudget budget_;
  mutable std::mutex mutex_;
  std::map<int64_t, std::shared_ptr<arrow::Buffer>> held_;  // by offset; disjoint
  int rounds_ = 0;
};

}  // namespace frazil::io

// SPDX-License-Identifier: Apache-2.0
#include "src/scan/bloom_stage.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/io/coalesce.h"
#include "src/parquet/bloom_filter.h"
#include "src/prune/bloom.h"
#include "src/prune/row_group.h"
#include "src/prune/row_verdicts.h"
#include "src/scan/memory_plan.h"

namespace frazil::scan {
namespace {

using expr::Leaf;
using expr::Predicate;
using expr::Verdict;
using parquet::BloomFilterShape;

constexpr const char* kPurpose = "bloom filters";

// One leaf of the filter in one row group.
struct Question {
  const Leaf* leaf = nullptr;
  int column = 0;  // leaf ordinal
  std::vector<uint64_t> hashes;
  ByteRange header;                       // what is read of the filter first
  std::optional<BloomFilterShape> shape;  // of a filter whose length tells it
  std::optional<int32_t> length;          // as the footer has it
  bool open = true;                       // not asked yet

  // What is to be read of the filter, as far as it is known where that lies.
  void AppendWanted(std::vector<ByteRange>* wanted) const {
    wanted->push_back(header);
    if (!shape) return;
    const std::vector<ByteRange> blocks = parquet::BlockRanges(*shape, hashes);
    wanted->insert(wanted->end(), blocks.begin(), blocks.end());
  }
};

// A row group with what is to be asked of it.
struct Asked {
  RowGroupCandidate* candidate = nullptr;
  std::vector<Question> questions;

  Question* Find(const Leaf* leaf) {
    auto found = std::find_if(questions.begin(), questions.end(), [&](const auto& q) { return q.leaf == leaf; });
    return found == questions.end() ? nullptr : &*found;
  }
};

// The questions whose answers could rule the row group out.
std::vector<Question*> Needed(const Predicate& root, Asked* asked) {
  std::vector<const Leaf*> leaves;
  prune::CanBeNone(
      root,
      [asked](const Leaf& leaf) {
        const Question* question = asked->Find(&leaf);
        return asked->candidate->verdicts.at(&leaf) == Verdict::kNone || (question != nullptr && question->open);
      },
      &leaves);
  std::vector<Question*> needed;
  for (const Leaf* leaf : leaves) {
    Question* question = asked->Find(leaf);
    if (question != nullptr && question->open) needed.push_back(question);
  }
  return needed;
}

class Prober {
 public:
  explicit Prober(FileScan* scan) : scan_(*scan), root_(scan->binding.filter.root), cost_(scan->reader->cost_model()) {
    for (const Leaf* leaf : prune::LeavesOf(root_)) {
      const expr::BoundColumn& column = ColumnOf(*leaf);
      if (column.ref < 0 || column.ref == kPosRef || column.ref == kFileRef) continue;
      const ::parquet::ColumnDescriptor& descriptor = *scan_.footer().schema().Column(column.ref);
      if (descriptor.max_repetition_level() > 0) continue;
      auto question = prune::BloomQuestion::Make(*leaf, column.type, descriptor);
      if (question) leaves_.push_back({leaf, *question});
    }
  }

  arrow::Status Run() {
    if (leaves_.empty()) return arrow::Status::OK();
    // So many row groups at a time as may be held at once.
    size_t next = 0;
    while (next < scan_.candidates.size()) {
      std::vector<Asked> window;
      int64_t bytes = 0;
      int64_t end = 0;  // of what is wanted so far
      for (; next < scan_.candidates.size() && bytes < FetchBytesMax(scan_); ++next) {
        Asked asked{&scan_.candidates[next], {}};
        ARROW_RETURN_NOT_OK(FindQuestions(&asked));
        const std::vector<Question*> needed = Needed(root_, &asked);
        if (needed.empty()) continue;
        for (const Question* question : needed) {
          const int64_t gap = question->header.offset - end;
          bytes += WantedBytes(*question) + (gap > 0 && gap <= cost_.gap_bytes() ? gap : 0);
          end = question->shape ? question->shape->range().end() : question->header.end();
        }
        window.push_back(std::move(asked));
      }
      ARROW_RETURN_NOT_OK(Ask(&window));
      ReleaseReadThrough();
    }
    std::erase_if(scan_.candidates, [&](const RowGroupCandidate& candidate) {
      return expr::JudgePredicate(root_, [&](const Leaf& leaf) { return candidate.verdicts.at(&leaf); }) ==
             Verdict::kNone;
    });
    scan_.context->evidence->AddUnusable(Level::kBloom, unusable_);
    return arrow::Status::OK();
  }

 private:
  struct ProbedLeaf {
    const Leaf* leaf;
    prune::BloomQuestion question;
  };

  const expr::BoundColumn& ColumnOf(const Leaf& leaf) const {
    return scan_.binding.filter.columns[static_cast<size_t>(leaf.column)];
  }

  const ProbedLeaf* FindLeaf(const Leaf* leaf) const {
    auto found = std::find_if(leaves_.begin(), leaves_.end(), [leaf](const auto& other) { return other.leaf == leaf; });
    return found == leaves_.end() ? nullptr : &*found;
  }

  static int64_t WantedBytes(const Question& question) {
    std::vector<ByteRange> wanted;
    question.AppendWanted(&wanted);
    int64_t bytes = 0;
    for (const ByteRange& range : wanted) bytes += range.length;
    return bytes;
  }

  arrow::Status FindQuestions(Asked* asked) {
    const int row_group = asked->candidate->row_group;
    const LeafVerdicts& verdicts = asked->candidate->verdicts;
    std::vector<const Leaf*> wanted;
    prune::CanBeNone(
        root_,
        [&](const Leaf& leaf) {
          const Verdict verdict = verdicts.at(&leaf);
          return verdict == Verdict::kNone || (verdict == Verdict::kSome && FindLeaf(&leaf) != nullptr);
        },
        &wanted);
    for (const Leaf* leaf : wanted) {
      if (verdicts.at(leaf) == Verdict::kNone) continue;
      const ProbedLeaf& probed = *FindLeaf(leaf);
      const expr::BoundColumn& column = ColumnOf(*probed.leaf);
      auto chunk = scan_.footer().Chunk(row_group, column.ref);
      if (!chunk.ok()) return AddPlace(chunk.status(), {.file = scan_.reader->name(), .row_group = row_group});
      expr::ColumnBounds bounds;
      std::string reason;  // counted before
      if (scan_.context->enabled(Level::kRowGroup)) {
        bounds = prune::LeafBounds(scan_.footer(), row_group, *chunk, &reason);
      }
      auto hashes = probed.question.HashesWithin(bounds);
      if (!hashes) continue;
      if (hashes->empty()) {  // the bounds leave no value that the column could hold
        asked->candidate->verdicts[leaf] = Verdict::kNone;
        continue;
      }
      Question question{probed.leaf, column.ref, *std::move(hashes), {}, std::nullopt, chunk->bloom_filter_length};
      if (!Locate(*chunk, column.path, &question)) continue;
      asked->questions.push_back(std::move(question));
    }
    return arrow::Status::OK();
  }

  // Finds the filter of a chunk; false when there is none, or none that is worth its bytes.
  bool Locate(const parquet::ColumnChunk& chunk, const std::string& path, Question* question) {
    if (!chunk.bloom_filter_offset) return false;
    if (chunk.encrypted) {
      unusable_.Add(path, "the bloom filter is encrypted");
      return false;
    }
    const int64_t offset = *chunk.bloom_filter_offset;
    const int64_t end = scan_.footer().footer_offset();
    if (chunk.bloom_filter_length) question->shape = parquet::ShapeOfLength(offset, *chunk.bloom_filter_length);
    question->header = {offset, std::min(parquet::kBloomHeaderBytesMax, end - offset)};
    if (question->shape) question->header = question->shape->header();
    if (offset >= end || (question->shape && question->shape->range().end() > end)) {
      unusable_.Add(path, "the bloom filter lies outside the file");
      return false;
    }
    if (WantedBytes(*question) > chunk.total_compressed_size && !scan_.reader->Holds(question->header)) {
      unusable_.Add(path, "the bloom filter costs more than the column chunk");
      return false;
    }
    return true;
  }

  arrow::Status Ask(std::vector<Asked>* window) {
    while (true) {
      std::map<int, std::vector<std::pair<Asked*, Question*>>> by_column;
      int64_t bytes = 0;
      for (Asked& asked : *window) {
        for (Question* question : Needed(root_, &asked)) {
          by_column[question->column].emplace_back(&asked, question);
          bytes += WantedBytes(*question);
        }
      }
      if (by_column.empty()) return arrow::Status::OK();
      // Another column's answers may make its filters needless; but a round trip costs, too.
      const bool together = bytes <= cost_.gap_bytes();
      std::vector<std::pair<Asked*, Question*>> now;
      for (auto& [column, questions] : by_column) {
        now.insert(now.end(), questions.begin(), questions.end());
        if (!together) break;
      }
      ARROW_RETURN_NOT_OK(Answer(now));
    }
  }

  arrow::Status Answer(const std::vector<std::pair<Asked*, Question*>>& questions) {
    std::vector<ByteRange> wanted;
    for (const auto& [asked, question] : questions) question->AppendWanted(&wanted);
    ARROW_RETURN_NOT_OK(Fetch(wanted));
    wanted.clear();
    std::vector<std::pair<Asked*, Question*>> sound;
    for (const auto& [asked, question] : questions) {
      question->open = false;
      if (!ReadHeader(question)) continue;
      question->AppendWanted(&wanted);
      sound.emplace_back(asked, question);
    }
    // Those that were fetched with their headers are held.
    ARROW_RETURN_NOT_OK(Fetch(wanted));
    for (const auto& [asked, question] : sound) {
      ARROW_ASSIGN_OR_RAISE(const bool may_contain, MayContain(*question));
      if (!may_contain) asked->candidate->verdicts[question->leaf] = Verdict::kNone;
    }
    for (const auto& [asked, question] : questions) {
      const ByteRange range = question->shape ? question->shape->range() : question->header;
      if (range.end() <= scan_.file.tail_offset) scan_.reader->Release(range);
    }
    return arrow::Status::OK();
  }

  // By the cheaper of two ways: reading through what costs less than a request, or only what is wanted, in parallel.
  arrow::Status Fetch(const std::vector<ByteRange>& wanted) {
    for (const ByteRange& range : wanted) {
      if (fetched_.length == 0) fetched_ = range;
      const int64_t end = std::min(std::max(fetched_.end(), range.end()), scan_.file.tail_offset);
      fetched_.offset = std::min(fetched_.offset, range.offset);
      fetched_.length = std::max<int64_t>(0, end - fetched_.offset);
    }
    const int64_t through = io::EstimatedTimeNs(io::Coalesce(wanted, cost_), cost_);
    const int64_t apart = io::EstimatedTimeNs(io::Coalesce(wanted, 0, cost_.request_bytes_max), cost_);
    return scan_.reader->Fetch(wanted, kPurpose, apart < through ? std::optional<int64_t>(0) : std::nullopt);
  }

  // What was read through between filters may be of use later, unless it is much.
  void ReleaseReadThrough() {
    if (fetched_.length > FetchBytesMax(scan_)) scan_.reader->Release(fetched_);
    fetched_ = {};
  }

  // False when the filter can not be used.
  bool ReadHeader(Question* question) {
    const std::string& path = scan_.footer().leaf_path(question->column);
    const auto bytes = scan_.reader->Get(question->header);
    if (!bytes.ok()) return false;
    const auto shape = parquet::ParseBloomFilterHeader(std::string_view(**bytes), question->header.offset);
    if (!shape.ok()) {
      unusable_.Add(path, shape.status().message());
      return false;
    }
    if (question->length && *question->length != shape->range().length) {
      unusable_.Add(path, "the header of the bloom filter contradicts its length");
      return false;
    }
    if (shape->range().end() > scan_.footer().footer_offset()) {
      unusable_.Add(path, "the bloom filter lies outside the file");
      return false;
    }
    question->shape = *shape;
    question->header = shape->header();
    return true;
  }

  arrow::Result<bool> MayContain(const Question& question) const {
    for (const uint64_t hash : question.hashes) {
      ARROW_ASSIGN_OR_RAISE(const auto block,
                            scan_.reader->Get(question.shape->block_range(question.shape->block(hash))));
      if (parquet::BlockMayContain(std::string_view(*block), hash)) return true;
    }
    return false;
  }

  FileScan& scan_;
  const Predicate& root_;
  const CostModel cost_;
  std::vector<ProbedLeaf> leaves_;
  prune::Unusable unusable_;
  ByteRange fetched_;  // around all that was fetched, the tail of the file apart
};

}  // namespace

arrow::Status ProbeBloomFilters(FileScan* scan) {
  const auto total = static_cast<int64_t>(scan->candidates.size());
  if (scan->context->enabled(Level::kBloom)) ARROW_RETURN_NOT_OK(Prober(scan).Run());
  scan->context->evidence->Count(Level::kBloom, total, static_cast<int64_t>(scan->candidates.size()));
  return arrow::Status::OK();
}

}  // namespace frazil::scan

// SPDX-License-Identifier: Apache-2.0
//
// What is left to ask of the rows of one data file, given its partition tuple: conditions that the tuple proves become
// true, those that it refutes false. Sharper than inclusive and strict projection apart: all fields of a column are
// taken together, so that of a date range over month(d) and bucket(d) the dates in January 2020 match a tuple only if
// one of those in 2020 falls into bucket 3. Needs no data. Source: Iceberg table specification, "Scan Planning"
// (residual evaluation).
//
//   TupleFilter of_spec(spec, schema, filter);          // once: projects every condition to every field
//   auto residual = of_spec.Residual(tuple);            // for each file: looks the tuple's values up
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "src/expr/bounds.h"
#include "src/expr/predicate.h"
#include "src/iceberg/partition_spec.h"
#include "src/iceberg/schema.h"

namespace frazil::iceberg {

// The values of a tuple in the order of the spec's fields, as keys of the result types of today's columns; unset is
// null. Values of fields whose result type is not known are not looked at.
using PartitionTuple = std::vector<std::optional<expr::Key>>;

// A filter in the terms of one partition spec. Thread safety: all calls may be made from several threads at once.
class TupleFilter {
 public:
  // `filter` is bound to `schema` (BoundColumn::ref is the field id); neither is needed afterwards.
  // Cost: O(leaves * fields + values that have to be enumerated for buckets); Residual then costs O(leaves * fields *
  // log(values of a leaf)), and the values of a leaf that the tuple leaves possible where a column has several fields.
  TupleFilter(const PartitionSpec& spec, const Schema& schema, const expr::BoundFilter& filter);

  // False when no row of the tuple can match, true when all must; else the conditions that are still to be tested, over
  // the columns of `filter`. Never null; tuples that decide the same share one predicate. A tuple shorter than the spec
  // decides nothing by the fields it lacks.
  std::shared_ptr<const expr::Predicate> Residual(const PartitionTuple& tuple) const;

 private:
  // What one field of the spec says of a leaf: the partition values that rows which match can have, and those of rows
  // which do not.
  struct FieldImages {
    size_t field = 0;
    Transform transform;
    expr::KeySet of_matches;
    expr::KeySet of_others;
  };
  struct LeafImages {
    expr::Leaf leaf;
    expr::KeySet others;  // the keys that do not match
    Type source;
    std::vector<FieldImages> fields;
  };
  using Verdicts = std::vector<expr::Verdict>;  // of the leaves, in the order of the tree

  void AddLeaves(const PartitionSpec& spec, const Schema& schema, const expr::BoundFilter& filter,
                 const expr::Predicate& predicate);
  static expr::Verdict Judge(const LeafImages& images, const PartitionTuple& tuple);
  static expr::Verdict JudgeTogether(const LeafImages& images, const PartitionTuple& tuple);
  static expr::Predicate Apply(const expr::Predicate& predicate, const Verdicts& verdicts, size_t* next);

  std::shared_ptr<const expr::Predicate> root_;
  std::vector<LeafImages> leaves_;
  // The residuals made so far. There are few: as many as ways in which the leaves were decided.
  static constexpr size_t kResidualsMax = 1024;
  mutable std::mutex mutex_;
  mutable std::map<Verdicts, std::shared_ptr<const expr::Predicate>> residuals_;
};

}  // namespace frazil::iceberg

// SPDX-License-Identifier: Apache-2.0
#include "src/iceberg/partition_residual.h"

#include <gtest/gtest.h>

#include "src/expr/bind.h"
#include "src/expr/parse.h"
#include "src/iceberg/project.h"

namespace frazil::iceberg {
namespace {

using expr::Int128;
using expr::Key;

Schema TestSchema() {
  return ParseSchema(R"({"type": "struct", "fields": [
     {"id": 1, "name": "id", "required": false, "type": "long"},
     {"id": 2, "name": "d", "required": false, "type": "date"},
     {"id": 3, "name": "name", "required": false, "type": "string"}]})")
      .ValueOrDie();
}

PartitionSpec SpecOf(const std::vector<std::pair<int, const char*>>& fields) {
  PartitionSpec spec;
  for (const auto& [source, transform] : fields) {
    spec.fields.push_back({{source}, 1000, transform, ParseTransform(transform)});
  }
  return spec;
}

expr::BoundFilter Bound(const std::string& filter) {
  return expr::Bind(expr::ParseFilter(filter).ValueOrDie(), TestSchema().FilterTree(), filter).ValueOrDie();
}

std::string Residual(const PartitionSpec& spec, const std::string& filter, const PartitionTuple& tuple) {
  return TupleFilter(spec, TestSchema(), Bound(filter)).Residual(tuple)->ToString();
}

Key Number(int64_t value) { return Key(Int128{value}); }

TEST(PartitionResidual, WhatTheTupleDecidesIsGone) {
  const PartitionSpec spec = SpecOf({{2, "month"}, {3, "truncate[2]"}});
  const PartitionTuple january = {Number(0), Key(std::string("ab"))};
  EXPECT_EQ(Residual(spec, "d >= DATE '1970-03-01' AND id = 1", january), "FALSE");
  EXPECT_EQ(Residual(spec, "d >= DATE '1970-01-15' AND id = 1", january), "d >= DATE '1970-01-15' AND id = 1");
  EXPECT_EQ(Residual(spec, "d < DATE '1970-02-01' AND id = 1", january), "id = 1");
  EXPECT_EQ(Residual(spec, "d IS NOT NULL AND name LIKE 'a%'", january), "TRUE");
  EXPECT_EQ(Residual(spec, "name LIKE 'abc%' OR d IS NULL", january), "name LIKE 'abc%'");
  EXPECT_EQ(Residual(spec, "name LIKE 'b%' OR id = 2", january), "id = 2");
  EXPECT_EQ(Residual(spec, "name LIKE 'a%z'", january), "name LIKE 'a%z'");
  // Of an early writer, the first month holds the last days of the one before.
  EXPECT_EQ(Residual(spec, "d >= DATE '1970-01-01' AND id = 1", january), "d >= DATE '1970-01-01' AND id = 1");
}

TEST(PartitionResidual, Nulls) {
  const PartitionSpec spec = SpecOf({{1, "bucket[4]"}, {3, "void"}});
  EXPECT_EQ(Residual(spec, "id = 1", {std::nullopt, std::nullopt}), "FALSE");
  EXPECT_EQ(Residual(spec, "id IS NULL", {std::nullopt, std::nullopt}), "TRUE");
  EXPECT_EQ(Residual(spec, "id IS NULL", {Number(0), std::nullopt}), "FALSE");
  EXPECT_EQ(Residual(spec, "name = 'x'", {Number(0), std::nullopt}), "name = 'x'");
  EXPECT_EQ(Residual(spec, "id = 1", {}), "id = 1");
}

TEST(PartitionResidual, FieldsOfOneColumnAreJudgedTogether) {
  const PartitionSpec spec = SpecOf({{1, "truncate[10]"}, {1, "bucket[16]"}});
  const auto bucket = [&](int64_t id) {
    return *ApplyTransform(spec.fields[1].transform, Primitive(TypeId::kLong), Number(id));
  };
  ASSERT_NE(bucket(5), bucket(25));
  EXPECT_EQ(Residual(spec, "id IN (5, 25)", {Number(0), bucket(5)}), "id IN (5, 25)");
  // Each field alone would keep it: 5 lies in 0..9, 25 in this bucket.
  EXPECT_EQ(Residual(spec, "id IN (5, 25)", {Number(0), bucket(25)}), "FALSE");
}

// Exhaustively: whatever the tuple, the residual keeps the rows that the filter keeps.
TEST(PartitionResidual, KeepsTheAnswer) {
  const std::vector<PartitionSpec> specs = {SpecOf({{1, "truncate[10]"}, {1, "bucket[3]"}}), SpecOf({{1, "identity"}}),
                                            SpecOf({{1, "bucket[2]"}, {1, "void"}, {1, "nonsense"}}),
                                            SpecOf({{1, "truncate[3]"}, {1, "truncate[7]"}})};
  const std::vector<const char*> filters = {"id = 4",
                                            "id <> 4",
                                            "id < 3",
                                            "id >= -2",
                                            "id IN (1, 9, 17, 23)",
                                            "id NOT IN (1, 9)",
                                            "id IS NULL",
                                            "id IS NOT NULL",
                                            "id BETWEEN -5 AND 5 OR id IS NULL",
                                            "NOT id BETWEEN 3 AND 12"};
  int decided = 0;
  for (const PartitionSpec& spec : specs) {
    for (const char* filter : filters) {
      const expr::BoundFilter bound = Bound(filter);
      const TupleFilter of_spec(spec, TestSchema(), bound);
      for (int64_t id = -30; id <= 31; ++id) {
        const bool is_null = id == 31;
        PartitionTuple tuple;
        for (const PartitionField& field : spec.fields) {
          tuple.push_back(is_null ? std::nullopt
                                  : ApplyTransform(field.transform, Primitive(TypeId::kLong), Number(id)));
        }
        const expr::Predicate residual = *of_spec.Residual(tuple);
        const auto matches = [&](const expr::Predicate& predicate) {
          if (predicate.kind != expr::Predicate::Kind::kLeaf) return predicate.is_true();
          return is_null ? predicate.leaf.matches_null
                         : std::get<expr::IntervalSet<Int128>>(predicate.leaf.keys).Contains(id);
        };
        EXPECT_EQ(matches(residual), matches(bound.root)) << filter << " " << id << ": " << residual.ToString();
        decided += residual.kind == expr::Predicate::Kind::kLeaf ? 0 : 1;
      }
    }
  }
  EXPECT_GT(decided, 1000);
}

}  // namespace
}  // namespace frazil::iceberg

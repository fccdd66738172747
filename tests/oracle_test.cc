// SPDX-License-Identifier: Apache-2.0
//
// The oracle: the same query with every level on, each level off, each alone, and none gives the same rows, in the same
// order, at the same positions; and a limit gives their beginning. Over random files that no sound writer would make by
// chance: unaligned pages, both page versions, truncated bounds, missing and partial indexes, nested columns.
#include <random>
#include <string>
#include <vector>

#include <arrow/api.h>
#include <gtest/gtest.h>

#include "frazil/byte_source.h"
#include "frazil/table.h"
#include "src/expr/expression.h"
#include "tests/filegen/random_file.h"

namespace frazil {
namespace {

using TablePtr = std::shared_ptr<arrow::Table>;

arrow::Result<TablePtr> Run(const Table& table, const std::string& filter, const std::vector<Level>& disabled,
                            int64_t limit = -1, const ScanOptions& tuning = {}) {
  Scan scan = table.NewScan();
  scan.options() = tuning;
  std::vector<std::string> columns{"_pos"};
  for (const auto& field : table.schema()->fields()) {
    columns.push_back(expr::ColumnPath{{field->name()}, 0}.ToString());
  }
  scan.Filter(filter).Select(columns).Limit(limit);
  scan.options().disabled_levels = disabled;
  scan.options().batch_rows = 37;  // batch borders fall inside pages
  ARROW_ASSIGN_OR_RAISE(auto reader, scan.ToReader());
  return reader->ToTable();
}

bool SameRows(const arrow::Table& a, const arrow::Table& b) {
  return a.Equals(b, arrow::EqualOptions::Defaults().nans_equal(true).signed_zeros_equal(false));
}

// A literal equal to the value, for the types whose text the filter language takes as it is; empty for others.
std::string LiteralOf(const arrow::Scalar& value) {
  if (!value.is_valid) return "";
  switch (value.type->id()) {
    case arrow::Type::INT8:
    case arrow::Type::INT16:
    case arrow::Type::INT32:
    case arrow::Type::INT64:
    case arrow::Type::UINT8:
    case arrow::Type::UINT16:
    case arrow::Type::UINT32:
    case arrow::Type::UINT64:
    case arrow::Type::DECIMAL128:
      return value.ToString();
    case arrow::Type::DATE32:
      return "DATE '" + value.ToString() + "'";
    case arrow::Type::BOOL:
      return value.ToString();
    case arrow::Type::STRING: {
      std::string text = "'";
      for (char c : static_cast<const arrow::BaseBinaryScalar&>(value).view()) {
        text += c;
        if (c == '\'') text += c;
      }
      return text + "'";
    }
    default:
      return "";
  }
}

class Filters {
 public:
  Filters(const arrow::Table& rows, std::mt19937_64* random) : rows_(rows), random_(*random) {}

  std::string Any() {
    const std::string one = One();
    switch (Below(5)) {
      case 0:
        return one + " AND " + One();
      case 1:
        return one + " OR " + One();
      case 2:
        return "NOT (" + one + ")";
      default:
        return one;
    }
  }

 private:
  uint64_t Below(uint64_t end) { return random_() % end; }

  std::string One() {
    if (Below(6) == 0) {
      const uint64_t first = Below(400);
      return "_pos BETWEEN " + std::to_string(first) + " AND " + std::to_string(first + Below(30));
    }
    // Column 0 is _pos.
    const int column = static_cast<int>(1 + Below(static_cast<uint64_t>(rows_.num_columns() - 1)));
    const std::string path = expr::ColumnPath{{rows_.field(column)->name()}, 0}.ToString();
    std::string literal;
    if (rows_.num_rows() > 0) {
      const auto row = static_cast<int64_t>(Below(static_cast<uint64_t>(rows_.num_rows())));
      literal = LiteralOf(**rows_.column(column)->GetScalar(row));
    }
    if (literal.empty()) return path + (Below(2) == 0 ? " IS NULL" : " IS NOT NULL");
    const char* operators[] = {"=", "<>", "<", "<=", ">", ">="};
    return path + " " + operators[Below(6)] + " " + literal;
  }

  const arrow::Table& rows_;
  std::mt19937_64& random_;
};

void CheckFile(uint64_t seed) {
  auto file = filegen::MakeRandomFile(seed);
  ASSERT_TRUE(file.ok()) << file.status();
  auto table = Table::OpenSources({FromBuffer(file->bytes, "random.parquet")});
  ASSERT_TRUE(table.ok()) << table.status();
  auto all = Run(**table, "", {});
  ASSERT_TRUE(all.ok()) << all.status();
  ASSERT_EQ((*all)->num_rows(), static_cast<int64_t>(file->rows.size()));
  std::mt19937_64 random(seed);
  Filters filters(**all, &random);
  for (int i = 0; i < 4; ++i) {
    const std::string filter = filters.Any();
    SCOPED_TRACE(filter);
    auto full = Run(**table, filter, AllLevels());
    if (!full.ok()) {
      // A column that can not be filtered is refused alike, whatever is switched on.
      EXPECT_FALSE(Run(**table, filter, {}).ok()) << full.status();
      continue;
    }
    std::vector<std::vector<Level>> settings{{}};
    for (Level level : FileLevels()) {
      settings.push_back({level});
      settings.push_back(AllLevels());  // the level alone
      std::erase(settings.back(), level);
    }
    for (const auto& disabled : settings) {
      auto pruned = Run(**table, filter, disabled);
      ASSERT_TRUE(pruned.ok()) << pruned.status();
      ASSERT_TRUE(SameRows(**pruned, **full)) << (*pruned)->num_rows() << " rows, full " << (*full)->num_rows();
    }
    // How the work is cut and shared out among threads changes cost only.
    ScanOptions tuning;
    tuning.unit_bytes = 1 << random() % 12;
    tuning.memory_bytes = 1 << (3 + random() % 16);
    tuning.threads = static_cast<int>(2 + random() % 30);
    auto shared = Run(**table, filter, {}, -1, tuning);
    ASSERT_TRUE(shared.ok()) << shared.status();
    ASSERT_TRUE(SameRows(**shared, **full)) << "units of " << tuning.unit_bytes << " bytes, " << tuning.memory_bytes
                                            << " bytes of memory, " << tuning.threads << " threads";
    auto count = (*table)->NewScan().Filter(filter).Count();
    ASSERT_TRUE(count.ok()) << count.status();
    EXPECT_EQ(*count, (*full)->num_rows());
    const int64_t limit = (*full)->num_rows() / 2;
    auto first = Run(**table, filter, {}, limit);
    ASSERT_TRUE(first.ok()) << first.status();
    EXPECT_TRUE(SameRows(**first, *(*full)->Slice(0, limit)));
  }
}

TEST(Oracle, EveryLevelGivesTheSameRows) {
  const uint64_t seed = std::random_device()();
  constexpr uint64_t kFiles = 60;
  for (uint64_t i = 0; i < kFiles; ++i) {
    SCOPED_TRACE(testing::Message() << "seed " << seed + i);
    CheckFile(seed + i);
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace frazil

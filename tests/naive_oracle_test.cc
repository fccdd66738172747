// SPDX-License-Identifier: Apache-2.0
//
// Filters against an evaluator that looks at one row at a time, over files whose rows the generator knows: also such
// that Arrow's own reader fails on (empty pages in front and inside rows). Every set of levels, limits, counts and
// projections.
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include <arrow/api.h>
#include <gtest/gtest.h>

#include "frazil/byte_source.h"
#include "frazil/table.h"
#include "src/expr/expression.h"
#include "tests/filegen/model_to_arrow.h"
#include "tests/filegen/random_file.h"
#include "tests/naive_filter.h"

namespace frazil {
namespace {

using TablePtr = std::shared_ptr<arrow::Table>;
using Random = std::mt19937_64;

arrow::Result<TablePtr> Run(const Table& table, const std::string& filter, const std::vector<std::string>& columns,
                            const std::vector<Level>& disabled = {}, int64_t limit = -1) {
  Scan scan = table.NewScan();
  scan.Filter(filter).Select(columns).Limit(limit);
  scan.options().disabled_levels = disabled;
  scan.options().batch_rows = 41;
  scan.options().verify_checksums = true;
  ARROW_ASSIGN_OR_RAISE(auto reader, scan.ToReader());
  return reader->ToTable();
}

bool SameRows(const arrow::Table& a, const arrow::Table& b) {
  return a.Equals(b, arrow::EqualOptions::Defaults().nans_equal(true).signed_zeros_equal(false));
}

// Draws filters whose literals lie at and beside values of the table. Column 0 of it is _pos.
class Filters {
 public:
  Filters(const arrow::Table& rows, Random* random) : rows_(rows), random_(*random) {}

  NaiveFilter Any(int depth) {
    if (depth == 0 || Below(3) == 0) return One();
    NaiveFilter filter;
    if (Below(4) == 0) {
      filter.kind = NaiveFilter::Kind::kNot;
      filter.children = {Any(depth - 1)};
      filter.text = "NOT (" + filter.children[0].text + ")";
      return filter;
    }
    const bool is_and = Below(2) == 0;
    filter.kind = is_and ? NaiveFilter::Kind::kAnd : NaiveFilter::Kind::kOr;
    filter.children = {Any(depth - 1), Any(depth - 1)};
    filter.text = "(" + filter.children[0].text + (is_and ? ") AND (" : ") OR (") + filter.children[1].text + ")";
    return filter;
  }

 private:
  uint64_t Below(uint64_t end) { return random_() % end; }

  NaiveFilter One() {
    NaiveFilter filter;
    filter.column = static_cast<int>(Below(static_cast<uint64_t>(rows_.num_columns())));
    const std::string path = expr::ColumnPath{{rows_.field(filter.column)->name()}, 0}.ToString();
    const auto literal = Draw(filter.column);
    if (!literal || Below(8) == 0) {
      filter.kind = NaiveFilter::Kind::kIsNull;
      filter.text = path + " IS NULL";
      return filter;
    }
    filter.literals = {literal->first};
    if (Below(4) == 0) {
      filter.kind = NaiveFilter::Kind::kIn;
      std::string list = literal->second;
      for (uint64_t i = Below(4); i > 0; --i) {
        const auto more = Draw(filter.column);
        if (!more) continue;
        filter.literals.push_back(more->first);
        list += ", " + more->second;
      }
      filter.text = path + " IN (" + list + ")";
      return filter;
    }
    const char* operators[] = {" = ", " <> ", " < ", " <= ", " > ", " >= "};
    const uint64_t op = Below(6);
    filter.kind = NaiveFilter::Kind::kCompare;
    filter.op = static_cast<NaiveFilter::Op>(op);
    filter.text = path + operators[op] + literal->second;
    return filter;
  }

  static std::string Digits(NaiveValue::Whole value) {
    if (value < 0) return "-" + Digits(-value);
    std::string text(1, static_cast<char>('0' + static_cast<int>(value % 10)));
    return value < 10 ? text : Digits(value / 10) + text;
  }

  // A value near one of the column, and how the filter language writes it; unset where it can not.
  std::optional<std::pair<NaiveValue, std::string>> Draw(int column) {
    if (rows_.num_rows() == 0) return std::nullopt;
    const auto row = static_cast<int64_t>(Below(static_cast<uint64_t>(rows_.num_rows())));
    bool comparable = false;
    auto value = NaiveValueAt(*rows_.column(column), row, &comparable);
    if (!value) return std::nullopt;
    const auto scalar = rows_.column(column)->GetScalar(row).ValueOrDie();
    switch (value->kind) {
      case NaiveValue::Kind::kFloating: {
        if (std::isnan(value->floating)) return std::pair(*value, std::string("'NaN'"));
        if (std::isinf(value->floating)) {
          return std::pair(*value, std::string(value->floating > 0 ? "'Infinity'" : "'-Infinity'"));
        }
        char text[40];
        std::snprintf(text, sizeof(text), "%.17g", value->floating);
        return std::pair(*value, std::string(text));
      }
      case NaiveValue::Kind::kText: {
        if (Below(4) == 0) value->text += 'a';
        if (Below(4) == 0 && !value->text.empty() && static_cast<uint8_t>(value->text.back()) < 0x80) {
          value->text.pop_back();
        }
        std::string text = "'";
        for (const char c : value->text) text += c == '\'' ? "''" : std::string(1, c);
        return std::pair(*value, text + "'");
      }
      case NaiveValue::Kind::kWhole:
        break;
    }
    switch (scalar->type->id()) {
      case arrow::Type::BOOL:
      case arrow::Type::DECIMAL128:
        return std::pair(*value, scalar->ToString());
      case arrow::Type::DATE32: {
        const std::string text = scalar->ToString();
        if (text.size() != 10) return std::nullopt;  // years of more digits are not written so
        return std::pair(*value, "DATE '" + text + "'");
      }
      default:
        // Beside the value, and so at times out of the column's range.
        value->whole += static_cast<int>(Below(5)) - 2;
        return std::pair(*value, Digits(value->whole));
    }
  }

  const arrow::Table& rows_;
  Random& random_;
};

// `all` holds the rows that the generator made.
void ExpectModel(const filegen::RandomFile& file, const arrow::Table& all) {
  const auto schema = filegen::ArrowSchemaOf(file.spec).ValueOrDie();
  const auto model = filegen::ModelToArrow(schema, file.rows).ValueOrDie();
  ASSERT_EQ(all.num_rows(), model->num_rows());
  for (int64_t row = 0; row < all.num_rows(); ++row) {
    ASSERT_EQ(static_cast<const arrow::Int64Scalar&>(*all.column(0)->GetScalar(row).ValueOrDie()).value, row);
  }
  for (int column = 0; column < schema->num_fields(); ++column) {
    // Extension types are not in the model.
    const auto& read = all.column(column + 1);
    if (!read->type()->Equals(*model->column(column)->type())) continue;
    ASSERT_TRUE(
        read->Equals(arrow::ChunkedArray(model->column(column)), arrow::EqualOptions::Defaults().nans_equal(true)))
        << schema->field(column)->ToString();
  }
}

void CheckFile(uint64_t seed) {
  filegen::RandomFileOptions options;
  options.hard_empty_pages = true;
  options.row_count_max = 200;
  const auto file = filegen::MakeRandomFile(seed, options).ValueOrDie();
  auto table = Table::OpenSources({FromBuffer(file.bytes, "random.parquet")});
  ASSERT_TRUE(table.ok()) << table.status();
  std::vector<std::string> columns{"_pos"};
  for (const auto& field : (*table)->schema()->fields()) {
    columns.push_back(expr::ColumnPath{{field->name()}, 0}.ToString());
  }
  const auto all = Run(**table, "", columns);
  ASSERT_TRUE(all.ok()) << all.status() << "\n" << file.Describe();
  ExpectModel(file, **all);
  if (testing::Test::HasFatalFailure()) return;
  Random random(seed);
  Filters filters(**all, &random);
  for (int turn = 0; turn < 4; ++turn) {
    const NaiveFilter filter = filters.Any(2);
    SCOPED_TRACE(filter.text);
    arrow::Int64Builder builder;
    for (int64_t row = 0; row < (*all)->num_rows(); ++row) {
      if (filter.At(**all, row) != true) continue;
      ASSERT_TRUE(builder.Append(row).ok());
    }
    const auto positions = std::make_shared<arrow::ChunkedArray>(builder.Finish().ValueOrDie());
    const auto full = Run(**table, filter.text, columns, AllLevels());
    if (!full.ok()) {
      // A bare repeated field can not be tested for null.
      ASSERT_EQ(KindOf(full.status()), ErrorKind::kUnsupported) << full.status();
      continue;
    }
    ASSERT_TRUE((*full)->column(0)->Equals(positions))
        << (*full)->num_rows() << " rows, should be " << positions->length() << "\n"
        << file.Describe();
    const size_t level_count = FileLevels().size();
    for (size_t set = 0; set + 1 < size_t{1} << level_count; ++set) {
      std::vector<Level> disabled;
      for (size_t level = 0; level < level_count; ++level) {
        if ((set >> level & 1) != 0) disabled.push_back(FileLevels()[level]);
      }
      const auto pruned = Run(**table, filter.text, columns, disabled);
      ASSERT_TRUE(pruned.ok()) << pruned.status();
      ASSERT_TRUE(SameRows(**pruned, **full)) << "levels off: " << set << "\n" << file.Describe();
    }
    // Some of the columns, in some order, with a limit; the filter's own need not be among them.
    std::vector<std::string> some;
    std::vector<int> ordinals;
    for (int i = static_cast<int>(1 + random() % 3); i > 0; --i) {
      ordinals.push_back(static_cast<int>(random() % columns.size()));
      some.push_back(columns[static_cast<size_t>(ordinals.back())]);
    }
    const auto limit = static_cast<int64_t>(random() % static_cast<uint64_t>((*full)->num_rows() + 2));
    const auto part = Run(**table, filter.text, some, {}, limit);
    ASSERT_TRUE(part.ok()) << part.status();
    const auto expected = (*full)->SelectColumns(ordinals).ValueOrDie()->Slice(0, limit);
    // The same struct named twice is one column.
    if ((*part)->num_columns() == expected->num_columns()) {
      ASSERT_TRUE(SameRows(**part, *expected)) << "limit " << limit << "\n" << file.Describe();
    }
    for (const auto& disabled : {std::vector<Level>(), AllLevels()}) {
      Scan scan = (*table)->NewScan();
      scan.Filter(filter.text);
      scan.options().disabled_levels = disabled;
      EXPECT_EQ(scan.Count().ValueOrDie(), positions->length());
      EXPECT_EQ(scan.Limit(limit).Count().ValueOrDie(), std::min(limit, positions->length()));
    }
  }
}

TEST(NaiveOracle, FiltersMeanWhatTheyMeanRowByRow) {
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

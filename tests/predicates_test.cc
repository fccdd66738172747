// SPDX-License-Identifier: Apache-2.0
//
// Predicates over files of many writers, with answers from an engine that loaded the whole file first: the rows and
// their positions are right with every level on, with none, and with each level alone.
#include <set>
#include <string>
#include <vector>

#include <arrow/api.h>
#include <gtest/gtest.h>

#include "src/expr/expression.h"
#include "tests/outside_files.h"

namespace frazil {
namespace {

bool StartsWith(const std::string& text, const std::string& prefix) { return text.rfind(prefix, 0) == 0; }

std::string LiteralOf(const std::string& engine_type, std::string text) {
  text.erase(0, text.find_first_not_of(' '));
  text.erase(text.find_last_not_of(' ') + 1);
  for (const char* quoted : {"VARCHAR", "BLOB", "UUID"}) {
    if (StartsWith(engine_type, quoted)) return QuotedText(text);
  }
  if (StartsWith(engine_type, "TIMESTAMP")) return "TIMESTAMP " + QuotedText(text);
  if (engine_type == "DATE") return "DATE " + QuotedText(text);
  return text;
}

std::string FilterOf(const TsvLine& line) {
  const std::string column = QuotedPath(line.at("column"));
  const std::string& type = line.at("engine_type");
  const std::string& op = line.at("operator");
  const std::string& literals = line.at("literal(s)");
  if (op == "IS NULL") return column + " IS NULL";
  if (op == "STARTS WITH") return column + " STARTS WITH " + QuotedText(literals);
  if (op == "IN") {
    std::string list;
    const std::string separator = " , ";
    for (size_t begin = 0;;) {
      const size_t end = literals.find(separator, begin);
      list += (list.empty() ? "" : ", ") + LiteralOf(type, literals.substr(begin, end - begin));
      if (end == std::string::npos) break;
      begin = end + separator.size();
    }
    return column + " IN (" + list + ")";
  }
  // "= (absent, inside min..max)" says something about the literal.
  return column + " " + (StartsWith(op, "=") ? "=" : op) + " " + LiteralOf(type, literals);
}

Positions AnswerOf(const TsvLine& line) {
  const auto number = [&](const char* name, int64_t otherwise) {
    const std::string& text = line.at(name);
    return text.empty() ? otherwise : std::stoll(text);
  };
  return {number("rows", -1), number("sum_row_index", 0), number("min_row_index", -1), number("max_row_index", -1)};
}

class Predicates : public OutsideFiles, public testing::WithParamInterface<LevelSetting> {
 protected:
  Predicates() : OutsideFiles("corpus") {}
};

TEST_P(Predicates, GiveTheRightRows) {
  int64_t at = 0;
  int64_t checked = 0;
  std::string file;
  std::shared_ptr<Table> table;
  for (const TsvLine& line : ReadTsv(root() / "PREDICATES.tsv")) {
    if (at++ % kSampleStep != 0) continue;
    if (line.at("file") != file) {
      file = line.at("file");
      auto opened = Table::Open({(root() / file).string()});
      ASSERT_TRUE(opened.ok()) << opened.status();
      table = *opened;
    }
    const std::string filter = FilterOf(line);
    SCOPED_TRACE(testing::Message() << file << ": " << filter);
    auto got = ScanPositions(*table, filter, GetParam().disabled);
    ++checked;
    if (!got.ok()) {
      ADD_FAILURE() << got.status();
      continue;
    }
    EXPECT_EQ(*got, AnswerOf(line));
    Scan scan = table->NewScan().Filter(filter);
    scan.options().disabled_levels = GetParam().disabled;
    auto count = scan.Count();
    ASSERT_TRUE(count.ok()) << count.status();
    EXPECT_EQ(*count, AnswerOf(line).rows);
  }
  EXPECT_GE(checked, 2323 / kSampleStep);
}

INSTANTIATE_TEST_SUITE_P(, Predicates, testing::ValuesIn(LevelSettings()), LevelSettingName);

class WholeRows : public OutsideFiles, public testing::WithParamInterface<LevelSetting> {
 protected:
  WholeRows() : OutsideFiles("corpus") {}

  // All columns and positions of the rows that `filter` accepts.
  static arrow::Result<std::shared_ptr<arrow::Table>> Rows(const Table& table, const std::string& filter,
                                                           const std::vector<Level>& disabled) {
    std::vector<std::string> columns{"_pos"};
    for (const auto& field : table.schema()->fields()) {
      columns.push_back(expr::ColumnPath{{field->name()}, 0}.ToString());
    }
    Scan scan = table.NewScan().Filter(filter).Select(columns);
    scan.options().disabled_levels = disabled;
    scan.options().batch_rows = 100;  // batch borders fall inside pages
    ARROW_ASSIGN_OR_RAISE(auto reader, scan.ToReader());
    return reader->ToTable();
  }
};

// The values of every column are those of a full read, whatever was skipped.
TEST_P(WholeRows, AreThoseOfAFullRead) {
  std::set<std::pair<std::string, std::string>> seen;
  std::string file;
  std::shared_ptr<Table> table;
  for (const TsvLine& line : ReadTsv(root() / "PREDICATES.tsv")) {
    const std::string& op = line.at("operator");
    // One equality and one range of each file: the columns that are read are the same for all.
    if ((op != "=" && op != ">=") || !seen.emplace(line.at("file"), op).second) continue;
    if (line.at("file") != file) {
      file = line.at("file");
      auto opened = Table::Open({(root() / file).string()});
      ASSERT_TRUE(opened.ok()) << opened.status();
      table = *opened;
    }
    const std::string filter = FilterOf(line);
    SCOPED_TRACE(testing::Message() << file << ": " << filter);
    auto full = Rows(*table, filter, AllLevels());
    auto got = Rows(*table, filter, GetParam().disabled);
    ASSERT_EQ(got.ok(), full.ok()) << got.status() << full.status();
    if (!full.ok()) {
      // A column that no reader of this library reads is refused alike.
      EXPECT_EQ(KindOf(full.status()), ErrorKind::kUnsupported) << full.status();
      continue;
    }
    EXPECT_TRUE((*got)->Equals(**full, arrow::EqualOptions::Defaults().nans_equal(true).signed_zeros_equal(false)))
        << (*got)->num_rows() << " rows, full read " << (*full)->num_rows();
  }
  EXPECT_GE(seen.size(), 200U);
}

INSTANTIATE_TEST_SUITE_P(, WholeRows, testing::ValuesIn([] {
                           std::vector<LevelSetting> settings = LevelSettings();
                           settings.erase(settings.begin() + 1);  // "none" is what the others are compared with
                           return settings;
                         }()),
                         LevelSettingName);

}  // namespace
}  // namespace frazil

// SPDX-License-Identifier: Apache-2.0
#include "tests/outside_files.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <ostream>
#include <sstream>

#include <arrow/array.h>

namespace frazil {
namespace {

std::vector<std::string> SplitAt(const std::string& text, char separator) {
  std::vector<std::string> parts{""};
  for (char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::string Doubled(const std::string& text, char quote) {
  std::string out(1, quote);
  for (char c : text) {
    out += c;
    if (c == quote) out += c;
  }
  return out + quote;
}

}  // namespace

OutsideFiles::OutsideFiles(std::string folder) {
  const char* shared = std::getenv("FRAZIL_SHARED");
  root_ = std::filesystem::path(shared != nullptr ? shared : FRAZIL_SOURCE_DIR "/../shared") / folder;
}

void OutsideFiles::SetUp() {
  if (std::filesystem::is_directory(root_)) return;
  const char* ci = std::getenv("CI");
  if (ci != nullptr && std::string(ci) == "true") FAIL() << root_ << " is not there, and CI=true";
  GTEST_SKIP() << root_ << " is not there; FRAZIL_SHARED says where to look";
}

std::vector<TsvLine> ReadTsv(const std::filesystem::path& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.is_open()) << path;
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> names = SplitAt(line, '\t');
  std::vector<TsvLine> lines;
  while (std::getline(file, line)) {
    const std::vector<std::string> fields = SplitAt(line, '\t');
    EXPECT_EQ(fields.size(), names.size()) << path << " line " << lines.size() + 2;
    TsvLine& out = lines.emplace_back();
    for (size_t i = 0; i < std::min(names.size(), fields.size()); ++i) out[names[i]] = fields[i];
  }
  return lines;
}

const std::vector<LevelSetting>& LevelSettings() {
  static const std::vector<LevelSetting> kSettings = [] {
    std::vector<LevelSetting> settings{{"all", {}}, {"none", AllLevels()}};
    for (Level alone : FileLevels()) {
      LevelSetting& setting = settings.emplace_back();
      setting.name = std::string("only_") + LevelName(alone);
      std::replace(setting.name.begin(), setting.name.end(), '-', '_');
      for (Level level : FileLevels()) {
        if (level != alone) setting.disabled.push_back(level);
      }
    }
    return settings;
  }();
  return kSettings;
}

std::string LevelSettingName(const testing::TestParamInfo<LevelSetting>& info) { return info.param.name; }

void PrintTo(const LevelSetting& setting, std::ostream* out) { *out << setting.name; }

void PrintTo(const Positions& positions, std::ostream* out) {
  *out << positions.rows << " rows, sum " << positions.sum << ", " << positions.min << " to " << positions.max
       << (positions.ascending ? "" : ", out of order");
}

arrow::Result<Positions> ScanPositions(const Table& table, const std::string& filter,
                                       const std::vector<Level>& disabled, ScanReport* report) {
  Scan scan = table.NewScan();
  scan.Filter(filter).Select({"_pos", "_file"});
  scan.options().disabled_levels = disabled;
  auto shared = std::make_shared<ScanReport>();
  ARROW_ASSIGN_OR_RAISE(auto reader, scan.ToReader(shared));
  Positions out;
  std::string file;
  int64_t last = -1;
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(reader->ReadNext(&batch));
    if (batch == nullptr) break;
    const auto& positions = static_cast<const arrow::Int64Array&>(*batch->column(0));
    const auto& files = static_cast<const arrow::StringArray&>(*batch->column(1));
    for (int64_t i = 0; i < batch->num_rows(); ++i) {
      const int64_t position = positions.Value(i);
      if (files.GetView(i) != file) {
        file = files.GetString(i);
        last = -1;
      }
      out.ascending &= position > last;
      last = position;
      out.min = out.rows == 0 ? position : std::min(out.min, position);
      out.max = std::max(out.max, position);
      out.sum += position;
      ++out.rows;
    }
  }
  ARROW_RETURN_NOT_OK(reader->Close());
  if (report != nullptr) *report = *shared;
  return out;
}

std::string QuotedPath(const std::string& path) {
  std::string out;
  for (const std::string& part : SplitAt(path, '.')) out += (out.empty() ? "" : ".") + Doubled(part, '"');
  return out;
}

std::string QuotedText(const std::string& text) { return Doubled(text, '\''); }

}  // namespace frazil

// SPDX-License-Identifier: Apache-2.0
#include "src/cli/format/text_table.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace frazil::cli {

namespace {

// Works for INT64_MIN, whose negation does not exist.
uint64_t Magnitude(int64_t value) {
  return value < 0 ? uint64_t{0} - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
}

// value / divisor, rounded half up.
uint64_t DivideRounded(uint64_t value, uint64_t divisor) {
  const uint64_t rest = value % divisor;
  return value / divisor + (rest >= divisor - rest ? 1 : 0);
}

std::string TwoDigits(uint64_t value) { return (value < 10 ? "0" : "") + std::to_string(value); }

// "12.3" from 123 with one digit behind the point.
std::string WithPoint(uint64_t scaled, int digits) {
  std::string text = std::to_string(scaled);
  const auto digit_count = static_cast<size_t>(digits);
  if (text.size() <= digit_count) text.insert(0, digit_count + 1 - text.size(), '0');
  text.insert(text.size() - digit_count, 1, '.');
  return text;
}

std::string LongDuration(uint64_t seconds) {
  if (seconds < 3600) return std::to_string(seconds / 60) + " min " + TwoDigits(seconds % 60) + " s";
  const uint64_t minutes = DivideRounded(seconds, 60);
  return std::to_string(minutes / 60) + " h " + TwoDigits(minutes % 60) + " min";
}

}  // namespace

TextTable::TextTable(std::vector<TextColumn> columns) : columns_(std::move(columns)) {
  for (const TextColumn& column : columns_) header_.push_back(FitForDisplay(column.name, column.columns_max));
}

void TextTable::AddRow(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  for (size_t i = 0; i < cells.size(); ++i) cells[i] = FitForDisplay(cells[i], columns_[i].columns_max);
  rows_.push_back(std::move(cells));
}

void TextTable::AppendTo(std::string& out, size_t indent) const {
  std::vector<size_t> widths;
  std::vector<Align> aligns;
  for (size_t i = 0; i < columns_.size(); ++i) {
    size_t width = DisplayColumns(header_[i]);
    for (const auto& row : rows_) width = std::max(width, DisplayColumns(row[i]));
    widths.push_back(width);
    aligns.push_back(columns_[i].align);
  }
  const auto append_row = [&](const std::vector<std::string>& row) {
    std::vector<LineCell> cells;
    for (const std::string& cell : row) cells.push_back({cell});
    std::string line;
    AppendLine(cells, widths, aligns, line);
    if (line.size() > 1) out.append(indent, ' ');
    out += line;
  };
  const bool has_header =
      std::any_of(header_.begin(), header_.end(), [](const std::string& name) { return !name.empty(); });
  if (has_header) append_row(header_);
  for (const auto& row : rows_) append_row(row);
}

std::string HumanBytes(int64_t bytes) {
  constexpr std::array<std::string_view, 6> kUnits = {" kB", " MB", " GB", " TB", " PB", " EB"};
  const std::string sign = bytes < 0 ? "-" : "";
  const uint64_t magnitude = Magnitude(bytes);
  if (magnitude < 1000) return sign + std::to_string(magnitude) + " B";
  uint64_t tenth = 100;  // a tenth of the unit, in bytes
  for (std::string_view unit : kUnits) {
    const uint64_t tenths = DivideRounded(magnitude, tenth);
    // 999,950 bytes round to 1000.0 kB: that is 1.0 MB.
    if (tenths < 10000 || unit == kUnits.back()) return sign + WithPoint(tenths, 1).append(unit);
    tenth *= 1000;
  }
  return {};  // not reached: the last unit always returns
}

std::string HumanCount(int64_t count) {
  std::string text = std::to_string(Magnitude(count));
  for (size_t from_end = 3; from_end < text.size(); from_end += 4) text.insert(text.size() - from_end, 1, ',');
  return count < 0 ? "-" + text : text;
}

std::string HumanDuration(int64_t duration_ns) {
  const std::string sign = duration_ns < 0 ? "-" : "";
  const uint64_t ns = Magnitude(duration_ns);
  if (ns < 1000) return sign + std::to_string(ns) + " ns";
  const uint64_t tenths_us = DivideRounded(ns, 100);
  if (tenths_us < 10000) return sign + WithPoint(tenths_us, 1) + " us";
  const uint64_t tenths_ms = DivideRounded(ns, 100'000);
  if (tenths_ms < 10000) return sign + WithPoint(tenths_ms, 1) + " ms";
  const uint64_t hundredths_s = DivideRounded(ns, 10'000'000);
  if (hundredths_s < 6000) return sign + WithPoint(hundredths_s, 2) + " s";
  return sign + LongDuration(DivideRounded(ns, 1'000'000'000));
}

}  // namespace frazil::cli

// SPDX-License-Identifier: Apache-2.0
#include "tests/json_rows.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include <arrow/array.h>
#include <arrow/extension_type.h>
#include <arrow/scalar.h>
#include <arrow/util/float16.h>

namespace frazil {
namespace {

constexpr int64_t kDay = 86'400;

int64_t FloorDivide(int64_t value, int64_t by) { return value / by - (value % by < 0 ? 1 : 0); }

// Days since 1970-01-01 to year, month and day of the proleptic Gregorian calendar.
std::string DateText(int64_t days) {
  int64_t year = 1970 + FloorDivide(days, 366);
  const auto leap = [](int64_t y) { return (y % 4 == 0 && y % 100 != 0) || y % 400 == 0; };
  const auto first_day = [](int64_t y) {
    const int64_t before = y - 1;
    return 365 * (y - 1970) + FloorDivide(before, 4) - FloorDivide(before, 100) + FloorDivide(before, 400) - 477;
  };
  while (first_day(year + 1) <= days) ++year;
  while (first_day(year) > days) --year;
  int64_t day = days - first_day(year);
  const int64_t lengths[] = {31, leap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  int month = 0;
  while (day >= lengths[month]) day -= lengths[month++];
  char text[64];
  std::snprintf(text, sizeof(text), "%04lld-%02d-%02lld", static_cast<long long>(year), month + 1,
                static_cast<long long>(day + 1));
  return text;
}

std::string TimestampText(int64_t value, const arrow::TimestampType& type) {
  int64_t per_second = 1;
  for (int i = 0; i < 3 * static_cast<int>(type.unit()); ++i) per_second *= 10;
  const int64_t seconds = FloorDivide(value, per_second);
  const int64_t fraction = value - seconds * per_second;
  const int64_t micros =
      per_second >= 1'000'000 ? fraction / (per_second / 1'000'000) : fraction * (1'000'000 / per_second);
  const int64_t days = FloorDivide(seconds, kDay);
  const int64_t of_day = seconds - days * kDay;
  char text[40];
  std::snprintf(text, sizeof(text), "T%02d:%02d:%02d.%06d", static_cast<int>(of_day / 3600),
                static_cast<int>(of_day / 60 % 60), static_cast<int>(of_day % 60), static_cast<int>(micros));
  return DateText(days) + text + (type.timezone().empty() ? "" : "Z");
}

std::string Quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    char escaped[8];
    std::snprintf(escaped, sizeof(escaped), "\\u%04x", static_cast<unsigned char>(c));
    out += static_cast<unsigned char>(c) < 0x20 ? std::string(escaped) : std::string(1, c);
  }
  return out + '"';
}

std::string Hex(std::string_view bytes, const char* dashes_after = "") {
  std::string out;
  for (size_t i = 0; i < bytes.size(); ++i) {
    char digits[3];
    std::snprintf(digits, sizeof(digits), "%02x", static_cast<unsigned char>(bytes[i]));
    out += digits;
    if (std::string_view(dashes_after).find(static_cast<char>(i + 1)) != std::string_view::npos) out += '-';
  }
  return out;
}

std::string NumberText(double value, int digits) {
  if (std::isnan(value)) return "\"NaN\"";
  if (std::isinf(value)) return value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  char text[40];
  std::snprintf(text, sizeof(text), "%.*g", digits, value);
  return text;
}

arrow::Status Append(const arrow::Scalar& value, std::string* out);

arrow::Status AppendItems(const arrow::Array& items, bool pairs, std::string* out) {
  *out += '[';
  for (int64_t i = 0; i < items.length(); ++i) {
    if (i > 0) *out += ", ";
    ARROW_ASSIGN_OR_RAISE(auto item, items.GetScalar(i));
    if (!pairs) {
      ARROW_RETURN_NOT_OK(Append(*item, out));
      continue;
    }
    const auto& pair = static_cast<const arrow::StructScalar&>(*item);
    *out += '[';
    ARROW_RETURN_NOT_OK(Append(*pair.value[0], out));
    *out += ", ";
    ARROW_RETURN_NOT_OK(Append(*pair.value[1], out));
    *out += ']';
  }
  *out += ']';
  return arrow::Status::OK();
}

arrow::Status AppendStruct(const arrow::StructScalar& value, std::string* out) {
  *out += '{';
  for (size_t i = 0; i < value.value.size(); ++i) {
    *out += (i > 0 ? ", " : "") + Quoted(value.type->field(static_cast<int>(i))->name()) + ": ";
    ARROW_RETURN_NOT_OK(Append(*value.value[i], out));
  }
  *out += '}';
  return arrow::Status::OK();
}

arrow::Status Append(const arrow::Scalar& value, std::string* out) {
  using arrow::Type;
  if (!value.is_valid) {
    *out += "null";
    return arrow::Status::OK();
  }
  const auto bytes = [&] { return static_cast<const arrow::BaseBinaryScalar&>(value).view(); };
  switch (value.type->id()) {
    case Type::BOOL:
    case Type::INT8:
    case Type::INT16:
    case Type::INT32:
    case Type::INT64:
    case Type::UINT8:
    case Type::UINT16:
    case Type::UINT32:
    case Type::UINT64:
      *out += value.ToString();
      return arrow::Status::OK();
    case Type::HALF_FLOAT:
      *out += NumberText(
          arrow::util::Float16::FromBits(static_cast<const arrow::HalfFloatScalar&>(value).value).ToDouble(), 17);
      return arrow::Status::OK();
    case Type::FLOAT:
      *out += NumberText(static_cast<const arrow::FloatScalar&>(value).value, 9);
      return arrow::Status::OK();
    case Type::DOUBLE:
      *out += NumberText(static_cast<const arrow::DoubleScalar&>(value).value, 17);
      return arrow::Status::OK();
    case Type::DECIMAL32:
    case Type::DECIMAL64:
    case Type::DECIMAL128:
    case Type::DECIMAL256:
      *out += Quoted(value.ToString());
      return arrow::Status::OK();
    case Type::STRING:
    case Type::LARGE_STRING:
      *out += Quoted(bytes());
      return arrow::Status::OK();
    case Type::BINARY:
    case Type::LARGE_BINARY:
    case Type::FIXED_SIZE_BINARY:
      *out += Quoted("0x" + Hex(bytes()));
      return arrow::Status::OK();
    case Type::DATE32:
      *out += Quoted(DateText(static_cast<const arrow::Date32Scalar&>(value).value));
      return arrow::Status::OK();
    case Type::TIMESTAMP:
      *out += Quoted(TimestampText(static_cast<const arrow::TimestampScalar&>(value).value,
                                   static_cast<const arrow::TimestampType&>(*value.type)));
      return arrow::Status::OK();
    case Type::LIST:
    case Type::LARGE_LIST:
    case Type::FIXED_SIZE_LIST:
    case Type::MAP:
      return AppendItems(*static_cast<const arrow::BaseListScalar&>(value).value, value.type->id() == Type::MAP, out);
    case Type::STRUCT:
      return AppendStruct(static_cast<const arrow::StructScalar&>(value), out);
    case Type::EXTENSION: {
      const arrow::Scalar& storage = *static_cast<const arrow::ExtensionScalar&>(value).value;
      if (static_cast<const arrow::ExtensionType&>(*value.type).extension_name() != "arrow.uuid") {
        return Append(storage, out);
      }
      *out += Quoted(Hex(static_cast<const arrow::BaseBinaryScalar&>(storage).view(), "\x04\x06\x08\x0a"));
      return arrow::Status::OK();
    }
    default:
      return arrow::Status::NotImplemented("no JSON form for ", value.type->ToString());
  }
}

void AppendUtf8(uint32_t code, std::string* out) {
  const auto unit = [&](uint32_t bits) { *out += static_cast<char>(bits); };
  if (code < 0x80) return unit(code);
  const int tail = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  unit((0xF00U >> (tail + 1) & 0xFFU) | code >> (6 * tail));
  for (int i = tail - 1; i >= 0; --i) unit(0x80U | (code >> (6 * i) & 0x3FU));
}

// The tokens of a JSON text, strings with their escapes resolved and marked by a quote at the front.
std::vector<std::string> Tokens(const std::string& text) {
  std::vector<std::string> tokens;
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (std::string_view(" \t\n").find(c) != std::string_view::npos) {
      ++i;
    } else if (c == '"') {
      std::string token = "\"";
      for (++i; i < text.size() && text[i] != '"'; ++i) {
        if (text[i] != '\\') {
          token += text[i];
        } else if (text[++i] != 'u') {
          const size_t escape = std::string_view("nrtbf").find(text[i]);
          token += escape == std::string_view::npos ? text[i] : "\n\r\t\b\f"[escape];
        } else {
          auto code = static_cast<uint32_t>(std::stoul(text.substr(i + 1, 4), nullptr, 16));
          i += 4;
          if (code >= 0xD800 && code < 0xDC00) {  // the first half of a pair
            code = 0x10000 + ((code - 0xD800) << 10) +
                   (static_cast<uint32_t>(std::stoul(text.substr(i + 3, 4), nullptr, 16)) - 0xDC00);
            i += 6;
          }
          AppendUtf8(code, &token);
        }
      }
      ++i;
      tokens.push_back(token);
    } else if (std::string_view("[]{},:").find(c) != std::string_view::npos) {
      tokens.emplace_back(1, c);
      ++i;
    } else {
      const size_t end = std::min(text.size(), text.find_first_of(" []{},:\n", i));
      tokens.push_back(text.substr(i, end - i));
      i = end;
    }
  }
  return tokens;
}

bool SameToken(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const auto fraction = [](const std::string& token) {
    return token[0] != '"' && token.find_first_of(".eE") != std::string::npos && token != "true" && token != "false";
  };
  if (!fraction(a) && !fraction(b)) return false;
  char* a_end = nullptr;
  char* b_end = nullptr;
  const float x = std::strtof(a.c_str(), &a_end);
  const float y = std::strtof(b.c_str(), &b_end);
  return *a_end == '\0' && *b_end == '\0' && x == y;
}

}  // namespace

arrow::Result<std::string> RowsToJson(const arrow::Table& table, int64_t rows_max) {
  std::string out = "[";
  for (int64_t row = 0; row < std::min(rows_max, table.num_rows()); ++row) {
    out += row > 0 ? ", [" : "[";
    for (int column = 0; column < table.num_columns(); ++column) {
      if (column > 0) out += ", ";
      ARROW_ASSIGN_OR_RAISE(auto value, table.column(column)->GetScalar(row));
      ARROW_RETURN_NOT_OK(Append(*value, &out));
    }
    out += ']';
  }
  return out + ']';
}

bool SameJson(const std::string& a, const std::string& b) {
  const auto x = Tokens(a);
  const auto y = Tokens(b);
  return std::equal(x.begin(), x.end(), y.begin(), y.end(), SameToken);
}

}  // namespace frazil

// SPDX-License-Identifier: Apache-2.0
//
// JsonText: writes one JSON value (RFC 8259) for reports: explain, stats, inspect. Rows of data have their own
// writer (writer.h).
//
//   JsonText json(JsonLayout::kPretty);
//   json.BeginObject();
//   json.Field("rows", 42);
//   json.Key("pages").BeginArray().Value(1).Value("two").EndArray();
//   json.EndObject();
//   json.Take()  ->  the text, without a line end
//
// Integers are exact; doubles are the shortest text that reads back the same; NaN and infinities, which JSON lacks,
// are the strings "NaN", "Infinity", "-Infinity"; an empty optional is null. Invalid UTF-8 becomes U+FFFD.
// REQUIRES: calls that form one value: a key before each value of an object, every Begin ended.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace frazil::cli {

// Appends `text` as a JSON string, with its quotes.
void AppendJsonString(std::string_view text, std::string& out);

enum class JsonLayout { kCompact, kPretty };  // pretty: a member a line, indented by 2 spaces

class JsonText {
 public:
  explicit JsonText(JsonLayout layout = JsonLayout::kCompact) : layout_(layout) {}

  JsonText& BeginObject() { return Begin('{'); }
  JsonText& EndObject() { return End('}'); }
  JsonText& BeginArray() { return Begin('['); }
  JsonText& EndArray() { return End(']'); }
  JsonText& Key(std::string_view name);

  JsonText& Null();
  JsonText& Value(std::string_view text);
  JsonText& Value(double value);
  // Templates, so that no integer turns into a bool or a double, and no pointer into a bool.
  template <std::same_as<bool> T>
  JsonText& Value(T value) {
    return Raw(value ? "true" : "false");
  }
  template <std::integral T>
  requires(!std::same_as<T, bool>) JsonText& Value(T value) { return Raw(std::to_string(value)); }
  JsonText& Value(const char* text) { return Value(std::string_view(text)); }
  JsonText& Value(const std::string& text) { return Value(std::string_view(text)); }
  template <typename T>
  JsonText& Value(const std::optional<T>& value) {
    return value.has_value() ? Value(*value) : Null();
  }

  template <typename T>
  JsonText& Field(std::string_view name, const T& value) {
    return Key(name).Value(value);
  }

  // The text; the writer is empty afterwards. REQUIRES: every object and array is ended.
  std::string Take();

 private:
  JsonText& Begin(char bracket);
  JsonText& End(char bracket);
  JsonText& Raw(std::string_view token);
  // Comma, line end and indentation before a value or a key.
  void Separate();
  void NewLine();

  JsonLayout layout_;
  std::string out_;
  std::vector<bool> has_members_;  // one for every open object or array
  bool after_key_ = false;
};

}  // namespace frazil::cli

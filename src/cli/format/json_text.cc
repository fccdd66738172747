// SPDX-License-Identifier: Apache-2.0
#include "src/cli/format/json_text.h"

#include <array>
#include <utility>

#include "src/cli/format/display_text.h"
#include "src/cli/format/value_text.h"

namespace frazil::cli {

namespace {

// True for the bytes that stand for themselves in a JSON string without a look at their neighbours.
constexpr std::array<bool, 256> MakePlainBytes() {
  std::array<bool, 256> plain{};
  for (size_t byte = 0x20; byte < 0x80; ++byte) plain[byte] = byte != '"' && byte != '\\';
  return plain;
}
constexpr std::array<bool, 256> kPlainBytes = MakePlainBytes();

void AppendEscaped(char byte, std::string& out) {
  constexpr char kDigits[] = "0123456789abcdef";
  switch (byte) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    default:
      out += "\\u00";
      out += kDigits[static_cast<unsigned char>(byte) >> 4];
      out += kDigits[byte & 0xF];
  }
}

}  // namespace

void AppendJsonString(std::string_view text, std::string& out) {
  out += '"';
  size_t run_begin = 0;  // bytes from here to `i` are copied in one go
  size_t i = 0;
  while (i < text.size()) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (kPlainBytes[byte]) {
      ++i;
      continue;
    }
    if (byte < 0x80) {
      out.append(text.substr(run_begin, i - run_begin));
      AppendEscaped(text[i], out);
      run_begin = ++i;
      continue;
    }
    const Utf8Char character = DecodeUtf8(text.substr(i));
    if (!character.valid) {
      out.append(text.substr(run_begin, i - run_begin)).append(kReplacementUtf8);
      run_begin = i + character.byte_count;
    }
    i += character.byte_count;
  }
  out.append(text.substr(run_begin));
  out += '"';
}

JsonText& JsonText::Key(std::string_view name) {
  Separate();
  AppendJsonString(name, out_);
  out_ += layout_ == JsonLayout::kPretty ? ": " : ":";
  after_key_ = true;
  return *this;
}

JsonText& JsonText::Null() { return Raw("null"); }

JsonText& JsonText::Value(std::string_view text) {
  Separate();
  AppendJsonString(text, out_);
  return *this;
}

JsonText& JsonText::Value(double value) {
  Separate();
  AppendFloating(value, NonFiniteText::kQuoted, out_);
  return *this;
}

std::string JsonText::Take() {
  has_members_.clear();
  after_key_ = false;
  return std::exchange(out_, {});
}

JsonText& JsonText::Begin(char bracket) {
  Separate();
  out_ += bracket;
  has_members_.push_back(false);
  return *this;
}

JsonText& JsonText::End(char bracket) {
  const bool had_members = has_members_.back();
  has_members_.pop_back();
  if (had_members) NewLine();
  out_ += bracket;
  return *this;
}

JsonText& JsonText::Raw(std::string_view token) {
  Separate();
  out_ += token;
  return *this;
}

void JsonText::Separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (has_members_.empty()) return;
  if (has_members_.back()) out_ += ',';
  has_members_.back() = true;
  NewLine();
}

void JsonText::NewLine() {
  if (layout_ == JsonLayout::kCompact) return;
  out_ += '\n';
  out_.append(2 * has_members_.size(), ' ');
}

}  // namespace frazil::cli

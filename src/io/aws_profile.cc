// SPDX-License-Identifier: Apache-2.0
#include "src/io/aws_profile.h"

#include <algorithm>

#include "frazil/byte_source.h"
#include "src/base/text.h"

namespace frazil::io {
namespace {

constexpr int64_t kFileBytesMax = 1 << 20;
constexpr std::string_view kSpace = " \t\r\n";

std::string_view Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) + 1 - begin);
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), LowerAscii);
  return lower;
}

// "profile   lake" -> "profile lake".
std::string OneBlank(std::string_view text) {
  std::string words;
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of(kSpace), text.size());
    if (!words.empty()) words += ' ';
    words += text.substr(0, end);
    text = Trimmed(text.substr(end));
  }
  return words;
}

// A value ends where a comment begins: at a # or ; behind a blank.
std::string_view WithoutComment(std::string_view value) {
  for (size_t i = 1; i < value.size(); ++i) {
    const bool begins = value[i] == '#' || value[i] == ';';
    if (begins && kSpace.find(value[i - 1]) != std::string_view::npos) return Trimmed(value.substr(0, i));
  }
  return value;
}

}  // namespace

AwsSections ParseAwsFile(std::string_view text, const std::string& file) {
  AwsSections sections;
  AwsSection* section = nullptr;
  std::string outer;  // the name whose value follows, one a line, further in
  int line_number = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++line_number;
    const std::string_view content = Trimmed(line);
    if (content.empty() || content.front() == '#' || content.front() == ';') continue;
    if (content.front() == '[') {
      const size_t close = content.find(']');
      section = close == std::string_view::npos ? nullptr : &sections[OneBlank(Trimmed(content.substr(1, close - 1)))];
      outer.clear();
      continue;
    }
    const size_t equals = content.find('=');
    if (section == nullptr || equals == std::string_view::npos) continue;
    std::string name = Lower(Trimmed(content.substr(0, equals)));
    const std::string_view value = WithoutComment(Trimmed(content.substr(equals + 1)));
    const bool is_inner = line.front() == ' ' || line.front() == '\t';
    if (!is_inner) outer = value.empty() ? name : std::string();
    if (is_inner && !outer.empty()) name = outer + "." + name;
    (*section)[name] = {std::string(value), file + ":" + std::to_string(line_number)};
  }
  return sections;
}

arrow::Result<AwsSections> ReadAwsFile(const std::string& path) {
  const auto source = OpenLocalFile(path);
  if (!source.ok()) {
    // /dev/null in a variable is how the AWS tools are told to read none.
    const ErrorKind kind = KindOf(source.status());
    if (kind == ErrorKind::kNotFound || kind == ErrorKind::kUnsupported) return AwsSections{};
    return source.status();
  }
  ARROW_ASSIGN_OR_RAISE(const int64_t size_bytes, (*source)->Size());
  if (size_bytes > kFileBytesMax) {
    return MakeError(ErrorKind::kUsage, "is larger than any configuration of AWS", {.file = path});
  }
  ARROW_ASSIGN_OR_RAISE(const auto bytes, (*source)->Read({0, size_bytes}));
  return ParseAwsFile(std::string_view(*bytes), path);
}

}  // namespace frazil::io

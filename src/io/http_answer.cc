// SPDX-License-Identifier: Apache-2.0
#include "src/io/http_answer.h"

#include <charconv>

#include "src/base/text.h"

namespace frazil::io {
namespace {

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) + 1 - begin);
}

// A number without sign; nothing when there is anything else.
std::optional<int64_t> Number(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0 || text.starts_with('-')) return {};
  return number;
}

}  // namespace

void HttpAnswer::TakeHeaderLine(std::string_view line) {
  if (line.starts_with("HTTP/")) {
    *this = {};
    const size_t space = line.find(' ');
    if (space != std::string_view::npos) status = static_cast<int>(Number(line.substr(space + 1, 3)).value_or(0));
    return;
  }
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = Trimmed(line.substr(colon + 1));
  const auto is = [&](std::string_view other) { return EqualsIgnoreCase(name, other); };
  if (is("etag")) etag = value;
  if (is("last-modified")) last_modified = value;
  if (is("content-range")) content_range = value;
  if (is("content-length")) content_bytes = Number(value);
  if (is("date")) date = value;
  if (is("x-amz-bucket-region")) bucket_region = value;
  if (is("location")) location = value;
  if (is("retry-after")) retry_in_s = Number(value);
}

std::optional<ContentRange> ParseContentRange(std::string_view text) {
  constexpr std::string_view kUnit = "bytes ";
  const size_t slash = text.find('/');
  if (!text.starts_with(kUnit) || slash == std::string_view::npos) return {};
  const std::string_view range = text.substr(kUnit.size(), slash - kUnit.size());
  const std::string_view total = text.substr(slash + 1);
  ContentRange result;
  result.file_bytes = Number(total);
  if (!result.file_bytes && total != "*") return {};
  if (range == "*") return result.file_bytes ? std::optional(result) : std::nullopt;
  const size_t dash = range.find('-');
  if (dash == std::string_view::npos) return {};
  const auto first = Number(range.substr(0, dash));
  const auto last = Number(range.substr(dash + 1));
  if (!first || !last || *last < *first || (result.file_bytes && *last >= *result.file_bytes)) return {};
  result.offset = *first;
  result.length = *last - *first + 1;
  return result;
}

}  // namespace frazil::io

// SPDX-License-Identifier: Apache-2.0
#include "src/iceberg/location.h"

#include <algorithm>
#include <optional>

#include "frazil/error.h"
#include "src/base/text.h"
#include "src/io/stores.h"

namespace frazil::iceberg {
namespace {

bool IsSchemeCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
}

std::string_view OneName(std::string_view scheme) { return scheme == "s3a" || scheme == "s3n" ? "s3" : scheme; }

// What is left of `text` behind `from`, where a part of the path ends.
std::optional<std::string_view> RestBehind(std::string_view text, std::string_view from) {
  if (from.empty() || !text.starts_with(from)) return std::nullopt;
  const std::string_view rest = text.substr(from.size());
  if (rest.empty() || from.back() == '/' || rest.front() == '/') return rest;
  return std::nullopt;
}

// "./a" is "a".
std::string_view WithoutDot(std::string_view path) {
  while (path.starts_with("./")) path.remove_prefix(2);
  return path;
}

bool FitsTogether(const LocationParts& a, const LocationParts& b) {
  if (a.scheme.empty() || b.scheme.empty()) return true;
  return OneName(a.scheme) == OneName(b.scheme) &&
         (a.authority == b.authority || a.authority.empty() || b.authority.empty());
}

}  // namespace

LocationParts SplitLocation(std::string_view location) {
  LocationParts parts;
  parts.path = location;
  const size_t colon = location.find(':');
  // A name with a colon in it is no scheme.
  if (colon == std::string_view::npos || colon < 2 || colon + 1 >= location.size() || location[colon + 1] != '/' ||
      !std::all_of(location.begin(), location.begin() + static_cast<std::ptrdiff_t>(colon), IsSchemeCharacter)) {
    return parts;
  }
  parts.scheme = location.substr(0, colon);
  std::string_view rest = location.substr(colon + 1);
  if (rest.starts_with("//")) {
    rest.remove_prefix(2);
    const size_t slash = std::min(rest.find('/'), rest.size());
    parts.authority = rest.substr(0, slash);
    rest.remove_prefix(slash);
  }
  parts.path = rest;
  return parts;
}

bool SameLocation(std::string_view a, std::string_view b) {
  if (a == b) return true;
  const LocationParts x = SplitLocation(a);
  const LocationParts y = SplitLocation(b);
  return x.path == y.path && FitsTogether(x, y);
}

bool IsRelativeLocation(std::string_view location) {
  return !location.empty() && location.front() != '/' && SplitLocation(location).scheme.empty();
}

LocationMap::LocationMap(std::vector<std::pair<std::string, std::string>> rewrites) : rewrites_(std::move(rewrites)) {
  std::stable_sort(rewrites_.begin(), rewrites_.end(),
                   [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
}

void LocationMap::SetRelativeFolder(std::string_view relative_folder, std::string_view folder) {
  relative_folder = WithoutDot(relative_folder);
  const auto cut_last = [](std::string_view path) { return path.substr(0, path.rfind('/') + 1); };
  const auto cut_slash = [](std::string_view path) {
    while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
    return path;
  };
  relative_folder = cut_slash(relative_folder);
  folder = cut_slash(folder);
  while (!relative_folder.empty()) {
    const std::string_view outer = cut_last(relative_folder);
    const std::string_view outer_folder = cut_last(folder);
    const std::string_view name = relative_folder.substr(outer.size());
    if (name.empty() || name == ".." || name != folder.substr(outer_folder.size()) || outer_folder.empty()) break;
    relative_folder = cut_slash(outer);
    folder = cut_slash(outer_folder);
  }
  relative_ = {std::string(relative_folder), std::string(folder)};
}

arrow::Result<std::string> LocationMap::Address(std::string_view location) const {
  std::string address(location);
  bool found = false;
  for (const auto& [from, to] : rewrites_) {
    const auto rest = RestBehind(WithoutDot(location), WithoutDot(from));
    if (!rest) continue;
    address = to + std::string(*rest);
    found = true;
    break;
  }
  const LocationParts parts = SplitLocation(location);
  for (size_t i = 0; !found && i < rewrites_.size(); ++i) {
    const LocationParts from = SplitLocation(rewrites_[i].first);
    const auto rest = RestBehind(parts.path, from.path);
    if (!rest || !FitsTogether(parts, from)) continue;
    address = rewrites_[i].second + std::string(*rest);
    found = true;
  }
  if (!found && !relative_.second.empty() && IsRelativeLocation(location)) {
    const std::string_view path = WithoutDot(location);
    const auto rest = relative_.first.empty() ? std::optional(path) : RestBehind(path, relative_.first);
    if (rest) address = relative_.second + (rest->starts_with('/') || rest->empty() ? "" : "/") + std::string(*rest);
  }
  const LocationParts moved = SplitLocation(address);
  if (moved.scheme.empty()) return address;
  if (moved.scheme == "file" && (moved.authority.empty() || moved.authority == "localhost")) {
    return std::string(moved.path);
  }
  if (io::IsReadableStore(address)) return address;
  return MakeError(ErrorKind::kUnsupported,
                   "locations of scheme " + Printable(std::string(moved.scheme), 40) +
                       " can not be read; --rewrite-location FROM=TO says where a copy is",
                   {.file = std::string(location)});
}

}  // namespace frazil::iceberg

// SPDX-License-Identifier: Apache-2.0
#include "src/iceberg/catalog/config_yaml.h"

#include <yaml.h>

#include <algorithm>
#include <memory>
#include <set>

#include "frazil/error.h"
#include "src/base/text.h"

namespace frazil::iceberg {
namespace {

constexpr size_t kDepthMax = 20;

arrow::Status AtLine(int line, const std::string& what) {
  return MakeError(ErrorKind::kUsage, "line " + std::to_string(line) + ": " + what);
}

// Events instead of a tree: an alias can not multiply anything, and every value knows its line.
class Flattener {
 public:
  arrow::Status Take(const yaml_event_t& event) {
    const int line = static_cast<int>(event.start_mark.line) + 1;
    switch (event.type) {
      case YAML_DOCUMENT_START_EVENT:
        return documents_++ == 0 ? arrow::Status::OK() : AtLine(line, "a second YAML document");
      case YAML_ALIAS_EVENT:
        return AtLine(line, "aliases are not supported");
      case YAML_SCALAR_EVENT:
        ARROW_RETURN_NOT_OK(CheckPlain(line, event.data.scalar.anchor, event.data.scalar.tag));
        return TakeText(line, {reinterpret_cast<const char*>(event.data.scalar.value), event.data.scalar.length});
      case YAML_SEQUENCE_START_EVENT:
        ARROW_RETURN_NOT_OK(CheckPlain(line, event.data.sequence_start.anchor, event.data.sequence_start.tag));
        ARROW_RETURN_NOT_OK(CheckMayOpen(line));
        if (open_.empty()) return AtLine(line, "a map is needed");
        values.push_back({path_, "", line});
        open_.push_back({.is_list = true});
        return arrow::Status::OK();
      case YAML_MAPPING_START_EVENT:
        ARROW_RETURN_NOT_OK(CheckPlain(line, event.data.mapping_start.anchor, event.data.mapping_start.tag));
        ARROW_RETURN_NOT_OK(CheckMayOpen(line));
        open_.emplace_back();
        return arrow::Status::OK();
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT:
        open_.pop_back();
        if (!open_.empty()) Leave();
        return arrow::Status::OK();
      default:
        return arrow::Status::OK();
    }
  }

  std::vector<YamlValue> values;

 private:
  struct Level {
    bool is_list = false;
    bool key = false;  // one has come, its value has not
    int items = 0;
    std::set<std::string> keys = {};
  };

  static arrow::Status CheckPlain(int line, const yaml_char_t* anchor, const yaml_char_t* tag) {
    if (anchor != nullptr) return AtLine(line, "anchors are not supported");
    return tag == nullptr ? arrow::Status::OK() : AtLine(line, "tags are not supported");
  }

  arrow::Status CheckMayOpen(int line) const {
    if (open_.size() >= kDepthMax) return AtLine(line, "nested deeper than " + std::to_string(kDepthMax));
    if (open_.empty()) return arrow::Status::OK();
    if (open_.back().is_list) return AtLine(line, "a list may hold text alone");
    return open_.back().key ? arrow::Status::OK() : AtLine(line, "text is needed as a key");
  }

  arrow::Status TakeText(int line, std::string_view text) {
    if (open_.empty()) return text.empty() ? arrow::Status::OK() : AtLine(line, "a map is needed");
    Level& level = open_.back();
    if (level.is_list) {
      values.back().text += (level.items++ > 0 ? " " : "") + std::string(text);
    } else if (level.key) {
      values.push_back({path_, std::string(text), line});
      Leave();
    } else {
      if (!level.keys.emplace(text).second) return AtLine(line, "key " + Printable(text, 60) + " for the second time");
      std::string& lower = path_.emplace_back(text);
      std::transform(lower.begin(), lower.end(), lower.begin(), LowerAscii);
      level.key = true;
    }
    return arrow::Status::OK();
  }

  // Behind a value.
  void Leave() {
    path_.pop_back();
    open_.back().key = false;
  }

  std::vector<Level> open_;
  std::vector<std::string> path_;
  int documents_ = 0;
};

}  // namespace

arrow::Result<std::vector<YamlValue>> ParseYaml(std::string_view text) {
  yaml_parser_t parser;
  if (yaml_parser_initialize(&parser) == 0) return MakeError(ErrorKind::kInternal, "libyaml: out of memory");
  const std::unique_ptr<yaml_parser_t, decltype(&yaml_parser_delete)> parser_end(&parser, yaml_parser_delete);
  yaml_parser_set_input_string(&parser, reinterpret_cast<const unsigned char*>(text.data()), text.size());
  Flattener flat;
  while (true) {
    yaml_event_t event;
    // The parser's own words may quote the text, which may be a secret.
    if (yaml_parser_parse(&parser, &event) == 0) {
      return AtLine(static_cast<int>(parser.problem_mark.line) + 1, "not well-formed YAML");
    }
    const std::unique_ptr<yaml_event_t, decltype(&yaml_event_delete)> event_end(&event, yaml_event_delete);
    if (event.type == YAML_STREAM_END_EVENT) return std::move(flat.values);
    ARROW_RETURN_NOT_OK(flat.Take(event));
  }
}

}  // namespace frazil::iceberg

// SPDX-License-Identifier: Apache-2.0
//
// A YAML file as a flat list of values, each with the path of map keys that leads to it and its line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <arrow/result.h>

namespace frazil::iceberg {

struct YamlValue {
  std::vector<std::string> path;  // keys in lower case, at least one
  std::string text;               // as written; of a list, its items joined by blanks
  int line = 0;                   // from 1
};

// In the order of the text. Errors of kind usage, with the line: no YAML; not a map at the top; anchors, aliases, tags;
// a key twice; lists of lists or of maps; nested deeper than 20.
arrow::Result<std::vector<YamlValue>> ParseYaml(std::string_view text);

}  // namespace frazil::iceberg

// SPDX-License-Identifier: Apache-2.0
#include "src/iceberg/json.h"

#include <limits>

#include <nlohmann/json.hpp>

#include "frazil/error.h"
#include "src/base/text.h"

namespace frazil::iceberg {
namespace {

using nlohmann::json;

// Of a name in a path or a message.
constexpr size_t kShownBytesMax = 64;

std::string Joined(const std::string& path, std::string_view name) {
  std::string shown = Printable(name, kShownBytesMax);
  return path.empty() ? shown : path + "." + shown;
}

arrow::Status ErrorAt(ErrorKind kind, const std::string& path, const std::string& text) {
  return MakeError(kind, path.empty() ? text : path + ": " + text);
}

// Builds the tree from the parser's events and stops at the first limit.
class TreeBuilder final : public nlohmann::json_sax<json> {
 public:
  explicit TreeBuilder(const JsonLimits& limits) : limits_(limits) {}

  bool null() override { return Add(nullptr); }
  bool boolean(bool value) override { return Add(value); }
  bool number_integer(number_integer_t value) override { return Add(value); }
  bool number_unsigned(number_unsigned_t value) override { return Add(value); }
  bool number_float(number_float_t value, const string_t& /*text*/) override { return Add(value); }
  bool string(string_t& value) override { return Add(std::move(value)); }
  bool binary(binary_t& /*value*/) override { return false; }
  bool start_object(size_t /*size*/) override { return Open(json::object()); }
  bool start_array(size_t /*size*/) override { return Open(json::array()); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }

  bool key(string_t& name) override {
    if (open_.back()->contains(name)) {
      return Stop(ErrorAt(ErrorKind::kCorrupt, Path(name), "the name is there twice"));
    }
    name_ = std::move(name);
    return true;
  }

  bool parse_error(size_t /*position*/, const std::string& /*token*/,
                   const nlohmann::detail::exception& error) override {
    std::string_view text = error.what();
    if (const size_t end = text.find("] "); text.starts_with('[') && end != std::string_view::npos) {
      text.remove_prefix(end + 2);
    }
    return Stop(MakeError(ErrorKind::kCorrupt, "not JSON: " + Printable(text, 300)));
  }

  arrow::Result<json> Finish(bool parsed) {
    if (!status_.ok()) return status_;
    if (!parsed) return MakeError(ErrorKind::kCorrupt, "not JSON");
    return std::move(root_);
  }

 private:
  // Where the value that comes next belongs.
  json* Place(json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    json& parent = *open_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    return &(parent[name_] = std::move(value));
  }

  bool Add(json value) {
    if (++values_ > limits_.values_max) {
      return Stop(MakeError(ErrorKind::kBudget,
                            "more than " + std::to_string(limits_.values_max) + " values in one JSON text"));
    }
    Place(std::move(value));
    return true;
  }

  bool Open(json container) {
    if (static_cast<int>(open_.size()) >= limits_.depth_max) {
      return Stop(MakeError(ErrorKind::kCorrupt,
                            "JSON nested more than " + std::to_string(limits_.depth_max) + " levels deep"));
    }
    if (++values_ > limits_.values_max) return Add(nullptr);
    open_.push_back(Place(std::move(container)));
    names_.push_back(name_);
    return true;
  }

  bool Close() {
    open_.pop_back();
    names_.pop_back();
    return true;
  }

  // The place of a member `name` of the innermost object.
  std::string Path(const std::string& name) const {
    std::string path;
    for (size_t i = 1; i < open_.size(); ++i) {
      const bool in_array = open_[i - 1]->is_array();
      path = in_array ? path + "[" + std::to_string(open_[i - 1]->size() - 1) + "]" : Joined(path, names_[i]);
    }
    return Joined(path, name);
  }

  bool Stop(arrow::Status status) {
    status_ = std::move(status);
    return false;
  }

  const JsonLimits& limits_;
  json root_;
  // Containers not closed yet. A container does not move while one inside it is open: only the innermost grows.
  std::vector<json*> open_;
  std::vector<std::string> names_;  // of the member each of `open_` is, where it is one
  std::string name_;
  int64_t values_ = 0;
  arrow::Status status_;
};

template <typename T>
bool FitsInteger(const json& value) {
  if (value.is_number_unsigned()) return value.get<uint64_t>() <= static_cast<uint64_t>(std::numeric_limits<T>::max());
  const auto number = value.get<int64_t>();
  return number >= std::numeric_limits<T>::min() && number <= std::numeric_limits<T>::max();
}

}  // namespace

bool JsonField::is_object() const { return value_->is_object(); }
bool JsonField::is_array() const { return value_->is_array(); }
bool JsonField::is_string() const { return value_->is_string(); }
bool JsonField::is_bool() const { return value_->is_boolean(); }
bool JsonField::is_number() const { return value_->is_number(); }

arrow::Status JsonField::Error(std::string text) const { return ErrorAt(ErrorKind::kCorrupt, path_, text); }

arrow::Status JsonField::Mismatch(const char* expected) const {
  const std::string_view found = value_->is_boolean() ? "true or false" : value_->type_name();
  return Error(std::string(expected) + " expected, found " + std::string(found));
}

template <>
arrow::Result<bool> JsonField::As<bool>() const {
  if (!value_->is_boolean()) return Mismatch("true or false");
  return value_->get<bool>();
}

template <>
arrow::Result<int64_t> JsonField::As<int64_t>() const {
  if (!value_->is_number_integer()) return Mismatch("an integer");
  if (!FitsInteger<int64_t>(*value_)) return Error("the integer " + Dump() + " does not fit 64 bits");
  return value_->get<int64_t>();
}

template <>
arrow::Result<int32_t> JsonField::As<int32_t>() const {
  if (!value_->is_number_integer()) return Mismatch("an integer");
  if (!FitsInteger<int32_t>(*value_)) return Error("the integer " + Dump() + " does not fit 32 bits");
  return value_->get<int32_t>();
}

template <>
arrow::Result<uint64_t> JsonField::As<uint64_t>() const {
  if (!value_->is_number_integer()) return Mismatch("an integer");
  if (!value_->is_number_unsigned()) return Error("the integer " + Dump() + " is negative");
  return value_->get<uint64_t>();
}

template <>
arrow::Result<double> JsonField::As<double>() const {
  if (!value_->is_number()) return Mismatch("a number");
  return value_->get<double>();
}

template <>
arrow::Result<std::string> JsonField::As<std::string>() const {
  if (!value_->is_string()) return Mismatch("text");
  return value_->get_ref<const std::string&>();
}

template <>
arrow::Result<JsonField> JsonField::As<JsonField>() const {
  return *this;
}

template <>
arrow::Result<std::vector<JsonField>> JsonField::As<std::vector<JsonField>>() const {
  if (!value_->is_array()) return Mismatch("an array");
  std::vector<JsonField> items;
  items.reserve(value_->size());
  for (const json& item : *value_) items.emplace_back(&item, path_ + "[" + std::to_string(items.size()) + "]");
  return items;
}

template <>
arrow::Result<std::vector<int32_t>> JsonField::As<std::vector<int32_t>>() const {
  ARROW_ASSIGN_OR_RAISE(const std::vector<JsonField> items, As<std::vector<JsonField>>());
  std::vector<int32_t> numbers;
  numbers.reserve(items.size());
  for (const JsonField& item : items) {
    ARROW_ASSIGN_OR_RAISE(const int32_t number, item.As<int32_t>());
    numbers.push_back(number);
  }
  return numbers;
}

arrow::Result<std::optional<JsonField>> JsonField::Member(std::string_view name) const {
  if (!value_->is_object()) return Mismatch("an object");
  const auto found = value_->find(name);
  if (found == value_->end() || found->is_null()) return std::nullopt;
  return JsonField(&*found, Joined(path_, name));
}

arrow::Result<std::vector<std::pair<std::string, JsonField>>> JsonField::Members() const {
  if (!value_->is_object()) return Mismatch("an object");
  std::vector<std::pair<std::string, JsonField>> members;
  members.reserve(value_->size());
  for (const auto& [name, value] : value_->items()) {
    if (!value.is_null()) members.emplace_back(name, JsonField(&value, Joined(path_, name)));
  }
  return members;
}

std::string JsonField::Dump() const { return value_->dump(-1, ' ', false, json::error_handler_t::replace); }

arrow::Result<JsonDocument> JsonDocument::Parse(std::string_view text, const JsonLimits& limits) {
  if (static_cast<int64_t>(text.size()) > limits.text_bytes_max) {
    return MakeError(ErrorKind::kBudget, "JSON text of " + std::to_string(text.size()) + " bytes; at most " +
                                             std::to_string(limits.text_bytes_max) + " are read");
  }
  TreeBuilder builder(limits);
  const bool parsed = json::sax_parse(text.begin(), text.end(), &builder);
  ARROW_ASSIGN_OR_RAISE(json tree, builder.Finish(parsed));
  return JsonDocument(std::make_shared<const json>(std::move(tree)));
}

}  // namespace frazil::iceberg

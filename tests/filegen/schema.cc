// SPDX-License-Identifier: Apache-2.0
#include "tests/filegen/schema.h"

#include <utility>

namespace frazil::filegen {

namespace {

Node Annotated(Node node, Annotation annotation) {
  node.annotation = annotation;
  return node;
}

void Collect(const Node& node, LeafInfo info, std::vector<LeafInfo>* out) {
  info.path.push_back(node.name);
  if (node.repetition != kRequired) ++info.max_def_level;
  if (node.repetition == kRepeated) ++info.max_rep_level;
  if (node.is_leaf()) {
    info.node = &node;
    out->push_back(std::move(info));
    return;
  }
  for (const Node& child : node.children) Collect(child, info, out);
}

}  // namespace

Node Leaf(std::string name, ::parquet::Type::type physical, ::parquet::Repetition::type repetition) {
  Node node;
  node.name = std::move(name);
  node.physical = physical;
  node.repetition = repetition;
  return node;
}

Node FixedLeaf(std::string name, int32_t type_length, ::parquet::Repetition::type repetition) {
  Node node = Leaf(std::move(name), ::parquet::Type::FIXED_LEN_BYTE_ARRAY, repetition);
  node.type_length = type_length;
  return node;
}

Node StringLeaf(std::string name, ::parquet::Repetition::type repetition) {
  return Annotated(Leaf(std::move(name), ::parquet::Type::BYTE_ARRAY, repetition), {.kind = Annotation::Kind::kString});
}

Node IntLeaf(std::string name, int bit_width, bool is_signed, ::parquet::Repetition::type repetition) {
  auto physical = bit_width == 64 ? ::parquet::Type::INT64 : ::parquet::Type::INT32;
  return Annotated(Leaf(std::move(name), physical, repetition),
                   {.kind = Annotation::Kind::kInt, .bit_width = bit_width, .is_signed = is_signed});
}

Node DecimalLeaf(std::string name, ::parquet::Type::type physical, int32_t precision, int32_t scale,
                 int32_t type_length, ::parquet::Repetition::type repetition) {
  Node node = Leaf(std::move(name), physical, repetition);
  node.type_length = type_length;
  return Annotated(std::move(node), {.kind = Annotation::Kind::kDecimal, .precision = precision, .scale = scale});
}

Node DateLeaf(std::string name, ::parquet::Repetition::type repetition) {
  return Annotated(Leaf(std::move(name), ::parquet::Type::INT32, repetition), {.kind = Annotation::Kind::kDate});
}

Node TimeLeaf(std::string name, TimeUnit unit, bool utc, ::parquet::Repetition::type repetition) {
  auto physical = unit == TimeUnit::kMilli ? ::parquet::Type::INT32 : ::parquet::Type::INT64;
  return Annotated(Leaf(std::move(name), physical, repetition),
                   {.kind = Annotation::Kind::kTime, .unit = unit, .utc = utc});
}

Node TimestampLeaf(std::string name, TimeUnit unit, bool utc, ::parquet::Repetition::type repetition) {
  return Annotated(Leaf(std::move(name), ::parquet::Type::INT64, repetition),
                   {.kind = Annotation::Kind::kTimestamp, .unit = unit, .utc = utc});
}

Node UuidLeaf(std::string name, ::parquet::Repetition::type repetition) {
  return Annotated(FixedLeaf(std::move(name), 16, repetition), {.kind = Annotation::Kind::kUuid});
}

Node Float16Leaf(std::string name, ::parquet::Repetition::type repetition) {
  return Annotated(FixedLeaf(std::move(name), 2, repetition), {.kind = Annotation::Kind::kFloat16});
}

Node StructOf(std::string name, std::vector<Node> children, ::parquet::Repetition::type repetition) {
  Node node;
  node.name = std::move(name);
  node.repetition = repetition;
  node.children = std::move(children);
  return node;
}

Node ListOf(std::string name, Node element, ::parquet::Repetition::type repetition) {
  std::vector<Node> elements;
  elements.push_back(std::move(element));
  std::vector<Node> middle;
  middle.push_back(StructOf("list", std::move(elements), kRepeated));
  Node node = StructOf(std::move(name), std::move(middle), repetition);
  node.annotation.kind = Annotation::Kind::kList;
  node.shape = Shape::kList3;
  return node;
}

Node List2Of(std::string name, Node element, ::parquet::Repetition::type repetition) {
  element.repetition = kRepeated;
  if (!element.is_leaf()) element.name = "array";
  std::vector<Node> elements;
  elements.push_back(std::move(element));
  Node node = StructOf(std::move(name), std::move(elements), repetition);
  node.annotation.kind = Annotation::Kind::kList;
  node.shape = Shape::kList2;
  return node;
}

Node MapOf(std::string name, Node key, Node value, ::parquet::Repetition::type repetition) {
  std::vector<Node> entry;
  entry.push_back(std::move(key));
  entry.push_back(std::move(value));
  std::vector<Node> middle;
  middle.push_back(StructOf("key_value", std::move(entry), kRepeated));
  Node node = StructOf(std::move(name), std::move(middle), repetition);
  node.annotation.kind = Annotation::Kind::kMap;
  node.shape = Shape::kMap;
  return node;
}

std::vector<LeafInfo> Leaves(const std::vector<Node>& schema) {
  std::vector<LeafInfo> leaves;
  for (const Node& node : schema) Collect(node, {}, &leaves);
  return leaves;
}

}  // namespace frazil::filegen

// SPDX-License-Identifier: Apache-2.0
//
// Binding: what filters mean for values and nulls, and what is said when they mean nothing.
#include "src/expr/bind.h"

#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "frazil/error.h"
#include "src/expr/parse.h"

namespace frazil::expr {
namespace {

Field Leaf(std::string name, ColumnType type, int ref = 0, bool repeated = false) {
  return {std::move(name), type, ref, repeated, {}};
}
Field Group(std::string name, std::vector<Field> children, int ref = -1, bool repeated = false) {
  return {std::move(name), {.kind = TypeKind::kGroup}, ref, repeated, std::move(children)};
}

const ColumnType kInt{.kind = TypeKind::kInt, .bit_width = 32};
const ColumnType kText{.kind = TypeKind::kString};

FieldTree Schema() {
  FieldTree schema;
  schema.fields = {
      Leaf("i", kInt, 0),
      Leaf("u", {.kind = TypeKind::kUInt, .bit_width = 8}, 1),
      Leaf("s", kText, 2),
      Leaf("d", {.kind = TypeKind::kDouble}, 3),
      Leaf("bin", {.kind = TypeKind::kBinary}, 4),
      Group("user", {Leaf("name", kText, 5), Group("home", {Leaf("city", kText, 6)}, -3)}, -2),
      Group("tags", {Group("list", {Leaf("element", kText, 7, true)}, -5, true)}, -4),
      Leaf("shape", {.kind = TypeKind::kUnsupported}, 8),
      Leaf("a.b", kInt, 9),
      Leaf("event_id", kInt, 10),
      Leaf("twin", kInt, 11),
      Leaf("twin", kText, 12),
      Leaf("fx", {.kind = TypeKind::kFixed, .byte_width = 2}, 13),
      Leaf("dt", {.kind = TypeKind::kDate}, 14),
  };
  return schema;
}

arrow::Result<BoundFilter> BindText(std::string_view text) {
  ARROW_ASSIGN_OR_RAISE(const ExpressionPtr expression, ParseFilter(text));
  return Bind(expression, Schema(), text);
}

BoundFilter Bound(std::string_view text) {
  auto result = BindText(text);
  EXPECT_TRUE(result.ok()) << text << ": " << result.status();
  return result.ok() ? std::move(*result) : BoundFilter{};
}

std::string ErrorOf(std::string_view text, ErrorKind kind = ErrorKind::kUsage) {
  const auto result = BindText(text);
  if (result.ok()) return "no error";
  EXPECT_EQ(KindOf(result.status()), kind) << text;
  return result.status().message();
}

// Whether the predicate is true of a row; `keys` are the values of BoundFilter::columns, unset for null.
bool True(const Predicate& predicate, const std::vector<std::optional<Key>>& keys) {
  switch (predicate.kind) {
    case Predicate::Kind::kTrue:
      return true;
    case Predicate::Kind::kFalse:
      return false;
    case Predicate::Kind::kLeaf: {
      const auto& leaf = predicate.leaf;
      const auto& key = keys[static_cast<size_t>(leaf.column)];
      if (!key) return leaf.matches_null;
      if (const auto* number = std::get_if<Int128>(&*key)) return std::get<0>(leaf.keys).Contains(*number);
      const auto& text = std::get<std::string>(*key);
      const bool pattern_holds = leaf.is_exact() || leaf.pattern->Matches(text) != leaf.pattern_negated;
      return std::get<1>(leaf.keys).Contains(text) && pattern_holds;
    }
    default:
      for (const Predicate& child : predicate.children) {
        const bool decides = True(child, keys) == (predicate.kind == Predicate::Kind::kOr);
        if (decides) return predicate.kind == Predicate::Kind::kOr;
      }
      return predicate.kind == Predicate::Kind::kAnd;
  }
}

// A filter over one column, asked of one value.
bool Matches(std::string_view text, std::optional<Key> key) {
  const BoundFilter filter = Bound(text);
  return True(filter.root, std::vector<std::optional<Key>>(filter.columns.size(), key));
}
std::optional<Key> K(int value) { return Key(Int128{value}); }
std::optional<Key> K(double value) { return Key(Int128{DoubleKey(value)}); }
std::optional<Key> K(const char* value) { return Key(std::string(value)); }
const std::optional<Key> kNull;

TEST(Bind, ComparisonsNeverMatchNull) {
  for (const char* text : {"i = 1", "i <> 1", "i < 1", "i >= 1", "i IN (1)", "i NOT IN (1)", "i BETWEEN 1 AND 2",
                           "i NOT BETWEEN 1 AND 2", "s LIKE 'a%'", "s NOT LIKE 'a%'", "s NOT LIKE 'a%b'",
                           "s STARTS WITH ''", "NOT s STARTS WITH 'a'", "d IS NAN", "i IS NOT NULL", "u < 300"}) {
    EXPECT_FALSE(Matches(text, kNull)) << text;
    if (std::string(text).find("IS") == std::string::npos) {
      EXPECT_FALSE(Matches(std::string("NOT (") + text + ")", kNull)) << text;
    }
  }
  EXPECT_TRUE(Matches("i IS NULL", kNull));
  EXPECT_FALSE(Matches("i IS NULL", K(1)));
  EXPECT_TRUE(Matches("NOT i IS NULL", K(1)));
  EXPECT_FALSE(Matches("NOT i IS NULL", kNull));
  EXPECT_TRUE(Matches("NOT i IS NOT NULL", kNull));
}

TEST(Bind, NullLiterals) {
  for (const char* text : {"i = NULL", "i <> NULL", "i < NULL", "i IN (NULL)", "i NOT IN (1, NULL)",
                           "i BETWEEN NULL AND 5", "i BETWEEN 0 AND NULL", "i NOT IN (NULL)"}) {
    for (const auto& value : {K(0), K(1), K(9), kNull}) EXPECT_FALSE(Matches(text, value)) << text;
  }
  EXPECT_FALSE(Matches("NOT (i = NULL)", K(1)));
  EXPECT_FALSE(Matches("NOT (i NOT IN (1, NULL))", K(2)));
  EXPECT_TRUE(Matches("NOT (i NOT IN (1, NULL))", K(1)));
  EXPECT_TRUE(Matches("i IN (1, NULL)", K(1)));
  EXPECT_FALSE(Matches("i IN (1, NULL)", K(2)));
  EXPECT_TRUE(Matches("i NOT BETWEEN NULL AND 5", K(6))) << "x < NULL OR x > 5";
  EXPECT_FALSE(Matches("i NOT BETWEEN NULL AND 5", K(5)));
}

TEST(Bind, Nan) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(Matches("d IS NAN", K(nan)));
  EXPECT_FALSE(Matches("d IS NAN", K(1.0)));
  EXPECT_FALSE(Matches("d IS NAN", kNull));
  EXPECT_TRUE(Matches("d IS NOT NAN", K(1.0)));
  EXPECT_TRUE(Matches("d IS NOT NAN", kNull)) << "null is not NaN";
  EXPECT_FALSE(Matches("NOT d IS NAN", K(nan)));
  EXPECT_TRUE(Matches("NOT d IS NAN", kNull));
  EXPECT_FALSE(Matches("NOT d IS NOT NAN", kNull));
  EXPECT_TRUE(Matches("d > 5", K(nan)));
  EXPECT_TRUE(Matches("NOT d < 5", K(nan)));
  EXPECT_TRUE(Matches("d = 'NaN'", K(nan)));
  EXPECT_TRUE(Matches("d = 0.0", K(-0.0)));
  EXPECT_EQ(ErrorOf("i IS NAN"), "filter: IS NAN of column i at position 1, which is not floating-point but int32");
}

TEST(Bind, ListsAndRanges) {
  EXPECT_TRUE(Matches("i IN (3, 1, 3)", K(3)));
  EXPECT_FALSE(Matches("i IN (3, 1, 1.5)", K(2)));
  EXPECT_TRUE(Matches("i NOT IN (3, 1)", K(2)));
  EXPECT_TRUE(Matches("i BETWEEN 1 AND 3", K(3)));
  EXPECT_TRUE(Matches("i BETWEEN 0.5 AND 1.5", K(1)));
  EXPECT_FALSE(Matches("i BETWEEN 3 AND 1", K(2))) << "reversed ends are empty";
  EXPECT_TRUE(Matches("i NOT BETWEEN 3 AND 1", K(2)));
  EXPECT_TRUE(Matches("u IN (300, 1)", K(1)));
  EXPECT_TRUE(Bound("u IN (300, -1)").root.is_false() || Bound("u IN (300, -1)").root.leaf.keys_empty());
}

TEST(Bind, Patterns) {
  EXPECT_TRUE(Matches("s LIKE 'ab'", K("ab")));
  EXPECT_FALSE(Matches("s LIKE 'ab'", K("abc")));
  EXPECT_TRUE(Matches("s LIKE 'ab%'", K("abc")));
  EXPECT_FALSE(Matches("s LIKE 'ab%'", K("ac")));
  EXPECT_TRUE(Matches("s NOT LIKE 'ab%'", K("ac")));
  EXPECT_TRUE(Matches("s LIKE 'a%c'", K("abc")));
  EXPECT_FALSE(Matches("s LIKE 'a%c'", K("abd")));
  EXPECT_TRUE(Matches("s NOT LIKE 'a%c'", K("abd")));
  EXPECT_TRUE(Matches("NOT s LIKE 'a%c'", K("xc")));
  EXPECT_FALSE(Matches("NOT s NOT LIKE 'a%c'", K("xc")));
  EXPECT_TRUE(Matches("s LIKE '100\\%'", K("100%")));
  EXPECT_TRUE(Matches("s STARTS WITH 'a%'", K("a%b"))) << "no wildcards in a prefix";
  EXPECT_FALSE(Matches("s NOT STARTS WITH 'a'", K("ab")));
  const auto general = Bound("s LIKE 'ab%c'");
  ASSERT_EQ(general.root.kind, Predicate::Kind::kLeaf);
  EXPECT_FALSE(general.root.leaf.is_exact());
  EXPECT_EQ(std::get<1>(general.root.leaf.keys), IntervalSet<std::string>::Range("ab", "ac"));
  EXPECT_TRUE(Bound("s LIKE 'ab%'").root.leaf.is_exact());
  EXPECT_TRUE(Bound("s NOT LIKE 'ab%c'").root.leaf.pattern_negated);
  EXPECT_TRUE(Bound("s NOT LIKE 'ab%c'").root.leaf.keys_all());
  EXPECT_TRUE(Matches("bin LIKE 'ab%'", K("abc")));
  EXPECT_TRUE(Matches("bin STARTS WITH X'6162'", K("abc")));
  EXPECT_TRUE(Matches("fx STARTS WITH '\\x61'", K("ab")));
  EXPECT_NE(ErrorOf("bin LIKE 'a%b'").find("only a value or a prefix"), std::string::npos);
  EXPECT_NE(ErrorOf("i LIKE 'a%'").find("LIKE works on text columns only"), std::string::npos);
  EXPECT_NE(ErrorOf("i STARTS WITH 'a'").find("text, binary and fixed columns only"), std::string::npos);
  EXPECT_NE(ErrorOf("s STARTS WITH X'00'").find("single quotes"), std::string::npos);
}

TEST(Bind, LeafTextIsTheConditionPushed) {
  EXPECT_EQ(Bound("NOT i < 3").root.leaf.text, "i >= 3");
  EXPECT_EQ(Bound("NOT (i NOT IN (1, 2))").root.leaf.text, "i IN (1, 2)");
  EXPECT_EQ(Bound("NOT s LIKE 'a%b'").root.leaf.text, "s NOT LIKE 'a%b'");
}

TEST(Bind, LongListsAreCutInText) {
  EXPECT_EQ(Bound("i IN (1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23)").root.leaf.text,
            "i IN (1, 3, 5, 7, 9, 11, 13, 15, 17, 19, ... 2 more)");
}

TEST(Bind, Columns) {
  const BoundFilter filter = Bound("i = 1 AND user.home.city = 'x' OR i = 2 AND \"a.b\" = 3 OR tags IS NULL");
  ASSERT_EQ(filter.columns.size(), 4u) << "each column once";
  EXPECT_EQ(filter.columns[0].path, "i");
  EXPECT_EQ(filter.columns[1].path, "user.home.city");
  EXPECT_EQ(filter.columns[1].ref, 6);
  EXPECT_EQ(filter.columns[2].path, "\"a.b\"");
  EXPECT_EQ(filter.columns[2].ref, 9);
  EXPECT_EQ(filter.columns[3].ref, -4);
}

TEST(Bind, GroupsAndRepeated) {
  EXPECT_TRUE(Matches("user IS NULL", kNull));
  EXPECT_TRUE(Matches("user.home IS NOT NULL", K(0)));
  EXPECT_TRUE(Matches("shape IS NULL", kNull));
  EXPECT_NE(ErrorOf("user = 1", ErrorKind::kUnsupported).find("struct, list or map"), std::string::npos);
  EXPECT_NE(ErrorOf("tags IN ('x')", ErrorKind::kUnsupported).find("struct, list or map"), std::string::npos);
  EXPECT_NE(ErrorOf("shape > 1", ErrorKind::kUnsupported).find("without an order"), std::string::npos);
  for (const char* text : {"tags.list.element = 'x'", "tags.list.element IS NULL", "tags.list IS NOT NULL"}) {
    EXPECT_NE(ErrorOf(text, ErrorKind::kUnsupported).find("inside a list or map"), std::string::npos) << text;
  }
}

TEST(Bind, UnknownColumns) {
  EXPECT_EQ(ErrorOf("i=1 AND evnt_id = 5"), "filter: unknown column evnt_id at position 9; did you mean event_id?");
  EXPECT_EQ(ErrorOf("I = 5"), "filter: unknown column I at position 1; did you mean i?");
  // A dotted path that leads nowhere is the plain name, where there is one.
  EXPECT_EQ((*ResolveField(Schema(), {{"a", "b"}, 0}))->name, "a.b");
  EXPECT_EQ(ErrorOf("\"user.name\" = 'x'"),
            "filter: unknown column \"user.name\" at position 1; did you mean user.name?");
  EXPECT_EQ(ErrorOf("city = 'x'"), "filter: unknown column city at position 1; did you mean user.home.city?");
  EXPECT_EQ(ErrorOf("user.zzzzzz = 'x'"),
            "filter: unknown column user.zzzzzz at position 1; the fields of it are user.name, user.home");
  EXPECT_EQ(ErrorOf("\"z;z\" = 1"),
            "filter: unknown column \"z;z\" at position 1; the columns are i, u, s, d, bin, user, tags, shape, "
            "\"a.b\", event_id and 4 more");
  EXPECT_EQ(ErrorOf("i.x = 1").substr(0, 42), "filter: unknown column i.x at position 1; ");
  EXPECT_EQ(ErrorOf("twin = 1"), "filter: column twin at position 1 is ambiguous: there are two of that name");
  EXPECT_EQ(ResolveField({}, {{"x"}, 0}).status().message(), "unknown column x; there are no columns");
  EXPECT_FALSE(ResolveField(Schema(), {}).ok());
  EXPECT_EQ((*ResolveField(Schema(), {{"user", "home", "city"}, 0}))->ref, 6);
}

TEST(Bind, LiteralsOfOtherTypes) {
  EXPECT_EQ(ErrorOf("i = 'x'"), "filter: 'x' at position 5 does not go with column i (int32): write a number");
  EXPECT_EQ(ErrorOf("s IN ('x', 42)"),
            "filter: 42 at position 12 does not go with column s (string): write text in single quotes: '42'");
  EXPECT_EQ(ErrorOf("s = 'é' OR dt < 5"),
            "filter: 5 at position 17 does not go with column dt (date): write a date: DATE '2024-01-31'");
  const auto without_text = Bind(*ParseFilter("i = 'x'"), Schema(), "");
  EXPECT_EQ(without_text.status().message(), "filter: 'x' does not go with column i (int32): write a number");
}

TEST(Bind, TreesMadeInCode) {
  EXPECT_FALSE(Bind(nullptr, Schema(), "").ok());
  auto compare = std::make_shared<Expression>();
  compare->kind = Expression::Kind::kCompare;
  compare->column.parts = {"i"};
  EXPECT_EQ(KindOf(Bind(compare, Schema(), "").status()), ErrorKind::kUsage) << "no literal";
  ExpressionPtr deep = *ParseFilter("i = 1");
  for (int i = 0; i < 3 * kFilterDepthMax; ++i) {
    auto negation = std::make_shared<Expression>();
    negation->kind = Expression::Kind::kNot;
    negation->children.push_back(deep);
    deep = negation;
  }
  EXPECT_EQ(KindOf(Bind(deep, Schema(), "").status()), ErrorKind::kUsage);
  std::string text = "i = 1";
  for (int i = 0; i < kFilterDepthMax; ++i) text = "(i = 2 OR i = 3 AND " + text + ")";
  EXPECT_TRUE(BindText(text).ok()) << "all that parses is shallow enough";
}

// Three-valued evaluation of the tree as written, with NOT where it stands.
enum class Truth { kFalse, kUnknown, kTrue };

Truth Evaluate(const Expression& expression, std::optional<int> value) {
  const auto of = [](bool holds) { return holds ? Truth::kTrue : Truth::kFalse; };
  const auto negate = [](Truth truth) { return static_cast<Truth>(2 - static_cast<int>(truth)); };
  const auto compare = [&](Expression::Op op, const Literal& literal) {
    if (!value || literal.kind == Literal::Kind::kNull) return Truth::kUnknown;
    const double a = *value;
    const double b = std::stod(literal.text);
    switch (op) {
      case Expression::Op::kEq:
        return of(a == b);
      case Expression::Op::kNe:
        return of(a != b);
      case Expression::Op::kLt:
        return of(a < b);
      case Expression::Op::kLe:
        return of(a <= b);
      case Expression::Op::kGt:
        return of(a > b);
      case Expression::Op::kGe:
        return of(a >= b);
    }
    return Truth::kUnknown;
  };
  Truth truth = Truth::kTrue;
  switch (expression.kind) {
    case Expression::Kind::kConstant:
      return of(expression.constant);
    case Expression::Kind::kNot:
      return negate(Evaluate(*expression.children[0], value));
    case Expression::Kind::kAnd:
      for (const auto& child : expression.children) truth = std::min(truth, Evaluate(*child, value));
      return truth;
    case Expression::Kind::kOr:
      truth = Truth::kFalse;
      for (const auto& child : expression.children) truth = std::max(truth, Evaluate(*child, value));
      return truth;
    case Expression::Kind::kCompare:
      return compare(expression.op, expression.literals[0]);
    case Expression::Kind::kIsNull:
      truth = of(!value);
      break;
    case Expression::Kind::kBetween:
      truth = std::min(compare(Expression::Op::kGe, expression.literals[0]),
                       compare(Expression::Op::kLe, expression.literals[1]));
      break;
    default:  // IN
      truth = Truth::kFalse;
      for (const auto& literal : expression.literals) truth = std::max(truth, compare(Expression::Op::kEq, literal));
      break;
  }
  return expression.negated ? negate(truth) : truth;
}

class RandomFilters {
 public:
  explicit RandomFilters(unsigned seed) : random_(seed) {}

  std::string Tree(int depth) {
    switch (depth == 0 ? 0 : random_() % 4) {
      case 0:
        return Test();
      case 1:
        return "NOT (" + Tree(depth - 1) + ")";
      case 2:
        return "(" + Tree(depth - 1) + ") AND (" + Tree(depth - 1) + ")";
      default:
        return "(" + Tree(depth - 1) + ") OR (" + Tree(depth - 1) + ")";
    }
  }

 private:
  std::string Number() {
    const int halves = static_cast<int>(random_() % 24) - 6;
    return random_() % 8 == 0 ? "NULL" : std::to_string(halves / 2.0);
  }
  std::string Test() {
    const char* const ops[] = {" = ", " <> ", " < ", " <= ", " > ", " >= "};
    const std::string maybe_not = random_() % 2 == 0 ? " NOT" : "";
    switch (random_() % 6) {
      case 0:
        return "u IS" + maybe_not + " NULL";
      case 1:
        return "u" + maybe_not + " IN (" + Number() + ", " + Number() + ", " + Number() + ")";
      case 2:
        return "u" + maybe_not + " BETWEEN " + Number() + " AND " + Number();
      case 3:
        return random_() % 4 == 0 ? "TRUE" : Number() + ops[random_() % 6] + "u";
      default:
        return "u" + std::string(ops[random_() % 6]) + Number();
    }
  }

  std::mt19937 random_;
};

TEST(Bind, AgreesWithThreeValuedLogic) {
  const unsigned seed = std::random_device{}();
  RandomFilters random(seed);
  for (int i = 0; i < 5000; ++i) {
    const std::string text = random.Tree(4);
    const auto expression = ParseFilter(text);
    ASSERT_TRUE(expression.ok()) << text;
    const auto filter = Bind(*expression, Schema(), text);
    ASSERT_TRUE(filter.ok()) << text << filter.status();
    for (int value = -1; value <= 10; ++value) {
      const std::optional<int> given = value < 0 ? std::nullopt : std::optional<int>(value);
      const std::optional<Key> key = given ? K(*given) : kNull;
      const bool expected = Evaluate(**expression, given) == Truth::kTrue;
      ASSERT_EQ(True(filter->root, std::vector<std::optional<Key>>(filter->columns.size(), key)), expected)
          << text << "\nvalue " << value << "\nbound " << filter->root.ToString() << "\nseed " << seed;
    }
  }
}

}  // namespace
}  // namespace frazil::expr

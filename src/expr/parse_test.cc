// SPDX-License-Identifier: Apache-2.0
#include "src/expr/parse.h"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "frazil/error.h"

namespace frazil::expr {
namespace {

using Kind = Expression::Kind;

ExpressionPtr Parsed(std::string_view text) {
  auto result = ParseFilter(text);
  EXPECT_TRUE(result.ok()) << text << ": " << result.status();
  return result.ok() ? *result : std::make_shared<Expression>();
}

// The canonical text: enough to see the tree, because parentheses and NOT are kept.
std::string Canonical(std::string_view text) { return Parsed(text)->ToString(); }

std::string ErrorOf(std::string_view text) {
  const auto result = ParseFilter(text);
  if (result.ok()) return "no error";
  EXPECT_EQ(KindOf(result.status()), ErrorKind::kUsage);
  EXPECT_EQ(result.status().message().find('\n'), std::string::npos) << "one line";
  return result.status().message();
}

TEST(Parse, Comparisons) {
  EXPECT_EQ(Canonical("a=1"), "a = 1");
  EXPECT_EQ(Canonical("a==1"), "a = 1");
  EXPECT_EQ(Canonical("a!=1"), "a <> 1");
  EXPECT_EQ(Canonical("a<-1"), "a < -1");
  EXPECT_EQ(Canonical("a<=+1"), "a <= 1");
  EXPECT_EQ(Canonical("a>- 1"), "a > -1");
  EXPECT_EQ(Canonical("a>=.5e-3"), "a >= .5e-3");
  EXPECT_EQ(Canonical("5 < a"), "a > 5");
  EXPECT_EQ(Canonical("5 >= a"), "a <= 5");
  EXPECT_EQ(Canonical("'x' = a"), "a = 'x'");
  EXPECT_EQ(Canonical("TRUE = a"), "a = TRUE");
  EXPECT_EQ(Canonical("NULL <> a"), "a <> NULL");
  EXPECT_EQ(Canonical("a\n=\t1\r\n"), "a = 1");
}

TEST(Parse, Literals) {
  EXPECT_EQ(Canonical("a = 'it''s'"), "a = 'it''s'");
  EXPECT_EQ(Canonical("a = ''"), "a = ''");
  EXPECT_EQ(Canonical("a = x'00FF'"), "a = X'00ff'");
  EXPECT_EQ(Canonical("a = X''"), "a = X''");
  EXPECT_EQ(Canonical("a = date '2024-01-02'"), "a = DATE '2024-01-02'");
  EXPECT_EQ(Canonical("a = TIME'03:04'"), "a = TIME '03:04'");
  EXPECT_EQ(Canonical("a = timestamp '2024-01-02'"), "a = TIMESTAMP '2024-01-02'");
  EXPECT_EQ(Canonical("a = TIMESTAMPTZ '2024-01-02 03:04:05'"), "a = TIMESTAMP '2024-01-02 03:04:05Z'");
  EXPECT_EQ(Canonical("a = TIMESTAMPTZ '2024-01-02 03:04:05+02'"), "a = TIMESTAMP '2024-01-02 03:04:05+02'");
  EXPECT_EQ(Canonical("a = DECIMAL '+1.50'"), "a = 1.50");
  EXPECT_EQ(Canonical("a = UUID 'x'"), "a = UUID 'x'");
  EXPECT_EQ(Canonical("a = false"), "a = FALSE");
  const auto number = Parsed("a = 0123456789012345678901234567890123456789.10")->literals[0];
  EXPECT_EQ(number.text, "0123456789012345678901234567890123456789.10") << "no digit is lost";
  EXPECT_EQ(Parsed("  a = 'x'")->literals[0].position, 6u);
  EXPECT_EQ(Parsed("  a = 'x'")->column.position, 2u);
}

TEST(Parse, Tests) {
  EXPECT_EQ(Canonical("a between 1 and 2 and b is null"), "a BETWEEN 1 AND 2 AND b IS NULL");
  EXPECT_EQ(Canonical("a NOT BETWEEN 1 AND 2"), "a NOT BETWEEN 1 AND 2");
  EXPECT_EQ(Canonical("a IN(1,NULL,'x')"), "a IN (1, NULL, 'x')");
  EXPECT_EQ(Canonical("a not in (1)"), "a NOT IN (1)");
  EXPECT_EQ(Canonical("a IS NOT NULL"), "a IS NOT NULL");
  EXPECT_EQ(Canonical("a is nan"), "a IS NAN");
  EXPECT_EQ(Canonical("a IS NOT NAN"), "a IS NOT NAN");
  EXPECT_EQ(Canonical("a LIKE 'x%'"), "a LIKE 'x%'");
  EXPECT_EQ(Canonical("a NOT LIKE 'x%'"), "a NOT LIKE 'x%'");
  EXPECT_EQ(Canonical("a starts with 'x'"), "a STARTS WITH 'x'");
  EXPECT_EQ(Canonical("a NOT STARTS WITH X'00'"), "a NOT STARTS WITH X'00'");
  EXPECT_EQ(Canonical("TRUE"), "TRUE");
  EXPECT_EQ(Canonical("NOT false OR a = 1"), "NOT FALSE OR a = 1");
}

TEST(Parse, Precedence) {
  const ExpressionPtr tree = Parsed("a = 1 OR b = 2 AND NOT c = 3 OR d = 4");
  ASSERT_EQ(tree->kind, Kind::kOr);
  ASSERT_EQ(tree->children.size(), 3u);
  ASSERT_EQ(tree->children[1]->kind, Kind::kAnd);
  EXPECT_EQ(tree->children[1]->children[1]->kind, Kind::kNot);
  EXPECT_EQ(Canonical("(a = 1 OR b = 2) AND c = 3"), "(a = 1 OR b = 2) AND c = 3");
  EXPECT_EQ(Canonical("((a = 1))"), "a = 1");
  EXPECT_EQ(Canonical("NOT NOT a = 1"), "NOT NOT a = 1");
  EXPECT_EQ(Canonical("NOT a = 1 AND b = 2"), "NOT a = 1 AND b = 2") << "NOT binds tighter than AND";
  EXPECT_EQ(Canonical("NOT (a = 1 AND b = 2)"), "NOT (a = 1 AND b = 2)");
}

TEST(Parse, Names) {
  EXPECT_EQ(Parsed("a.b.\"c d\" = 1")->column.parts, (std::vector<std::string>{"a", "b", "c d"}));
  EXPECT_EQ(Parsed("\"a.b\" = 1")->column.parts, (std::vector<std::string>{"a.b"}));
  EXPECT_EQ(Parsed("`a``b` = 1")->column.parts, (std::vector<std::string>{"a`b"}));
  EXPECT_EQ(Parsed("\"a\"\"b\" = 1")->column.parts, (std::vector<std::string>{"a\"b"}));
  EXPECT_EQ(Parsed("\"\" = 1")->column.parts, (std::vector<std::string>{""}));
  EXPECT_EQ(Parsed("größe$1 = 1")->column.parts, (std::vector<std::string>{"größe$1"}));
  EXPECT_EQ(Parsed("a . b = 1")->column.parts, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(Canonical("a.\"b c\".\"null\" = 1"), "a.\"b c\".\"null\" = 1");
  // Key words are names where only a column can stand.
  for (const char* word : {"date", "time", "timestamp", "uuid", "decimal", "in", "is", "like", "between", "starts", "x",
                           "with", "nan", "select"}) {
    EXPECT_EQ(Canonical(std::string(word) + " = 1"), std::string(word) + " = 1");
    EXPECT_EQ(Canonical(std::string(word) + " IN (1)"), std::string(word) + " IN (1)");
    EXPECT_EQ(Canonical("a." + std::string(word) + " IS NULL"), "a." + std::string(word) + " IS NULL");
  }
  EXPECT_EQ(Canonical("date >= DATE '2024-01-01'"), "date >= DATE '2024-01-01'");
  EXPECT_EQ(Canonical("a.null = 1 AND a.or = 2"), "a.\"null\" = 1 AND a.\"or\" = 2");
}

TEST(Parse, ErrorsNameThePlace) {
  EXPECT_EQ(ErrorOf(""), "filter: expected a column name, found the end at position 1");
  EXPECT_EQ(ErrorOf("a = 1 b"), "filter: expected AND, OR or the end, found \"b\" at position 7");
  EXPECT_EQ(ErrorOf("a = "), "filter: expected a literal, found the end at position 5");
  EXPECT_EQ(ErrorOf("a = 1 AND AND b = 2"), "filter: expected a condition, found \"AND\" at position 11");
  EXPECT_EQ(ErrorOf("a = b"),
            "filter: expected a literal (columns can not be compared with each other; text is written in single "
            "quotes), found \"b\" at position 5");
  EXPECT_EQ(ErrorOf("é = 'x"), "filter: no closing ' for the quote opened at position 5") << "characters, not bytes";
  EXPECT_EQ(ErrorOf("a = 12abc"),
            "filter: \"12abc\" is neither a number nor a name (a name like this needs double quotes) at position 5");
  EXPECT_EQ(ErrorOf("a.1 = 5"), "filter: a name that begins with a digit needs double quotes at position 3");
  EXPECT_EQ(ErrorOf("a IS 5"), "filter: expected NULL or NAN, found \"5\" at position 6");
  EXPECT_EQ(ErrorOf("a = X'0'"),
            "filter: expected pairs of hexadecimal digits, as in X'00ff', found \"X'0'\" at position 5");
  EXPECT_EQ(ErrorOf("(a = 1"), "filter: expected AND, OR or ), found the end at position 7");
  EXPECT_EQ(ErrorOf("a # 1"), "filter: unexpected character \"#\" at position 3");
  EXPECT_EQ(ErrorOf("1 = 1"),
            "filter: a comparison of two literals (a column name may need double quotes) at position 1");
}

TEST(Parse, Refusals) {
  for (const char* bad : {"a",
                          "a =",
                          "= 1",
                          "a = 1 OR",
                          "NOT",
                          "()",
                          "a IN ()",
                          "a IN (1,)",
                          "a IN 1",
                          "a BETWEEN 1",
                          "a BETWEEN 1 OR 2",
                          "a NOT = 1",
                          "a NOT NULL",
                          "a LIKE 5",
                          "a LIKE X'00'",
                          "a LIKE NULL",
                          "a STARTS 'x'",
                          "a STARTS WITH 5",
                          "a IS NOT",
                          "a..b = 1",
                          "a. = 1",
                          ".a = 1",
                          "a = --1",
                          "a = +'x'",
                          "a = -TRUE",
                          "a = DECIMAL 'x'",
                          "a = DECIMAL ''",
                          "a = 1)",
                          "'a' LIKE 'b'",
                          "NULL",
                          "5",
                          "a = 0x10",
                          "a = 1e",
                          "a => 1",
                          "a; = 1",
                          "\"a = 1",
                          "a-b = 1",
                          "a = 1 = 2",
                          "a b = 1",
                          "date '2024-01-01'",
                          "a AND b = 1"}) {
    EXPECT_NE(ErrorOf(bad), "no error") << bad;
  }
  EXPECT_NE(ErrorOf(std::string_view("a = 1\0", 6)), "no error");
}

TEST(Parse, DepthIsBounded) {
  const auto nested = [](int depth, const char* open, const char* close) {
    std::string text;
    for (int i = 0; i < depth; ++i) text += open;
    text += "a = 1";
    for (int i = 0; i < depth; ++i) text += close;
    return text;
  };
  EXPECT_EQ(Canonical(nested(kFilterDepthMax, "(", ")")), "a = 1");
  EXPECT_EQ(Parsed(nested(kFilterDepthMax, "NOT ", ""))->kind, Kind::kNot);
  EXPECT_NE(ErrorOf(nested(kFilterDepthMax + 1, "(", ")")), "no error");
  EXPECT_NE(ErrorOf(nested(kFilterDepthMax + 1, "NOT ", "")), "no error");
  EXPECT_NE(ErrorOf(std::string(10 << 20, '(')), "no error");
  EXPECT_NE(ErrorOf(nested(2 << 20, "NOT ", "")), "no error");
  // Depth is how deep, not how many.
  std::string wide = "(a = 1)";
  for (int i = 0; i < 2 * kFilterDepthMax; ++i) wide += " AND (NOT a = 1)";
  EXPECT_EQ(Parsed(wide)->children.size(), 2u * kFilterDepthMax + 1);
}

TEST(Parse, LengthIsBounded) {
  EXPECT_EQ(ErrorOf(std::string(kFilterBytesMax + 1, ' ')), "filter: longer than 16 MiB");
  EXPECT_NE(ErrorOf(std::string(10 << 20, ' ')), "no error");
  EXPECT_NE(ErrorOf(std::string(10 << 20, '\'')), "no error");
  EXPECT_NE(ErrorOf(std::string(10 << 20, 'a')), "no error");
  EXPECT_EQ(Parsed("a = '" + std::string(10 << 20, 'x') + "'")->literals[0].text.size(), size_t{10} << 20);
  std::string list = "a IN (1";
  for (int64_t i = 0; i < kFilterItemsMax; ++i) list += ",1";
  EXPECT_NE(ErrorOf(list + ")").find("more than 1048576 literals"), std::string::npos);
}

TEST(Parse, Paths) {
  EXPECT_EQ(ParseColumnPath("a.\"b c\"")->parts, (std::vector<std::string>{"a", "b c"}));
  EXPECT_EQ(ParseColumnPath("null")->parts, (std::vector<std::string>{"null"})) << "only a column can stand here";
  const auto list = ParseColumnList(" a , b.c,\"d,e\" ");
  ASSERT_TRUE(list.ok());
  ASSERT_EQ(list->size(), 3u);
  EXPECT_EQ((*list)[1].ToString(), "b.c");
  EXPECT_EQ((*list)[2].parts, (std::vector<std::string>{"d,e"}));
  for (const char* bad : {"", "a.", "a b", "a,b", "5", "'a'", "a-b"}) EXPECT_FALSE(ParseColumnPath(bad).ok()) << bad;
  for (const char* bad : {"", "a,", ",a", "a b", "a;b"}) EXPECT_FALSE(ParseColumnList(bad).ok()) << bad;
  EXPECT_EQ(ParseColumnPath("a b").status().message(),
            "column path: expected a point or the end (odd names need double quotes), found \"b\" at position 3");
}

// Equal but for positions.
bool Same(const Expression& a, const Expression& b) {
  if (a.kind != b.kind || a.constant != b.constant || a.negated != b.negated || a.op != b.op) return false;
  if (a.column.parts != b.column.parts || a.literals.size() != b.literals.size()) return false;
  for (size_t i = 0; i < a.literals.size(); ++i) {
    const Literal& x = a.literals[i];
    const Literal& y = b.literals[i];
    if (x.kind != y.kind || x.text != y.text || x.boolean != y.boolean) return false;
  }
  if (a.children.size() != b.children.size()) return false;
  for (size_t i = 0; i < a.children.size(); ++i) {
    if (!Same(*a.children[i], *b.children[i])) return false;
  }
  return true;
}

class RandomExpressions {
 public:
  explicit RandomExpressions(unsigned seed) : random_(seed) {}

  ExpressionPtr Tree(int depth) {
    auto node = std::make_shared<Expression>();
    const unsigned choice = depth == 0 ? 0 : Below(5);
    if (choice <= 1) return Test();
    node->kind = choice == 2 ? Kind::kNot : choice == 3 ? Kind::kAnd : Kind::kOr;
    const unsigned count = choice == 2 ? 1 : 2 + Below(3);
    for (unsigned i = 0; i < count; ++i) node->children.push_back(Tree(depth - 1));
    return node;
  }

 private:
  unsigned Below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }

  std::string Text() {
    const std::vector<std::string> pieces = {
        "a",    "'", "\"", "`", "\\", ".", " ", "é", "%", "_", "AND", "null", "1", "\n", std::string(1, '\0'),
        "\xFF", "$", "x",  "-"};
    std::string text;
    for (unsigned i = Below(4); i > 0; --i) text += pieces[Below(static_cast<unsigned>(pieces.size()))];
    return text;
  }
  ColumnPath Path() {
    ColumnPath path;
    for (unsigned i = 1 + Below(3); i > 0; --i) path.parts.push_back(Text());
    return path;
  }
  Literal AnyLiteral() {
    const std::vector<std::string> numbers = {"0",  "-0.0", "1e9", "-1.50e-3",
                                              ".5", "5.",   "007", "-123456789012345678901"};
    Literal literal;
    literal.kind = static_cast<Literal::Kind>(Below(9));
    if (literal.kind == Literal::Kind::kBool) {
      literal.boolean = Below(2) == 1;
    } else if (literal.kind == Literal::Kind::kNumber) {
      literal.text = numbers[Below(static_cast<unsigned>(numbers.size()))];
    } else if (literal.kind != Literal::Kind::kNull) {
      literal.text = Text();
    }
    return literal;
  }
  ExpressionPtr Test() {
    auto test = std::make_shared<Expression>();
    test->kind = static_cast<Kind>(Below(static_cast<unsigned>(Kind::kStartsWith) + 1));
    if (test->kind == Kind::kConstant) {
      test->constant = Below(2) == 1;
      return test;
    }
    test->column = Path();
    if (test->kind == Kind::kCompare) {
      test->op = static_cast<Expression::Op>(Below(6));
      test->literals.push_back(AnyLiteral());
      return test;
    }
    test->negated = Below(2) == 1;
    if (test->kind == Kind::kLike || test->kind == Kind::kStartsWith) {
      Literal pattern;
      pattern.kind = Literal::Kind::kString;
      pattern.text = Text();
      test->literals.push_back(std::move(pattern));
    } else if (test->kind == Kind::kBetween || test->kind == Kind::kIn) {
      const unsigned count = test->kind == Kind::kBetween ? 2 : 1 + Below(4);
      for (unsigned i = 0; i < count; ++i) test->literals.push_back(AnyLiteral());
    }
    return test;
  }

  std::mt19937 random_;
};

TEST(Parse, ToStringReadsBackEqual) {
  const unsigned seed = std::random_device{}();
  RandomExpressions random(seed);
  for (int i = 0; i < 5000; ++i) {
    const ExpressionPtr tree = random.Tree(5);
    const std::string text = tree->ToString();
    const auto back = ParseFilter(text);
    ASSERT_TRUE(back.ok()) << back.status() << "\n" << text << "\nseed " << seed;
    ASSERT_TRUE(Same(*tree, **back)) << text << "\n" << (*back)->ToString() << "\nseed " << seed;
  }
}

TEST(Parse, DamagedTextNeverCrashes) {
  const unsigned seed = std::random_device{}();
  RandomExpressions random(seed);
  std::mt19937 damage(seed);
  int accepted = 0;
  for (int i = 0; i < 5000; ++i) {
    std::string text = random.Tree(3)->ToString();
    for (int j = 0; j < 3; ++j) {
      const size_t at = damage() % text.size();
      if (damage() % 2 == 0) {
        text[at] = static_cast<char>(damage());
      } else {
        text.erase(at, 1);
        text += ' ';
      }
    }
    const auto result = ParseFilter(text);
    if (result.ok()) {
      ++accepted;
      // What was accepted is stable.
      const std::string canonical = (*result)->ToString();
      EXPECT_EQ(Canonical(canonical), canonical) << "seed " << seed;
    } else {
      EXPECT_EQ(KindOf(result.status()), ErrorKind::kUsage) << "seed " << seed;
    }
  }
  EXPECT_GT(accepted, 0);
}

TEST(Parse, ErrorsAreOneLineWhateverIsQuoted) {
  const auto filter = ParseFilter("\"a\nb\"");
  ASSERT_FALSE(filter.ok());
  EXPECT_EQ(filter.status().message().find('\n'), std::string::npos) << filter.status().message();
  EXPECT_NE(filter.status().message().find("a\\x0ab"), std::string::npos) << filter.status().message();
}

}  // namespace
}  // namespace frazil::expr

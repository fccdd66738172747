# SPDX-License-Identifier: Apache-2.0
"""A query in a form that every engine's own language can be made from."""
from dataclasses import dataclass


@dataclass(frozen=True)
class Between:
    column: str
    low: int
    high: int

    def text(self):
        return f"{self.column} BETWEEN {self.low} AND {self.high}"

    def arrow(self, field):
        return (field(self.column) >= self.low) & (field(self.column) <= self.high)

    def polars(self, col):
        return col(self.column).is_between(self.low, self.high)


@dataclass(frozen=True)
class Compare:
    column: str
    sign: str  # one of = <> >= <
    value: object  # a number, or a text without quotes in it

    def text(self):
        value = f"'{self.value}'" if isinstance(self.value, str) else self.value
        return f"{self.column} {self.sign} {value}"

    def _apply(self, left):
        return {"=": left.__eq__, "<>": left.__ne__, ">=": left.__ge__, "<": left.__lt__}[self.sign](self.value)

    def arrow(self, field):
        return self._apply(field(self.column))

    def polars(self, col):
        return self._apply(col(self.column))


@dataclass(frozen=True)
class In:
    column: str
    values: tuple

    def text(self):
        return f"{self.column} IN ({', '.join(map(str, self.values))})"

    def arrow(self, field):
        return field(self.column).isin(list(self.values))

    def polars(self, col):
        return col(self.column).is_in(list(self.values))


@dataclass(frozen=True)
class Or:
    left: object
    right: object

    def text(self):
        return f"{self.left.text()} OR {self.right.text()}"

    def arrow(self, field):
        return self.left.arrow(field) | self.right.arrow(field)

    def polars(self, col):
        return self.left.polars(col) | self.right.polars(col)


@dataclass(frozen=True)
class Query:
    path: str
    filter: object = None  # None: every row
    columns: tuple = ()    # empty: all
    count: bool = False    # the number of rows in place of the rows

    def sql(self, source):
        what = "count(*) AS n" if self.count else ", ".join(self.columns) or "*"
        return f"SELECT {what} FROM {source}" + (f" WHERE {self.filter.text()}" if self.filter else "")

    def title(self):
        """The query for people; a long list is cut."""
        text = self.sql(self.path.rsplit("/", 1)[-1])
        return text if len(text) <= 160 else f"{text[:90]} ... ({len(text):,} characters)"

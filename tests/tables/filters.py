# SPDX-License-Identifier: Apache-2.0
"""Random filters on a random table, as text and as what they mean: True, False or None (unknown) of a row."""

import math
import operator

import values

COMPARISONS = {"=": operator.eq, "<>": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


class Subject:
    """A column to ask about: its name in filters, its type, and its value in a row."""

    def __init__(self, name, kind, value):
        self.name, self.kind, self.value = name, kind, value


def subjects(table):
    found = []
    for column in table.columns:
        found += [Subject(column.name, column.kind, lambda row, c=column: table.cell(row, c))] * 4
    found.append(Subject("_pos", "long", lambda row: row.position))
    found.append(Subject("_spec_id", "int", lambda row: row.file.spec))
    found.append(Subject("_row_id", "long", lambda row: table.lineage(row)[0]))
    found.append(Subject("_last_updated_sequence_number", "long", lambda row: table.lineage(row)[1]))
    for spec in range(len(table.specs)):
        for place, field in enumerate(table.spec_now(spec)):
            def of_partition(row, spec=spec, place=place):
                return row.file.partition[place] if row.file.spec == spec else None
            found.append(Subject(f"_partition.{field.name}", field.kind, of_partition))
    return found


def some_value(subject, rows, random):
    """As a rule one that occurs."""
    found = [v for v in (subject.value(row) for row in random.sample(rows, min(len(rows), 3))) if v is not None]
    return random.choice(found) if found and random.random() < 0.8 else values.random_value(subject.kind, random)


def compare(kind, name, a, b):
    return COMPARISONS[name](values.sort_key(kind, a), values.sort_key(kind, b))




def random_test(subject, rows, random):
    name, kind = subject.name, subject.kind
    floating = kind in ("float", "double")
    what = random.choice(["compare"] * 5 + ["between", "in", "in", "null", "null"] + ["nan"] * 2 * floating +
                         ["starts"] * 3 * (kind == "string"))

    def unless_null(meaning):
        return lambda row: None if subject.value(row) is None else meaning(subject.value(row))

    if what == "null":
        if random.random() < 0.5:
            return f"{name} IS NULL", lambda row: subject.value(row) is None
        return f"{name} IS NOT NULL", lambda row: subject.value(row) is not None
    if what == "nan":
        def is_nan(row):
            return subject.value(row) is not None and math.isnan(subject.value(row))
        if random.random() < 0.5:
            return f"{name} IS NAN", is_nan
        return f"{name} IS NOT NAN", lambda row: not is_nan(row)
    value = some_value(subject, rows, random)
    if what == "compare":
        sign = random.choice(list(COMPARISONS))
        return f"{name} {sign} {values.literal(kind, value)}", unless_null(lambda v: compare(kind, sign, v, value))
    if what == "between":
        ends = sorted([value, some_value(subject, rows, random)], key=lambda v: values.sort_key(kind, v))
        text = f"{name} BETWEEN {values.literal(kind, ends[0])} AND {values.literal(kind, ends[1])}"
        return text, unless_null(lambda v: compare(kind, ">=", v, ends[0]) and compare(kind, "<=", v, ends[1]))
    if what == "in":
        members = [value] + [some_value(subject, rows, random) for _ in range(random.randint(0, 3))]
        keys = {values.sort_key(kind, m) for m in members}
        negated = random.random() < 0.5
        text = f"{name} {'NOT ' * negated}IN ({', '.join(values.literal(kind, m) for m in members)})"
        return text, unless_null(lambda v: (values.sort_key(kind, v) in keys) != negated)
    prefix = value[:random.randint(0, 3)]
    negated = random.random() < 0.4
    return (f"{name} {'NOT ' * negated}STARTS WITH {values.literal(kind, prefix)}",
            unless_null(lambda v: v.startswith(prefix) != negated))


def both(a, b):
    return False if a is False or b is False else None if a is None or b is None else True


def either(a, b):
    return True if a is True or b is True else None if a is None or b is None else False


def opposite(a):
    return None if a is None else not a


def random_filter(asked, rows, random, depth=0):
    """(text, meaning)"""
    if depth == 3 or random.random() < (0.35 if depth == 0 else 0.6):
        return random_test(random.choice(asked), rows, random)
    text, meaning = random_filter(asked, rows, random, depth + 1)
    if random.random() < 0.25:
        return f"NOT ({text})", lambda row: opposite(meaning(row))
    other_text, other = random_filter(asked, rows, random, depth + 1)
    if random.random() < 0.6:
        return f"({text}) AND ({other_text})", lambda row: both(meaning(row), other(row))
    return f"({text}) OR ({other_text})", lambda row: either(meaning(row), other(row))

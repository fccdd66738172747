#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Frazil against strangers: random files that pyarrow writes, random filters, the answers of DuckDB and pyarrow.

Usage: tests/strangers/compare.py FRAZIL [--seed N] [--files N]

Both strangers evaluate the filter on the rows in memory, so that no reader of theirs can be at fault. DuckDB orders NaN
as Frazil does; pyarrow's kernels do not, so they judge filters without floating-point columns. Frazil must give the
same rows (the column `row`) with pruning on and off, and the same count. Exit status 77 when duckdb is not installed.
"""

import argparse
import datetime
import decimal
import math
import os
import random
import subprocess
import sys
import tempfile

try:
    import duckdb
except ImportError:
    print("skipped: duckdb is not installed (scripts/bootstrap test installs it)")
    sys.exit(77)
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

FILTERS_EACH = 10


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


class Column:
    """How values of a type are drawn, and how each side writes a literal of it."""

    def __init__(self, type_, draw, text):
        self.type, self.draw, self.text = type_, draw, text


def integers(type_, low, high):
    def draw(rng, spread):
        if spread == "wide":
            return rng.choice([low, high, 0, rng.randint(low, high)])
        middle = max(low, min(high, 50))
        return max(low, min(high, middle + rng.randint(-9, 9)))
    return Column(type_, draw, str)


def floats(type_):
    def draw(rng, spread):
        if spread == "wide":
            return rng.choice([math.nan, math.inf, -math.inf, 0.0, -0.0, rng.uniform(-1e6, 1e6)])
        return rng.randint(-20, 20) / 4
    def text(value):
        if math.isnan(value):
            return "'NaN'"
        return ("'Infinity'" if value > 0 else "'-Infinity'") if math.isinf(value) else repr(value)
    return Column(type_, draw, text)


def texts():
    def draw(rng, spread):
        alphabet = "ab\u00e9\u4e2d\U0001f600'z" if spread == "wide" else "abc"
        return "".join(rng.choice(alphabet) for _ in range(rng.randint(0, 30 if spread == "wide" else 3)))
    return Column(pa.string(), draw, quoted)


def decimals(precision, scale):
    def draw(rng, spread):
        digits = 10 ** (precision if spread == "wide" else min(precision, 3)) - 1
        return decimal.Decimal(rng.randint(-digits, digits)).scaleb(-scale)
    return Column(pa.decimal128(precision, scale), draw, lambda value: f"{value:f}")


EPOCH = datetime.datetime(1970, 1, 1)


def dates():
    def draw(rng, spread):
        return EPOCH.date() + datetime.timedelta(days=rng.randint(-200_000, 200_000) if spread == "wide" else rng.randint(-20, 20))
    return Column(pa.date32(), draw, lambda value: f"DATE '{value}'")


def timestamps(unit):
    def draw(rng, spread):
        seconds = rng.randint(-4_000_000_000, 4_000_000_000) if spread == "wide" else rng.randint(-100, 100)
        return EPOCH + datetime.timedelta(seconds=seconds, milliseconds=rng.randint(0, 999))
    return Column(pa.timestamp(unit), draw, lambda value: f"TIMESTAMP '{value}'")


COLUMNS = [
    integers(pa.int8(), -128, 127), integers(pa.int16(), -2**15, 2**15 - 1), integers(pa.int32(), -2**31, 2**31 - 1),
    integers(pa.int64(), -2**63, 2**63 - 1), integers(pa.uint8(), 0, 255), integers(pa.uint32(), 0, 2**32 - 1),
    integers(pa.uint64(), 0, 2**64 - 1), floats(pa.float32()), floats(pa.float64()), texts(), decimals(5, 2),
    decimals(18, 4), decimals(30, 10), dates(), timestamps("ms"), timestamps("us"),
]


def random_table(rng):
    row_count = rng.choice([1, 7, 100, 1000, 5000])
    kinds = [rng.choice(COLUMNS) for _ in range(rng.randint(1, 5))]
    names, arrays = ["row"], [pa.array(range(row_count), pa.int64())]
    for number, kind in enumerate(kinds):
        spread = rng.choice(["narrow", "wide"])
        nulls = rng.choice([0, 0, 0.1, 0.9, 1])
        values = [None if rng.random() < nulls else kind.draw(rng, spread) for _ in range(row_count)]
        if rng.random() < 0.4:
            key = (lambda v: (v is not None, math.inf if isinstance(v, float) and math.isnan(v) else v or type(v)()))
            present = sorted((v for v in values if v is not None), key=key, reverse=rng.random() < 0.3)
            values = [None] * values.count(None) + present
        names.append(f"c{number}")
        arrays.append(pa.array(values, kind.type))
    return pa.table(arrays, names=names), kinds


def write(rng, table, path):
    pq.write_table(
        table, path, row_group_size=rng.choice([50, 700, 10**6]), data_page_size=rng.choice([1, 200, 4000, 2**20]),
        write_batch_size=rng.choice([1, 16, 1024]), use_dictionary=rng.random() < 0.5,
        data_page_version=rng.choice(["1.0", "2.0"]), write_page_index=rng.random() < 0.8,
        write_statistics=rng.random() < 0.9, compression=rng.choice(["none", "snappy", "zstd"]),
        store_decimal_as_integer=rng.random() < 0.5, write_page_checksum=rng.random() < 0.5,
        version=rng.choice(["2.4", "2.6"]))


class Filters:
    """Draws filters as (Frazil's text, DuckDB's text, pyarrow's expression or None, uses floats)."""

    OPERATORS = {"=": pc.equal, "<>": pc.not_equal, "<": pc.less, "<=": pc.less_equal, ">": pc.greater,
                 ">=": pc.greater_equal}

    def __init__(self, rng, table, kinds):
        self.rng, self.table, self.kinds = rng, table, kinds

    def literal(self, number):
        column = self.table.column(number + 1)
        for _ in range(3):
            value = column[self.rng.randrange(len(column))].as_py()
            if value is not None:
                return value
        return self.kinds[number].draw(self.rng, "narrow")

    def one(self):
        rng = self.rng
        number = rng.randrange(len(self.kinds))
        kind, name = self.kinds[number], f"c{number}"
        array = self.table.column(name)
        floating = pa.types.is_floating(kind.type)
        shape = rng.random()
        if shape < 0.15:
            return f"{name} IS NULL", f"{name} IS NULL", pc.is_null(array), False
        if shape < 0.35:
            values = [self.literal(number) for _ in range(rng.randint(1, 6))]
            text = f"{name} IN ({', '.join(map(kind.text, values))})"
            known = pc.is_in(array, pa.array(values, kind.type))
            # Null is in no list, and in the absence of none.
            return text, self.duck(text, kind), pc.if_else(pc.is_null(array), None, known), floating
        value = self.literal(number)
        operator = rng.choice(list(self.OPERATORS))
        text = f"{name} {operator} {kind.text(value)}"
        compared = self.OPERATORS[operator](array, pa.scalar(value, kind.type))
        return text, self.duck(text, kind), compared, floating

    @staticmethod
    def duck(text, kind):
        # DuckDB compares a float with a decimal literal by way of double; the text of the value must be the column's.
        if pa.types.is_float32(kind.type):
            name, rest = text.split(" ", 1)
            return f"{name}::DOUBLE {rest}"
        return text

    def draw(self, depth):
        if depth == 0 or self.rng.random() < 0.4:
            return self.one()
        text, duck, mask, floating = self.draw(depth - 1)
        if self.rng.random() < 0.25:
            return f"NOT ({text})", f"NOT ({duck})", pc.invert(mask), floating
        word, kernel = self.rng.choice([("AND", pc.and_kleene), ("OR", pc.or_kleene)])
        text2, duck2, mask2, floating2 = self.draw(depth - 1)
        return (f"({text}) {word} ({text2})", f"({duck}) {word} ({duck2})", kernel(mask, mask2), floating or floating2)


def run(frazil, *arguments):
    done = subprocess.run([frazil, *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"exit status {done.returncode}: {done.stderr.strip()}")
    return done.stdout.split()


def check_file(frazil, seed, folder):
    rng = random.Random(seed)
    table, kinds = random_table(rng)
    path = os.path.join(folder, f"{seed}.parquet")
    write(rng, table, path)
    connection = duckdb.connect()
    connection.register("t", table)
    filters = Filters(rng, table, kinds)
    for _ in range(FILTERS_EACH):
        text, duck, mask, floating = filters.draw(2)
        try:
            rows = [row for row, in connection.execute(f'SELECT "row" FROM t WHERE {duck} ORDER BY "row"').fetchall()]
            if not floating:
                kept = table.filter(mask).column("row").to_pylist()
                assert kept == rows, f"the strangers disagree: DuckDB {len(rows)} rows, pyarrow {len(kept)}"
            for switches in ([], ["--no-prune"]):
                found = run(frazil, "scan", path, "--where", text, "--select", "row", "--format", "csv", *switches)
                assert found[1:] == list(map(str, rows)), f"{switches} {len(found) - 1} rows instead of {len(rows)}"
            count = run(frazil, "count", path, "--where", text)
            assert count == [str(len(rows))], f"count {count} instead of {len(rows)}"
        except Exception as error:
            raise AssertionError(f"seed {seed}, filter {text}: {error}") from error
    os.remove(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("frazil")
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    parser.add_argument("--files", type=int, default=12)
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for number in range(arguments.files):
            check_file(arguments.frazil, arguments.seed + number, folder)
    print(f"{arguments.files} files, {arguments.files * FILTERS_EACH} filters: all alike")


if __name__ == "__main__":
    main()

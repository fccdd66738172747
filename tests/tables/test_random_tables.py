#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random Iceberg tables and filters: the rows that Frazil gives, with every level on, each one alone, and none, are those
that follow from how the table was made. Values of all columns and metadata columns too.

Usage: test_random_tables.py SCANS_PROGRAM [--seed N] [--tables N] [--seconds S] [--keep FOLDER]

The seed of each table is printed when it fails; `--seed N --tables 1` makes the same table again. Without --tables, as
many as fit into the time."""

import argparse
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyarrow as pa

import filters
import values
from random_table import RandomTable
from table_files import write_metadata

FILTERS = 25


class Scans:
    """The program that scans: a query in, an answer out, in one process."""

    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, *words):
        assert not any("\t" in w or "\n" in w for w in words), words
        self.process.stdin.write("\t".join(words) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().rstrip("\n").split("\t")
        if answer == [""]:
            raise RuntimeError(f"the program ended: {self.process.wait()}")
        return answer


def make(folder, seed):
    rng = random.Random(seed)
    table = RandomTable(folder, rng)
    for _ in range(rng.randint(1, 12)):
        what = rng.choice(["append"] * 4 + ["schema"] * 3 + ["spec"] * 2 + ["positions", "positions", "equal", "equal"] * (table.version > 1))
        if what == "append" or not table.files and what in ("positions", "equal"):
            table.append()
        elif what == "schema":
            table.evolve_schema()
        elif what == "spec":
            table.add_spec()
        elif what == "positions":
            table.delete_positions()
        else:
            table.delete_equal()
    if not table.files:
        table.append()
    if rng.random() < 0.3:
        table.evolve_schema()
    write_metadata(table)
    return table, rng


def check_values(table, scans, folder):
    """Every value of every live row."""
    out = folder / "rows.arrow"
    extra = ["_pos", "_file", "_spec_id", "_row_id", "_last_updated_sequence_number", "_partition"]
    answer = scans.ask("dump", str(folder), ",".join([c.name for c in table.columns] + extra), "", str(out))
    assert answer[0] == "ok", answer
    with pa.ipc.open_stream(out) as reader:
        got = reader.read_all().combine_chunks()
    live = {row.cells[1]: row for row in table.live_rows()}
    keys = got["row_key"].to_pylist()
    assert sorted(keys) == sorted(live), f"rows {sorted(set(keys) ^ set(live))} are too many or too few"
    rows = [live[key] for key in keys]

    def check(name, kind, found, wanted):
        for key, a, b in zip(keys, found, wanted):
            assert values.same(kind, a, b), f"row {key}: {name} ({kind}) is {a!r}, not {b!r}"

    for column in table.columns:
        array = got[column.name].chunk(0) if got.num_rows else pa.array([], values.ARROW[column.kind])
        assert got.schema.field(column.name).type == values.ARROW[column.kind], (column, got.schema)
        check(column.name, column.kind, values.from_arrow(column.kind, array), [table.cell(row, column) for row in rows])
    check("_pos", "long", got["_pos"].to_pylist(), [row.position for row in rows])
    check("_file", "string", got["_file"].to_pylist(), [table.located(row.file.path) for row in rows])
    check("_spec_id", "int", got["_spec_id"].to_pylist(), [row.file.spec for row in rows])
    check("_row_id", "long", got["_row_id"].to_pylist(), [table.lineage(row)[0] for row in rows])
    check("_last_updated", "long", got["_last_updated_sequence_number"].to_pylist(), [table.lineage(row)[1] for row in rows])
    if not got.num_rows:
        return
    partition = got["_partition"].chunk(0)
    for spec in range(len(table.specs)):
        for place, field in enumerate(table.spec_now(spec)):
            check(f"_partition.{field.name}", field.kind, values.from_arrow(field.kind, partition.field(field.name)),
                  [row.file.partition[place] if row.file.spec == spec else None for row in rows])


def check_filters(table, scans, folder, rng):
    live = table.live_rows()
    asked = filters.subjects(table)
    everything = [row for file in table.files for row in file.rows]
    for _ in range(FILTERS):
        text, meaning = filters.random_filter(asked, everything, rng)
        wanted = sorted(row.cells[1] for row in live if meaning(row) is True)
        answer = scans.ask("keys", str(folder), "row_key", text)
        assert answer[0] == "ok", f"{text}: {answer}"
        got = sorted(int(key) for key in answer[1].split(",") if key)
        assert got == wanted, f"{text}: rows {sorted(set(got) ^ set(wanted))} are too many or too few ({len(wanted)} wanted)"


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program")
    arguments.add_argument("--seed", type=int)
    arguments.add_argument("--tables", type=int)
    arguments.add_argument("--seconds", type=float, default=40)
    arguments.add_argument("--keep", type=Path)
    options = arguments.parse_args()
    first = random.SystemRandom().randrange(10**9) if options.seed is None else options.seed
    scans = Scans(options.program)
    deadline = time.monotonic() + options.seconds
    seed = first
    with tempfile.TemporaryDirectory(prefix="frazil-tables-") as scratch:
        while seed - first < (options.tables or 10**9) and (options.tables or time.monotonic() < deadline):
            folder = (options.keep or Path(scratch)) / f"table-{seed}"
            folder.mkdir(parents=True)
            table = None
            try:
                table, rng = make(folder, seed)
                check_values(table, scans, folder)
                check_filters(table, scans, folder, rng)
            except AssertionError as e:
                print(f"seed {seed} (version {table.version if table else '?'}): {e}\n"
                      f"again: {sys.argv[0]} {options.program} --seed {seed} --tables 1 --keep /tmp/kept")
                return 1
            seed += 1
    print(f"{seed - first} tables and {(seed - first) * FILTERS} filters from seed {first} on: all rows right")
    return 0 if seed > first else 1


if __name__ == "__main__":
    sys.exit(main())

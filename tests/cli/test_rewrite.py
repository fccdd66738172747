# SPDX-License-Identifier: Apache-2.0
"""rewrite: the same rows in another layout, as pyarrow and DuckDB read them; nothing half-written, whatever happens."""

import decimal
import json
import os
import random
import signal
import subprocess
import time
import unittest

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from product import BINARY, EXIT, answer, events, rows, run, scratch


def rewritten(source, *arguments):
    """What pyarrow reads of the file that a rewrite of the source gives."""
    out = scratch() / "rewritten.parquet"
    out.unlink(missing_ok=True)
    answer("rewrite", source, "--out", out, *arguments)
    return pq.ParquetFile(out)


def shuffled(row_count=5000, seed=7):
    """Columns of many types in random order, with nulls."""
    path = scratch() / f"shuffled-{row_count}.parquet"
    if not path.exists():
        rng = random.Random(seed)
        maybe = lambda value: None if rng.random() < 0.1 else value
        numbers = [rng.randrange(1000) for _ in range(row_count)]
        pq.write_table(pa.table({
            "n": pa.array([maybe(n) for n in numbers], pa.int32()),
            "x": pa.array([maybe(rng.uniform(-1, 1)) for _ in numbers], pa.float64()),
            "t": pa.array([maybe(f"text {n}") for n in numbers], pa.string()),
            "d": pa.array([maybe(decimal.Decimal(n) / 100) for n in numbers], pa.decimal128(12, 2)),
            "at": pa.array([maybe(n * 1_000_003) for n in numbers], pa.timestamp("us", "UTC")),
            "k": pa.array([maybe(f"kind {n % 5}") for n in numbers]).dictionary_encode(),
            "s": pa.array([maybe({"a": maybe(n), "b": str(n)}) for n in numbers], pa.struct([("a", pa.int64()), ("b", pa.string())])),
            "l": pa.array([maybe(list(range(n % 4))) for n in numbers], pa.list_(pa.int16())),
        }), path, row_group_size=700)
    return path


class Rows(unittest.TestCase):
    def test_unsorted_is_a_copy(self):
        self.assertTrue(rewritten(shuffled()).read().equals(pq.read_table(shuffled())))

    def test_sorted_as_pyarrow_sorts(self):
        source = pq.read_table(shuffled())
        for sort, keys in [
            ("n", [("n", "ascending", "at_start")]), ("n nulls last", [("n", "ascending", "at_end")]),
            ("t desc", [("t", "descending", "at_end")]),
            ("d DESC NULLS FIRST, x", [("d", "descending", "at_start"), ("x", "ascending", "at_start")]),
            ("at, t, x", [("at", "ascending", "at_start"), ("t", "ascending", "at_start"), ("x", "ascending", "at_start")]),
        ]:
            with self.subTest(sort):
                order = pc.sort_indices(source, sort_keys=keys)  # stable, as ours
                self.assertTrue(rewritten(shuffled(), "--sort", sort).read().equals(source.take(order)))

    def test_by_a_field_of_a_struct_and_by_dictionary_values(self):
        for sort, values in [("s.a", [row and row["a"] for row in pq.read_table(shuffled())["s"].to_pylist()]),
                             ("k", pq.read_table(shuffled())["k"].to_pylist())]:
            got = rewritten(shuffled(), "--sort", sort).read(columns=[sort[0]])[sort[0]].to_pylist()
            got = [row and row["a"] for row in got] if sort == "s.a" else got
            self.assertEqual(got, sorted(values, key=lambda value: (value is not None, value if value is not None else 0)))

    def test_on_disk_as_in_memory(self):
        in_memory = rewritten(shuffled(), "--sort", "t, n desc").read()
        said = run("rewrite", shuffled(), "--out", scratch() / "small.parquet", "--sort", "t, n desc", "--memory-bytes", 100_000)
        self.assertRegex(said.stdout, r"sorted on disk in [0-9]+ runs of ")
        self.assertTrue(pq.read_table(scratch() / "small.parquet").equals(in_memory))

    def test_of_a_filter_and_some_columns(self):
        got = rewritten(shuffled(), "--where", "n < 10", "--select", "t,n", "--sort", "n").read()
        self.assertEqual(got.column_names, ["t", "n"])
        self.assertEqual(got["n"].to_pylist(), sorted(n for n in pq.read_table(shuffled())["n"].to_pylist() if n is not None and n < 10))

    def test_no_rows(self):
        got = rewritten(shuffled(), "--where", "n < 0", "--sort", "n")
        self.assertEqual((got.read().num_rows, got.schema_arrow), (0, pq.read_schema(shuffled())))

    def test_duckdb_reads_it(self):
        out = scratch() / "rewritten.parquet"
        rewritten(shuffled(), "--sort", "n", "--page-rows", 100, "--bloom", "t")
        for where in ("n = 17", "t = 'text 17'", "n between 100 and 120", "t = 'none such'"):
            count = lambda path: duckdb.sql(f"select count(*), sum(n) from '{path}' where {where}").fetchall()
            self.assertEqual(count(out), count(shuffled()), where)

    def test_own_lookups_read_less(self):
        rewritten(shuffled(), "--sort", "n", "--page-rows", 100)
        key = lambda row: str(sorted(row.items(), key=str))
        self.assertEqual(sorted(map(key, rows(scratch() / "rewritten.parquet", "--where", "n = 17"))),
                         sorted(map(key, rows(shuffled(), "--where", "n = 17"))))


class Layout(unittest.TestCase):
    def test_pages_row_groups_and_sorting_columns(self):
        file = rewritten(shuffled(), "--sort", "n, s.a desc", "--page-rows", 50, "--option", "row-group-limit=1200")
        self.assertEqual([file.metadata.row_group(g).num_rows for g in range(file.num_row_groups)], [1200] * 4 + [200])
        group = file.metadata.row_group(0)
        self.assertEqual([(c.column_index, c.descending, c.nulls_first) for c in group.sorting_columns],
                         [(0, False, True), (6, True, False)])
        self.assertTrue(all(group.column(c).has_column_index and group.column(c).has_offset_index for c in range(group.num_columns)))
        pages = pages_of(scratch() / "rewritten.parquet", "n")
        self.assertEqual({page["row_count"] for page in pages}, {50})

    def test_options(self):
        file = rewritten(shuffled(), "--option", "write.parquet.compression-codec=snappy", "--option", "dict-size-bytes=0")
        column = file.metadata.row_group(0).column(0)
        self.assertEqual((column.compression, column.has_dictionary_page), ("SNAPPY", False))

    def test_bloom_filters_lie_behind_the_row_groups(self):
        file = rewritten(shuffled(), "--bloom", "t,s.b", "--option", "row-group-limit=1000")
        chunks = [file.metadata.row_group(g).column(c) for g in range(file.num_row_groups) for c in range(file.metadata.num_columns)]
        end = max((chunk.dictionary_page_offset or chunk.data_page_offset) + chunk.total_compressed_size for chunk in chunks)
        filters = {chunk.path_in_schema: chunk for chunk in chunks if chunk.bloom_filter_offset is not None}
        self.assertEqual(sorted(filters), ["s.b", "t"])
        self.assertTrue(all(chunk.bloom_filter_offset >= end and chunk.bloom_filter_length > 0 for chunk in filters.values()))


def pages_of(path, column):
    return [json.loads(line) for line in answer("inspect", path, "pages", "--column", column, "--format", "jsonl").splitlines()]


class Refusals(unittest.TestCase):
    def refused(self, kind, *arguments):
        out = scratch() / "refused.parquet"
        out.unlink(missing_ok=True)
        process = run("rewrite", shuffled(), "--out", out, *arguments)
        self.assertEqual(process.returncode, EXIT[kind], process.stderr)
        self.assertFalse(out.exists())
        self.assertEqual(len(process.stderr.splitlines()), 1)
        return process.stderr

    def test_words(self):
        self.assertIn("did you mean", self.refused("usage", "--sort", "nn"))
        self.assertIn("can not sort by a column of type", self.refused("usage", "--sort", "l"))
        self.assertIn("nulls first or nulls last", self.refused("usage", "--sort", "n upwards"))
        self.assertIn("there is no column", self.refused("usage", "--bloom", "none"))
        self.assertIn("NAME=VALUE", self.refused("usage", "--option", "page-row-limit"))
        self.assertIn("unknown column", self.refused("usage", "--where", "nope = 1"))

    def test_a_file_that_is_there_stays(self):
        out = scratch() / "there.parquet"
        out.write_text("mine")
        process = run("rewrite", shuffled(), "--out", out)
        self.assertEqual((process.returncode, out.read_text()), (EXIT["conflict"], "mine"))
        answer("rewrite", shuffled(), "--out", out, "--overwrite")
        self.assertEqual(pq.read_metadata(out).num_rows, 5000)

    def test_onto_itself(self):
        path = scratch() / "itself.parquet"
        path.write_bytes(shuffled().read_bytes())
        answer("rewrite", path, "--out", path, "--sort", "n", "--overwrite")
        self.assertEqual(pq.read_metadata(path).num_rows, 5000)

    def test_a_folder_that_is_not_there(self):
        process = run("rewrite", shuffled(), "--out", scratch() / "none" / "x.parquet")
        self.assertEqual(process.returncode, EXIT["not found"])


class Crashes(unittest.TestCase):
    def test_killed_at_any_moment_leaves_the_old_file_or_the_new(self):
        folder = scratch() / "killed"
        folder.mkdir(exist_ok=True)
        out = folder / "out.parquet"
        old = shuffled().read_bytes()
        seed = int.from_bytes(os.urandom(4), "little")
        rng = random.Random(seed)
        finished = 0
        for turn in range(15):
            out.write_bytes(old)
            process = subprocess.Popen([BINARY, "rewrite", shuffled(60_000), "--out", out, "--sort", "t", "--memory-bytes", "400000",
                                        "--overwrite"], stdout=subprocess.DEVNULL)
            time.sleep(rng.uniform(0, 0.4))
            process.send_signal(signal.SIGKILL)
            process.wait()
            content = out.read_bytes()
            if content != old:
                finished += 1
                self.assertEqual(pq.read_metadata(out).num_rows, 60_000, f"seed {seed}, turn {turn}")
            self.assertEqual([path.name for path in folder.iterdir() if not path.name.startswith(".frazil-")], ["out.parquet"])
        # The moment between the two names of a file that replaces another is short, and the file then is whole.
        for path in folder.glob(".frazil-*"):
            self.assertIn(pq.read_metadata(path).num_rows, (60_000,))

    def test_a_disk_that_is_full(self):
        # The limit on the size of files, with its signal ignored, fails as a full disk does.
        out = scratch() / "full.parquet"
        out.unlink(missing_ok=True)
        for arguments in ([], ["--sort", "t", "--memory-bytes", "100000"]):
            command = ["bash", "-c", 'trap "" XFSZ; ulimit -f 8; exec "$0" "$@"', str(BINARY), "rewrite", str(shuffled(60_000)), "--out", str(out), *arguments]
            process = subprocess.run(command, capture_output=True, text=True)
            self.assertEqual(process.returncode, EXIT["unavailable"], process.stderr)
            self.assertEqual(len(process.stderr.splitlines()), 1)
            self.assertFalse(out.exists())


if __name__ == "__main__":
    unittest.main()

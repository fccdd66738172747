# SPDX-License-Identifier: Apache-2.0
"""Flags of scan and count: filters, columns of metadata, limits, levels, counters, budgets, addresses."""

import json
import os
import shutil
import unittest

import pyarrow as pa
import pyarrow.parquet as pq

from product import EXIT, LEVELS, answer, events, rows, run, scratch

COUNTERS = ["files_total", "files_kept", "row_groups_total", "row_groups_kept", "pages_total", "pages_kept", "rows_total",
            "rows_selected", "rows_matched", "bytes_read", "requests", "rounds", "bytes_total", "elapsed_ns"]


def stats(command, *arguments):
    path = scratch() / "stats.json"
    path.unlink(missing_ok=True)
    answer(command, *arguments, "--stats", path)
    return json.loads(path.read_text())


class Rows(unittest.TestCase):
    def test_where(self):
        for where, ids in {
            "id = 42": [42], "id BETWEEN 998 AND 1001": [998, 999, 1000, 1001], "id IN (5, 2999, -1)": [5, 2999],
            "k = 1571 OR id = 0": [0, 1], "name IS NULL AND id < 30": [0, 13, 26], "name LIKE 'name-4%' AND id < 50":
            [i for i in range(40, 50)], "NOT (id >= 2)": [0, 1], "amount > 2997.5": [2998, 2999],
        }.items():
            self.assertEqual([row["id"] for row in rows(events(), "--where", where)], ids, where)
            self.assertEqual(answer("count", events(), "--where", where), f"{len(ids)}\n", where)

    def test_count_without_a_filter(self):
        self.assertEqual(answer("count", events()), "3000\n")
        self.assertEqual(answer("count", events(), "--limit", 7), "7\n")

    def test_positions_and_file(self):
        got = rows(events(), "--where", "_pos BETWEEN 1999 AND 2001", "--select", "_pos,id,_file")
        self.assertEqual(got, [{"_pos": i, "id": i, "_file": str(events())} for i in (1999, 2000, 2001)])
        self.assertEqual(answer("count", events(), "--where", f"_file = '{events()}'"), "3000\n")
        self.assertEqual(answer("count", events(), "--where", "_file = 'another'"), "0\n")

    def test_limit(self):
        for limit in (0, 1, 20, 999, 1001, 3000, 5000):
            got = rows(events(), "--select", "id", "--limit", limit)
            self.assertEqual([row["id"] for row in got], list(range(min(limit, 3000))))
        got = rows(events(), "--where", "k >= 1500", "--select", "id", "--limit", 5)
        everything = rows(events(), "--where", "k >= 1500", "--select", "id")
        self.assertEqual(got, everything[:5])

    def test_every_level_can_be_switched_off(self):
        where = ["--where", "id BETWEEN 1500 AND 1510 OR name = 'name-07'"]
        want = rows(events(), *where)
        settings = [["--no-prune"], ["--no-prune=all"], ["--no-prune=row-group,page-index"], ["--no-prune", "--limit", "9999"]]
        for flags in settings + [[f"--no-prune={level}"] for level in LEVELS]:
            self.assertEqual(rows(events(), *where, *flags), want, flags)
            self.assertEqual(answer("count", events(), *where, *flags), f"{len(want)}\n", flags)
        self.assertEqual(run("scan", "--no-prune", events()).returncode, 0)

    def test_a_level_that_is_off_skips_nothing(self):
        where = ["--where", "id = 42"]
        self.assertEqual(stats("scan", events(), *where)["row_groups_kept"], 1)
        self.assertEqual(stats("scan", events(), *where)["rows_selected"], 100)
        off = stats("scan", events(), *where, "--no-prune=row-group")
        self.assertEqual((off["row_groups_kept"], off["rows_selected"]), (3, 100))
        off = stats("scan", events(), *where, "--no-prune=page-index")
        self.assertEqual((off["row_groups_kept"], off["rows_selected"]), (1, 1000))
        off = stats("scan", events(), *where, "--no-prune")
        self.assertEqual((off["row_groups_kept"], off["rows_selected"]), (3, 3000))
        self.assertEqual({level["name"]: level["enabled"] for level in off["levels"]}["page-index"], False)


class Stats(unittest.TestCase):
    def test_has_every_counter(self):
        for command in ("scan", "count", "explain", "verify"):
            got = stats(command, events(), "--where", "id = 42")
            self.assertEqual([name for name in COUNTERS if type(got.get(name)) is not int], [], command)
            for level in got["levels"]:
                self.assertLessEqual({"name", "total", "kept", "unusable"}, set(level))
        self.assertEqual([level["name"] for level in got["levels"]][:5],
                         ["file", "row-group", "bloom", "page-index", "dictionary"])

    def test_counts(self):
        got = stats("scan", events(), "--where", "id BETWEEN 90 AND 110")
        want = {"files_total": 1, "files_kept": 1, "row_groups_total": 3, "row_groups_kept": 1, "rows_total": 3000,
                "rows_selected": 200, "rows_matched": 21, "bytes_total": os.path.getsize(events())}
        self.assertEqual({name: got[name] for name in want}, want)
        self.assertEqual((got["pages_total"], got["pages_kept"]), (40, 8))
        self.assertGreater(got["elapsed_ns"], 0)

    def test_says_what_could_not_be_used(self):
        path = scratch() / "no-index.parquet"
        pq.write_table(pa.table({"id": range(1000)}), path, write_page_index=False)
        level = {level["name"]: level for level in stats("scan", path, "--where", "id = 1")["levels"]}["page-index"]
        self.assertEqual([(u["column"], u["reason"]) for u in level["unusable"]], [("id", "no offset index")])

    def test_minus_is_standard_error(self):
        process = run("scan", events(), "--where", "id = 1", "--select", "id", "--stats", "-")
        self.assertEqual((process.returncode, process.stdout), (0, '{"id":1}\n'))
        self.assertEqual(json.loads(process.stderr)["rows_matched"], 1)

    def test_of_a_file_that_can_not_be_written(self):
        process = run("count", events(), "--stats", "/nowhere/stats.json")
        self.assertNotEqual(process.returncode, 0)
        self.assertIn("/nowhere/stats.json", process.stderr)


class Budget(unittest.TestCase):
    def check(self, *flags):
        for command in ("scan", "count"):
            process = run(command, events(), "--where", "k = 7", "--no-prune", *flags)
            self.assertEqual((process.returncode, process.stdout), (EXIT["budget"], ""), process.stderr)
            self.assertEqual(process.stderr.count("\n"), 1)
            self.assertIn(str(events()), process.stderr)

    def test_bytes(self):
        self.check("--max-bytes", 1)
        self.assertEqual(answer("count", events(), "--where", "k = 7", "--max-bytes", 10_000_000), "1\n")

    def test_requests(self):
        needed = stats("scan", large_layout(), "--where", "k = 7")["requests"]
        self.assertGreater(needed, 1)
        self.assertEqual(run("scan", large_layout(), "--where", "k = 7", "--max-requests", needed).returncode, 0)
        process = run("scan", large_layout(), "--where", "k = 7", "--max-requests", needed - 1)
        self.assertEqual(process.returncode, EXIT["budget"], process.stderr)


def large_layout():
    """So large that the tail does not hold all of it."""
    path = scratch() / "large-layout.parquet"
    if not path.exists():
        n = 50_000
        pq.write_table(pa.table({"id": range(n), "k": [i * 7919 % n for i in range(n)]}), path, use_dictionary=False,
                       compression="none", data_page_size=4096, write_page_index=True)
    return path


class Addresses(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = scratch() / "lake"
        for part in ("a/x.parquet", "a/y.parquet", "b/deep/z.parquet", ".hidden/h.parquet", "a/notes.txt"):
            (cls.folder / part).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(events(), cls.folder / part)

    def test_folders_globs_and_several(self):
        for addresses, files in {
            (self.folder,): 3, (self.folder / "a",): 2, (self.folder / "a" / "*.parquet",): 2, (self.folder / "a" / "[x]*",): 1,
            (self.folder / "**" / "*.parquet",): 3, (self.folder / "a" / "?.parquet", self.folder / "b"): 3,
            (events(), events()): 2, (self.folder / "a" / "notes.txt",): 1,
        }.items():
            self.assertEqual(answer("count", *addresses), f"{3000 * files}\n", addresses)

    def test_files_come_in_order(self):
        got = rows(self.folder, "--where", "id = 5", "--select", "_file,_pos")
        self.assertEqual(got, [{"_file": str(self.folder / part), "_pos": 5} for part in ("a/x.parquet", "a/y.parquet", "b/deep/z.parquet")])
        file = self.folder / "a" / "y.parquet"
        self.assertEqual(rows(self.folder, "--where", f"id = 5 AND _file = '{file}'", "--select", "_pos"), [{"_pos": 5}])
        self.assertEqual(stats("scan", self.folder, "--where", f"_file = '{file}'")["files_kept"], 1)
        self.assertEqual([row["id"] for row in rows(self.folder, "--limit", 3001, "--select", "id")][-1], 0)

    def test_what_is_not_there(self):
        for address in ("nowhere.parquet", self.folder / "*.nothing", self.folder / "c"):
            process = run("scan", address)
            self.assertEqual(process.returncode, EXIT["not found"], process.stderr)
            self.assertIn(str(address), process.stderr)
        empty = self.folder / "empty"
        empty.mkdir(exist_ok=True)
        self.assertEqual(run("count", empty).returncode, EXIT["not found"])


if __name__ == "__main__":
    unittest.main()

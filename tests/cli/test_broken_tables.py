# SPDX-License-Identifier: Apache-2.0
"""Iceberg tables with something wrong in them, from the folder with data from outside (FRAZIL_SHARED): an error that says
where, or the right answer; never rows that are silently missing."""

import csv
import json
import os
import re
import unittest
from pathlib import Path

from product import BINARY, EXIT, run

SHARED = Path(os.environ.get("FRAZIL_SHARED") or Path(BINARY).resolve().parents[2].parent / "shared")
TABLES = SHARED / "fixtures" / "iceberg-spark"
WRITTEN_AT = "file:/tmp/fixture/iceberg-spark"

# Rows and the sum of row_key of the sound table.
POINT, EVERYTHING = "id = 5", "row_key IS NOT NULL"
RIGHT = {POINT: (8, 4935), EVERYTHING: (1200, 720600)}

# What must come of each table: None is the right answer, else the kind of the error.
BOTH = (POINT, EVERYTHING)
ERRORS = {
    "manifest_truncated": "corrupt", "manifest_empty": "corrupt", "manifest_missing": "not found",
    "manifest_list_missing": "not found", "manifest_list_truncated": "corrupt",
    "version_hint_absent": "not found", "metadata_truncated": "corrupt", "metadata_empty": "corrupt",
    "format_version_4": "unsupported", "format_version_99": "unsupported", "current_snapshot_absent": "corrupt",
    "current_schema_absent": "corrupt", "delete_file_missing": "not found", "equality_id_unknown": "corrupt",
}
# Only a scan that needs the file may fail.
ERRORS_WHEN_NEEDED = {"data_file_missing": "not found", "data_file_truncated": "corrupt", "data_file_bad_magic": "corrupt",
                      "data_file_empty": "corrupt", "unknown_file_format": "unsupported"}
READABLE = {"base", "file_size_too_large", "file_size_too_small", "record_count_wrong", "version_hint_missing",
            "version_hint_garbage", "version_hint_stale", "unknown_transform", "manifest_length_wrong"}
# The file that the line of the table does not name as the one that the error is about.
NAMED_INSTEAD = {"equality_id_unknown": r"eqdel\.parquet", "version_hint_absent": r"version-hint\.text"}


@unittest.skipUnless(TABLES.is_dir() or os.environ.get("CI") == "true", f"no {TABLES}")
class BrokenTables(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with open(TABLES / "BROKEN.tsv", encoding="utf-8", newline="") as lines:
            cls.lines = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))

    def scan(self, table, where, *more):
        return run("scan", TABLES / table, "--where", where, "--select", "row_key", "--format", "jsonl",
                   "--rewrite-location", f"{WRITTEN_AT}={TABLES}", *more)

    def check_right(self, table, where, *more):
        process = self.scan(table, where, *more)
        self.assertEqual(process.returncode, 0, process.stderr)
        keys = [json.loads(line)["row_key"] for line in process.stdout.splitlines()]
        self.assertEqual((len(keys), sum(keys)), RIGHT[where])
        counted = run("count", TABLES / table, "--where", where, "--rewrite-location", f"{WRITTEN_AT}={TABLES}", *more)
        self.assertEqual(int(counted.stdout), RIGHT[where][0], counted.stderr)

    def check_error(self, line, name, kind, where, *more):
        counted = run("count", TABLES / line["table"], "--where", where, "--rewrite-location", f"{WRITTEN_AT}={TABLES}", *more)
        failed = [self.scan(line["table"], where, *more), counted]
        # A count that the manifests answer opens no data file.
        if name.startswith("data_file_") and counted.stdout == f"{RIGHT[EVERYTHING][0]}\n" and "--no-prune" not in more:
            failed.remove(counted)
        for process in failed:
            self.assertEqual(process.returncode, EXIT[kind], (process.stderr, process.stdout[:200]))
            self.assertEqual(process.stderr.count("\n"), 1, process.stderr)
            self.assertTrue(process.stderr.startswith(f"frazil: {kind}: "), process.stderr)
            file = NAMED_INSTEAD.get(name) or re.escape(Path(line["file"]).name)
            self.assertRegex(process.stderr, file)

    def test_every_line(self):
        names = {line["table"].removeprefix("broken/") for line in self.lines}
        self.assertEqual(names, {*ERRORS, *ERRORS_WHEN_NEEDED, *READABLE})
        for line in self.lines:
            name = line["table"].removeprefix("broken/")
            for where in BOTH:
                for more in ((), ("--no-prune",)):
                    with self.subTest(table=name, where=where, more=more):
                        pruned_away = name in ERRORS_WHEN_NEEDED and where == POINT and "--no-prune" not in more
                        if name in READABLE or pruned_away:
                            self.check_right(line["table"], where, *more)
                        else:
                            self.check_error(line, name, (ERRORS | ERRORS_WHEN_NEEDED)[name], where, *more)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""Metadata tables: `frazil inspect TABLE ...` beside pyiceberg's table.inspect, on tables of Iceberg Java and pyiceberg."""

import base64
import math
import os
import subprocess
import sys
import unittest
from datetime import datetime, timezone
from pathlib import Path

import pyarrow as pa

from services import BINARY, ROOT, environment, missing

sys.path.insert(0, str(Path(__file__).parent))  # where pyiceberg finds moved_files

FIXTURES = Path(os.environ.get("FRAZIL_SHARED") or ROOT.parent / "shared") / "fixtures" / "iceberg-spark"
LOCATION = "/tmp/fixture/iceberg-spark"

# pyiceberg can not open these: types that it does not know.
UNKNOWN_TO_PYICEBERG = {"v3/variant", "v3/unknown_type"}
# What pyiceberg can not tell of a table: bounds of UUIDs, which it can not write into a struct; nanoseconds, which
# Python's times do not have; values of a partition field that was renamed.
UNTOLD_BY_PYICEBERG = {("bucket/uuid_c", "files"), ("metrics/uuid_binary", "files"), ("bloom/unsorted", "files"),
                       ("bloom/sorted", "files"), ("v3/nanos", "files"), ("pevol/rename_field", "files"),
                       ("pevol/rename_field", "partitions")}


def tables():
    lines = (FIXTURES / "TABLES.tsv").read_text(encoding="utf-8").splitlines()
    return [line.split("\t")[0] for line in lines[1:]]


def metadata_file(table):
    folder = FIXTURES / table / "metadata"
    def version(path):
        digits = path.name.removeprefix("v").split(".")[0].split("-")[0]
        return int(digits) if digits.isdigit() else -1
    return max(folder.glob("*.metadata.json*"), key=version)


def ours(table, what, *options):
    process = subprocess.run([BINARY, "inspect", str(metadata_file(table)), what, "--format", "arrow",
                              f"--rewrite-location=file:{LOCATION}={FIXTURES}", *options],
                             capture_output=True, timeout=120, env=environment({}))
    assert process.returncode == 0, (table, what, process.stderr)
    return pa.ipc.open_stream(process.stdout).read_all()


def plain(value):
    """A value that compares equal when it means the same: lists of pairs are dictionaries, times in UTC."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        if value and all(isinstance(item, tuple) for item in value):
            return {key: plain(item) for key, item in value}
        return [plain(item) for item in value]
    if isinstance(value, datetime):
        return value.replace(tzinfo=timezone.utc) if value.tzinfo is None else value.astimezone(timezone.utc)
    if isinstance(value, float) and math.isnan(value):
        return "NaN"
    return value


def rows(table, columns=None):
    return [{name: plain(value) for name, value in row.items() if columns is None or name in columns}
            for row in table.to_pylist()]


def key(row):
    return str([row.get(name) for name in ("file_path", "content_offset", "partition", "name")])


class BesidePyiceberg(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        try:
            from pyiceberg.table import StaticTable
        except ImportError:
            missing("pyiceberg")
        if not FIXTURES.is_dir():
            missing(FIXTURES)
        cls.opened = {}
        for name in tables():
            if name in UNKNOWN_TO_PYICEBERG or name.startswith("broken/"):
                continue
            cls.opened[name] = StaticTable.from_metadata(
                str(metadata_file(name)), {"py-io-impl": "moved_files.MovedFiles", "moved": f"{LOCATION}={FIXTURES}"})

    def compare(self, what, theirs, change=lambda row: row, sort=False):
        compared = 0
        for name, table in self.opened.items():
            if (name, what) in UNTOLD_BY_PYICEBERG:
                continue
            with self.subTest(table=name):
                expected = theirs(table)
                if "partition" in expected.schema.names and expected.schema.field("partition").type.num_fields == 0:
                    expected = expected.drop_columns(["partition"])
                answer = ours(name, what)
                self.assertLessEqual(set(expected.schema.names), set(answer.schema.names))
                want = [change(row) for row in rows(expected)]
                have = [change(row) for row in rows(answer, expected.schema.names)]
                if sort:
                    want, have = sorted(want, key=key), sorted(have, key=key)
                self.assertEqual(len(have), len(want))
                for one, other in zip(have, want):
                    self.assertEqual(one, other)
                compared += 1
        self.assertGreater(compared, 80)

    def test_snapshots(self):
        self.compare("snapshots", lambda table: table.inspect.snapshots())

    def test_history(self):
        self.compare("history", lambda table: table.inspect.history())

    def test_refs(self):
        self.compare("refs", lambda table: table.inspect.refs(), sort=True)

    def test_manifests(self):
        def readable(row):
            # Identity values of bytes are for people: base64 there, digits here; zones and fractions are spelled
            # otherwise.
            # Empty text is no bound there.
            def text(bound):
                if bound in (None, "", "X''"):
                    return None
                if bound.startswith("X'"):
                    return base64.b64encode(bytes.fromhex(bound[2:-1])).decode()
                return bound.upper() if bound in ("true", "false") else bound
            summaries = [{**summary, "lower_bound": text(summary["lower_bound"]), "upper_bound": text(summary["upper_bound"])}
                         for summary in row["partition_summaries"] or []]
            return {**row, "partition_summaries": summaries}
        self.compare("manifests", lambda table: table.inspect.manifests(), readable)

    def test_files(self):
        def without_names(row):
            # pyiceberg shows the metrics of columns at the top alone, also those that have none; we those of leaves.
            # Empty and absent is one.
            out = {name: value for name, value in row.items() if name != "readable_metrics"}
            for name in ("column_sizes", "value_counts", "null_value_counts", "nan_value_counts", "lower_bounds",
                         "upper_bounds", "split_offsets", "equality_ids"):
                out[name] = out.get(name) or None
            return out
        self.compare("files", lambda table: table.inspect.files(), without_names, sort=True)

    def test_readable_metrics(self):
        compared = 0
        for name, table in self.opened.items():
            if (name, "files") in UNTOLD_BY_PYICEBERG:
                continue
            expected = {row["file_path"]: row["readable_metrics"] for row in rows(table.inspect.files())
                        if row["content"] == 0}
            answer = {row["file_path"]: row["readable_metrics"] for row in rows(ours(name, "files")) if row["content"] == 0}
            self.assertEqual(answer.keys(), expected.keys())
            for path, columns in expected.items():
                for column, metrics in (columns or {}).items():
                    if column in answer[path]:
                        with self.subTest(table=name, column=column):
                            self.assertEqual(answer[path][column], metrics)
                            compared += 1
        self.assertGreater(compared, 1000)

    def test_partitions(self):
        def named(row):
            # pyiceberg knows only the names of the specs that are in use.
            if "partition" in row:
                row["partition"] = {name: value for name, value in row["partition"].items() if value is not None}
            row.pop("spec_id", None)
            return row
        self.compare("partitions", lambda table: table.inspect.partitions(), named, sort=True)

    def test_time_travel(self):
        table = self.opened["snaps/travel"]
        for snapshot in table.metadata.snapshots:
            expected = table.inspect.files(snapshot_id=snapshot.snapshot_id)
            answer = ours("snaps/travel", "files", "--snapshot-id", str(snapshot.snapshot_id))
            self.assertEqual(sorted(answer["file_path"].to_pylist()), sorted(expected["file_path"].to_pylist()))


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""Iceberg tables in S3, written by pyiceberg: sizes come from the manifests, and nothing is listed."""

import unittest
from functools import cache

import pyarrow as pa
from services import KEY, SECRET, Log, answer, counters, missing, nginx, put, refusal, rows, scratch, writer


@cache
def table():
    """40,000 rows in four files, by id."""
    try:
        from pyiceberg.catalog import load_catalog
    except ImportError:
        missing("pyiceberg")
    catalog = load_catalog("c", **{
        "type": "sql", "uri": f"sqlite:///{scratch()}/catalog.db", "warehouse": "s3://lake/warehouse",
        "s3.endpoint": f"http://127.0.0.1:{nginx()['counted']}", "s3.access-key-id": KEY, "s3.secret-access-key": SECRET,
        "s3.region": "us-east-1", "py-io-impl": "pyiceberg.io.pyarrow.PyArrowFileIO"})
    catalog.create_namespace("db")
    pieces = [pa.table({"id": pa.array(range(i * 10_000, (i + 1) * 10_000), pa.int64()),
                        "k": pa.array([j % 7 for j in range(10_000)], pa.int32())}) for i in range(4)]
    made = catalog.create_table("db.t", pieces[0].schema)
    for piece in pieces:
        made.append(piece)
    return made.refresh()


class Tables(unittest.TestCase):
    def setUp(self):
        self.source = table().metadata_location

    def test_rows_are_those_that_pyiceberg_finds(self):
        found = rows(self.source, "--where", "id BETWEEN 9990 AND 10009")
        expected = table().scan(row_filter="id >= 9990 and id <= 10009").to_arrow().to_pylist()
        self.assertEqual(sorted(row["id"] for row in found), sorted(row["id"] for row in expected))
        self.assertEqual(answer("count", self.source), "40000\n")

    def test_counters_equal_the_log_and_sizes_come_from_manifests(self):
        for where in ("id = 25000", "k = 3 AND id < 20000"):
            with Log() as log:
                counted = counters(self.source, "--where", where)
            self.assertEqual((counted["requests"], counted["bytes_read"]), (len(log.lines), log.bytes), log.lines)
            self.assertEqual({line["method"] for line in log.lines}, {"GET"})
            self.assertEqual([line for line in log.lines if "list-type" in line["uri"]], [])
            for line in log.lines:
                # Of the metadata file and the manifest list no size is told.
                is_suffix = line["range"].startswith("bytes=-")
                self.assertEqual(is_suffix, line["uri"].endswith("metadata.json") or "/snap-" in line["uri"], line)

    def test_a_file_of_another_size_than_its_manifest_says(self):
        paths = [task.file.file_path for task in table().scan(row_filter="id = 35000").plan_files()]
        self.assertEqual(len(paths), 1)
        path = paths[0].removeprefix("s3://")
        with writer().open_input_stream(path) as stream:
            content = stream.read()
        try:
            for other in (content + b"1234", content[:-100], content[:2000]):
                put(path, other)
                kind, said = refusal("scan", self.source, "--where", "id = 35000")
                self.assertEqual(kind, "corrupt", said)
                self.assertIn(paths[0], said)
            writer().delete_file(path)
            kind, said = refusal("scan", self.source, "--where", "id = 35000")
            self.assertEqual(kind, "not found", said)
        finally:
            put(path, content)
        self.assertEqual(len(rows(self.source, "--where", "id = 35000")), 1)

    def test_by_the_name_in_its_catalog(self):
        """Whose configuration says how the store is reached."""
        variables = {"URI": f"sqlite:///{scratch()}/catalog.db", "S3__ENDPOINT": f"http://127.0.0.1:{nginx()['counted']}",
                     "S3__ACCESS_KEY_ID": KEY, "S3__SECRET_ACCESS_KEY": SECRET}
        catalog = {f"PYICEBERG_CATALOG__C__{name}": value for name, value in variables.items()}
        self.assertEqual(answer("count", "c.db.t", variables=catalog), "40000\n")
        kind, said = refusal("count", "c.db.t", "--property", "s3.secret-access-key=wrong", variables=catalog)
        self.assertEqual(kind, "access", said)

    def test_rewritten_locations(self):
        words = ["--rewrite-location", "s3://lake=s3a://lake"]
        self.assertEqual(answer("count", self.source, *words), "40000\n")


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""Tables by their names in catalogs of every type: scan, count, explain and verify give the rows that pyiceberg wrote."""

import json
import shutil
import unittest

import pyarrow as pa

import services
from services import EXIT, scratch


def frazil(properties, *words, catalog="lake", cwd=None):
    return services.run(services.BINARY, *words, env=services.variables(catalog, properties), cwd=cwd)


def fill(catalog, namespaces):
    """One table, twice appended to, in a namespace of one level and, where there may be, one of two."""
    for name in namespaces:
        catalog.create_namespace(name)
    for name in namespaces:
        table = catalog.create_table((*name, "orders"), pa.schema([("id", pa.int64()), ("word", pa.string())]))
        table.append(pa.table({"id": [1, 2, 3], "word": ["one", "two", "three"]}))
        table.append(pa.table({"id": [4, 5], "word": ["four", "five"]}))
    return catalog


class Scans:
    """What holds for every type."""

    properties = {}
    names = ["lake.sales.orders", "lake.sales.eu.orders"]

    def run_ok(self, *words, **more):
        process = frazil(self.properties, *words, **more)
        self.assertEqual(process.returncode, 0, (words, process.stderr))
        return process.stdout

    def refused(self, kind, *words, **more):
        process = frazil(more.pop("properties", self.properties), *words, **more)
        self.assertEqual(process.returncode, EXIT[kind], (words, process.stdout, process.stderr))
        return process.stderr

    def test_rows(self):
        for name in self.names:
            rows = [json.loads(line) for line in self.run_ok("scan", name, "--format", "jsonl").splitlines()]
            self.assertEqual(sorted((row["id"], row["word"]) for row in rows),
                             [(1, "one"), (2, "two"), (3, "three"), (4, "four"), (5, "five")])
            self.assertEqual(self.run_ok("scan", name, "--where", "id = 4", "--select", "word", "--format", "csv"),
                             "word\nfour\n")
            self.assertEqual(self.run_ok("count", name).strip(), "5")
            self.assertEqual(self.run_ok("count", name, "--where", "id > 2").strip(), "3")
            self.assertIn("ok: 2 rows", self.run_ok("verify", name, "--where", "id >= 4"))
            levels = json.loads(self.run_ok("explain", name, "--where", "id = 4", "--format", "json"))["levels"]
            metrics = next(level for level in levels if level["name"] == "file-metrics")
            self.assertEqual((metrics["total"], metrics["kept"]), (2, 1))

    def test_snapshots(self):
        snapshots = self.catalog.load_table(("sales", "orders")).metadata.snapshots
        first = min(snapshots, key=lambda snapshot: snapshot.sequence_number)
        self.assertEqual(self.run_ok("count", self.names[0], "--snapshot-id", first.snapshot_id).strip(), "3")
        self.assertEqual(self.run_ok("count", self.names[0], "--as-of", first.timestamp_ms).strip(), "3")
        self.assertEqual(self.run_ok("count", self.names[0], "--ref", "main").strip(), "5")
        self.refused("not found", "count", self.names[0], "--ref", "none")

    def test_names_without_case_and_quoted(self):
        self.assertEqual(self.run_ok("count", "LAKE.sales.orders" if self.case_free else '"lake".sales.orders').strip(), "5")
        self.assertEqual(self.run_ok("count", 'lake."sales"."orders"').strip(), "5")

    def test_what_is_not_there(self):
        words = self.refused("not found", "count", "lake.sales.none")
        for part in ["catalog lake (", "sales.none", "frazil config show --catalog lake"]:
            self.assertIn(part, words)
        self.refused("not found", "scan", "lake.none.orders")
        words = self.refused("not found", "scan", "river.sales.orders")
        self.assertIn("no catalog river is configured; the catalogs are lake", words)
        # A missing file is no name in a catalog.
        self.assertIn("no.such.parquet", self.refused("not found", "scan", "no.such.parquet"))
        self.refused("usage", "scan", self.names[0], self.names[1])

    def test_a_path_is_a_path(self):
        folder = scratch() / f"paths-{type(self).__name__}"
        folder.mkdir()
        (folder / self.names[0]).write_bytes(b"no Parquet at all")
        words = self.refused("corrupt", "count", self.names[0], cwd=folder)
        self.assertIn("not a Parquet file", words)


class Sqlite(Scans, unittest.TestCase):
    case_free = False  # the rows of its tables hold the catalog's name

    @classmethod
    def setUpClass(cls):
        cls.properties = {"uri": f"sqlite:///{scratch()}/scan.db", "warehouse": f"file://{scratch()}/scan-sqlite"}
        cls.catalog = fill(services.pyiceberg_catalog("lake", type="sql", **cls.properties), [("sales",), ("sales", "eu")])

    def test_where_it_was_tried(self):
        properties = self.properties | {"uri": f"sqlite:///{scratch()}/none.db"}
        words = self.refused("not found", "count", self.names[0], properties=properties)
        self.assertIn("none.db", words)


class Postgres(Scans, unittest.TestCase):
    case_free = False

    @classmethod
    def setUpClass(cls):
        cls.server = services.Postgres()
        cls.properties = {"uri": cls.server.uri(), "warehouse": f"file://{scratch()}/scan-postgres"}
        cls.catalog = fill(services.pyiceberg_catalog("lake", type="sql", **cls.properties), [("sales",), ("sales", "eu")])

    def test_where_it_was_tried(self):
        properties = self.properties | {"uri": f"postgresql://ice:secret@127.0.0.1:{services.free_port()}/ice"}
        words = self.refused("unavailable", "count", self.names[0], properties=properties)
        self.assertIn("127.0.0.1", words)
        self.assertNotIn("secret", words)


class Rest(Scans, unittest.TestCase):
    case_free = True

    @classmethod
    def setUpClass(cls):
        cls.server = services.RestServer()
        cls.properties = {"uri": cls.server.uri}
        cls.catalog = fill(services.pyiceberg_catalog("lake", type="rest", uri=cls.server.uri), [("sales",), ("sales", "eu")])

    def test_where_it_was_tried(self):
        uri = f"http://127.0.0.1:{services.free_port()}"
        properties = {"uri": uri, "rest.client.max-retries": "0"}
        self.assertIn(uri, self.refused("unavailable", "count", self.names[0], properties=properties))


class Folder(Scans, unittest.TestCase):
    """The tables of an SQLite catalog, laid out as Iceberg's catalog of folders has them."""

    case_free = True

    @classmethod
    def setUpClass(cls):
        written = {"uri": f"sqlite:///{scratch()}/folder.db", "warehouse": f"file://{scratch()}/written"}
        cls.catalog = fill(services.pyiceberg_catalog("lake", type="sql", **written), [("sales",), ("sales", "eu")])
        warehouse = scratch() / "folders"
        cls.properties = {"type": "hadoop", "warehouse": str(warehouse)}
        for name in [("sales",), ("sales", "eu")]:
            metadata = cls.catalog.load_table((*name, "orders")).metadata_location.removeprefix("file://")
            folder = warehouse.joinpath(*name, "orders", "metadata")
            folder.mkdir(parents=True)
            shutil.copy(metadata, folder / "v1.metadata.json")
            (folder / "version-hint.text").write_text("1")

    def test_where_it_was_tried(self):
        properties = self.properties | {"warehouse": "/no/such/folder"}
        self.assertIn("/no/such/folder", self.refused("not found", "count", self.names[0], properties=properties))


if __name__ == "__main__":
    unittest.main()

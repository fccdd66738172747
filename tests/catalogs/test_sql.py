# SPDX-License-Identifier: Apache-2.0
"""Catalogs in SQLite and PostgreSQL, made by pyiceberg: the same tables, namespaces and places that it answers."""

import json
import sqlite3
import unittest

import pyarrow as pa

import services
from services import ask, refusal, scratch


def fill(catalog):
    """Tables in namespaces of one and two levels; one table has two versions."""
    for name in ["sales", "sales.eu", "a_b", "empty"]:
        catalog.create_namespace(name)
    rows = pa.table({"id": [1, 2, 3]})
    for name in ["sales.orders", "sales.customers", "sales.eu.orders", "a_b.t"]:
        catalog.create_table(name, rows.schema)
    catalog.load_table("sales.orders").append(rows)


class Same(unittest.TestCase):
    """The answers about a catalog that `fill` filled, beside pyiceberg's."""

    def check(self, catalog, properties):
        for namespace, table in [("sales", "orders"), ("sales.eu", "orders"), ("a_b", "t")]:
            answer = ask("lake", properties, "table", namespace.replace(".", "/"), table)
            theirs = catalog.load_table(f"{namespace}.{table}")
            self.assertEqual(answer["metadata_location"], theirs.metadata_location)
            self.assertIsNone(answer["metadata_json"])
            self.assertEqual(answer["properties"]["warehouse"], properties["warehouse"])
        self.assertEqual(ask("lake", properties, "tables", "sales"), ["customers", "orders"])
        self.assertEqual(ask("lake", properties, "tables", "empty"), [])
        self.assertEqual(ask("lake", properties, "namespaces"), sorted(map(list, catalog.list_namespaces())))
        self.assertEqual(ask("lake", properties, "namespaces", "sales"), [["sales", "eu"]])
        self.assertEqual(ask("lake", properties, "namespaces", "a_b"), [])
        self.assertIn("no table sales.none of catalog lake", refusal("lake", properties, "table", "sales", "none"))
        self.assertIn("no namespace axb", refusal("lake", properties, "tables", "axb"))
        self.assertIn("tables of lake: configure", refusal("river", properties, "table", "sales", "orders"))
        hostile = "x'; DROP TABLE iceberg_tables; --"
        self.assertTrue(refusal("lake", properties, "table", "sales", hostile).startswith("not found"))
        self.assertEqual(len(ask("lake", properties, "tables", "sales")), 2)


class Sqlite(Same):
    @classmethod
    def setUpClass(cls):
        cls.file = scratch() / "lake.db"
        cls.properties = {"uri": f"sqlite:///{cls.file}", "warehouse": f"file://{scratch()}/warehouse"}
        cls.catalog = services.pyiceberg_catalog("lake", type="sql", **cls.properties)
        fill(cls.catalog)

    def test_same_as_pyiceberg(self):
        self.check(self.catalog, self.properties)
        self.check(self.catalog, self.properties | {"uri": f"jdbc:sqlite:{self.file}", "type": "sql"})

    def test_metadata_is_where_it_says(self):
        location = ask("lake", self.properties, "table", "sales", "orders")["metadata_location"]
        with open(location.removeprefix("file://"), encoding="utf-8") as file:
            self.assertEqual(len(json.load(file)["snapshots"]), 1)

    def test_without_a_column_of_types_and_with_views(self):
        source = sqlite3.connect(self.file)
        old = scratch() / "old.db"
        with sqlite3.connect(old) as target:
            source.backup(target)
            target.execute("INSERT INTO iceberg_tables VALUES ('lake', 'sales', 'view', 'v.json', NULL, 'VIEW')")
            target.execute("INSERT INTO iceberg_tables VALUES ('lake', 'sales', 'typed', 't.json', NULL, 'TABLE')")
            target.execute("INSERT INTO iceberg_tables VALUES ('lake', 'sales', 'lost', NULL, NULL, NULL)")
        properties = self.properties | {"uri": f"sqlite:///{old}"}
        self.assertEqual(ask("lake", properties, "tables", "sales"), ["customers", "lost", "orders", "typed"])
        self.assertTrue(refusal("lake", properties, "table", "sales", "view").startswith("unsupported"))
        self.assertTrue(refusal("lake", properties, "table", "sales", "lost").startswith("corrupt"))
        with sqlite3.connect(old) as target:
            target.execute("DELETE FROM iceberg_tables WHERE table_name IN ('view', 'typed', 'lost')")
            target.execute("ALTER TABLE iceberg_tables DROP COLUMN iceberg_type")
        self.check(self.catalog, properties)

    def test_nothing_is_written(self):
        before = self.file.read_bytes()
        ask("lake", self.properties, "tables", "sales")
        self.assertEqual(self.file.read_bytes(), before)
        none = scratch() / "none.db"
        self.assertTrue(refusal("lake", {"uri": f"sqlite:///{none}"}, "namespaces").startswith("not found"))
        self.assertFalse(none.exists())

    def test_no_catalog(self):
        bare = scratch() / "bare.db"
        with sqlite3.connect(bare) as target:
            target.execute("CREATE TABLE t (x)")
        self.assertIn("holds no Iceberg catalog", refusal("lake", {"uri": f"sqlite:///{bare}"}, "namespaces"))
        noise = scratch() / "noise.db"
        noise.write_bytes(b"no database at all" * 100)
        self.assertTrue(refusal("lake", {"uri": f"sqlite:///{noise}"}, "namespaces").startswith("corrupt"))
        self.assertTrue(refusal("lake", {"uri": "sqlite:///:memory:"}, "namespaces").startswith("usage"))


class Postgres(Same):
    @classmethod
    def setUpClass(cls):
        cls.server = services.Postgres()
        cls.properties = {"uri": cls.server.uri(), "warehouse": f"file://{scratch()}/pg-warehouse"}
        cls.catalog = services.pyiceberg_catalog("lake", type="sql", **cls.properties)
        fill(cls.catalog)

    def test_same_as_pyiceberg(self):
        self.check(self.catalog, self.properties)

    def test_as_jdbc_spells_it(self):
        properties = {"uri": f"jdbc:postgresql://127.0.0.1:{self.server.port}/ice", "jdbc.user": "ice",
                      "jdbc.password": "p@ss/w:rd"}
        self.assertEqual(ask("lake", properties, "tables", "sales"), ["customers", "orders"])

    def test_refusals(self):
        wrong = refusal("lake", {"uri": self.server.uri("very-wrong")}, "namespaces")
        self.assertTrue(wrong.startswith("access"), wrong)
        self.assertNotIn("very-wrong", wrong)
        malformed = refusal("lake", {"uri": self.server.uri("very%zzwrong")}, "namespaces")
        self.assertTrue(malformed.startswith("usage"), malformed)
        self.assertNotIn("very", malformed)
        self.assertTrue(refusal("lake", {"uri": self.server.uri(database="none")}, "namespaces")
                        .startswith("not found"))
        self.assertIn("holds no Iceberg catalog", refusal("lake", {"uri": self.server.uri(database="bare")},
                                                          "namespaces"))
        nobody = f"postgresql://ice:secret-pw@127.0.0.1:{services.free_port()}/ice"
        words = refusal("lake", {"uri": nobody}, "namespaces")
        self.assertTrue(words.startswith("unavailable"), words)
        self.assertNotIn("secret-pw", words)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""A real REST catalog server: the tables that pyiceberg made there are found, with the metadata that it sends."""

import json
import unittest

import pyarrow as pa

import services
from services import ask, refusal


class RestServer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = services.RestServer()
        cls.properties = {"uri": cls.server.uri}
        cls.catalog = services.pyiceberg_catalog("r", type="rest", uri=cls.server.uri)
        rows = pa.table({"id": [1, 2, 3]})
        for name in [("sales",), ("sales", "eu"), ("with space",)]:
            cls.catalog.create_namespace(name)
        for name in [("sales", "orders"), ("sales", "eu", "orders"), ("with space", "t ü")]:
            cls.catalog.create_table(name, rows.schema)
        for _ in range(3):
            cls.catalog.load_table(("sales", "orders")).append(rows)

    def test_tables(self):
        for words in [("sales", "orders"), ("sales", "eu", "orders"), ("with space", "t ü")]:
            answer = ask("r", self.properties, "table", "/".join(words[:-1]), words[-1])
            theirs = self.catalog.load_table(words)
            self.assertEqual(answer["metadata_location"], theirs.metadata_location)
            metadata = json.loads(answer["metadata_json"])
            self.assertEqual(metadata["table-uuid"], str(theirs.metadata.table_uuid))
            self.assertEqual(len(metadata.get("snapshots", [])), len(theirs.metadata.snapshots))
            with open(theirs.metadata_location.removeprefix("file:"), encoding="utf-8") as file:
                self.assertEqual(metadata["schemas"], json.load(file)["schemas"])

    def test_modes_of_snapshots(self):
        # Version 1.10 of this server sends all of them in either mode; that refs are asked for is in test_rest_answers.
        for mode in ["all", "refs"]:
            answer = ask("r", self.properties | {"snapshot-loading-mode": mode}, "table", "sales", "orders")
            metadata = json.loads(answer["metadata_json"])
            self.assertIn(metadata["current-snapshot-id"], [s["snapshot-id"] for s in metadata["snapshots"]])
        self.assertTrue(refusal("r", self.properties | {"snapshot-loading-mode": "some"}, "table", "sales", "orders")
                        .startswith("usage"))

    def test_names(self):
        self.assertEqual(ask("r", self.properties, "namespaces"), [["sales"], ["with space"]])
        self.assertEqual(ask("r", self.properties, "namespaces", "sales"), [["sales", "eu"]])
        self.assertEqual(ask("r", self.properties, "tables", "sales"), ["orders"])

    def test_what_is_not_there(self):
        words = refusal("r", self.properties, "table", "sales", "none")
        self.assertTrue(words.startswith("not found"), words)
        self.assertIn("404: NoSuchTableException: Table does not exist: sales.none", words)
        words = refusal("r", self.properties, "tables", "none")
        self.assertTrue(words.startswith("not found"), words)
        self.assertIn("NoSuchNamespaceException", words)

    def test_client_credentials(self):
        properties = self.properties | {"credential": "me:my-secret", "scope": "catalog"}
        self.assertEqual(ask("r", properties, "tables", "sales"), ["orders"])


if __name__ == "__main__":
    unittest.main()

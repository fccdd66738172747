# SPDX-License-Identifier: Apache-2.0
"""inspect: the metadata of a file, as rows in every format that rows have."""

import csv
import io
import json
import unittest

import pyarrow.parquet as pq

from product import answer, events, every_type, large


def inspected(*arguments):
    return [json.loads(line) for line in answer("inspect", *arguments, "--format", "jsonl").splitlines()]


class Inspect(unittest.TestCase):
    def test_schema(self):
        columns = {row["column"]: row for row in inspected(every_type(), "schema")}
        self.assertEqual(columns["u64"]["physical_type"], "INT64")
        self.assertEqual(columns["list.list.element"]["max_repetition_level"], 1)
        self.assertEqual(len(columns), len(pq.read_metadata(every_type()).schema))

    def test_row_groups(self):
        for path in (events(), large()):
            metadata = pq.read_metadata(path)
            groups = inspected(path, "row-groups")
            self.assertEqual([row["row_count"] for row in groups],
                             [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)])
            self.assertEqual([row["first_row"] for row in groups], [i * groups[0]["row_count"] for i in range(len(groups))])
            self.assertEqual({row["offset_indexes"] for row in groups}, {metadata.num_columns})
        self.assertEqual(answer("inspect", events()), answer("inspect", events(), "row-groups"))

    def test_columns(self):
        metadata = pq.read_metadata(large())
        for row in inspected(large(), "columns"):
            index = ["id", "note"].index(row["column"])
            chunk = metadata.row_group(row["row_group"]).column(index)
            self.assertEqual(row["codec"], chunk.compression.lower())
            self.assertEqual((row["num_values"], row["compressed_bytes"], row["data_page_offset"], row["dictionary_page_offset"]),
                             (chunk.num_values, chunk.total_compressed_size, chunk.data_page_offset, chunk.dictionary_page_offset))

    def test_stats(self):
        for row in inspected(events(), "stats", "--column", "name"):
            statistics = pq.read_metadata(events()).row_group(row["row_group"]).column(2).statistics
            self.assertEqual((row["column"], row["null_count"]), ("name", statistics.null_count))
            self.assertEqual((row["min"].strip("'"), row["max"].strip("'")), (statistics.min, statistics.max))

    def test_pages(self):
        pages = inspected(events(), "pages", "--column", "id")
        self.assertEqual(len(pages), 30)
        self.assertEqual([(page["min"], page["max"]) for page in pages], [(str(i * 100), str(i * 100 + 99)) for i in range(30)])
        self.assertEqual({page["null_count"] for page in pages}, {0})
        names = set(pages[0])
        for word in ("row", "offset", "bytes"):
            self.assertTrue(any(word in name for name in names), (word, names))

    def test_one_column_only(self):
        self.assertEqual({row["column"] for row in inspected(events(), "columns", "--column", "k")}, {"k"})
        self.assertEqual({row["column"] for row in inspected(every_type(), "columns", "--column", "struct")},
                         {"struct.x", "struct.y"})

    def test_formats_agree(self):
        for what in ("schema", "row-groups", "columns", "pages", "stats"):
            lines = inspected(events(), what)
            self.assertEqual(json.loads(answer("inspect", events(), what, "--format", "json")), lines)
            table = list(csv.DictReader(io.StringIO(answer("inspect", events(), what, "--format", "csv"))))
            self.assertEqual([list(row) for row in table], [list(row) for row in lines])
            shown = answer("inspect", events(), what, "--format", "table").splitlines()
            self.assertEqual(shown[-1], f"{len(lines)} rows")  # all of them, however many
            self.assertEqual(shown[0].split(), list(lines[0]))


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""Values as they are printed: exact in every format, and the same rows in all of them."""

import csv
import io
import json
import unittest
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq

from product import answer, events, every_type, run, scratch

EXACT = {
    "i8": "-128", "u8": "255", "i16": "-32768", "u16": "65535", "i32": "-2147483648", "u32": "4294967295",
    "i64": "9007199254740993", "u64": "18446744073709551615", "f32": "0.1", "f64": "0.1", "yes": "true",
    "dec": "1234567890123456789012345678.0123456789", "text": 'a "quoted", text\nin two lines é', "empty": "",
    "bytes": "0x00ff10", "fixed": "0x616263", "day": "2024-02-29", "clock": "23:59:59.999999",
    "ms": "1969-12-31T23:59:59.999", "us": "2024-01-02T03:04:05.678901Z", "ns": "2023-11-14T22:13:20.123456789",
}


class Values(unittest.TestCase):
    def test_csv_is_exact(self):
        names = list(EXACT)
        text = answer("scan", every_type(), "--select", ",".join(names), "--format", "csv")
        lines = list(csv.reader(io.StringIO(text)))
        self.assertEqual(lines[0], names)
        self.assertEqual(dict(zip(names, lines[1])), EXACT)
        self.assertEqual(lines[2], [""] * len(names))

    def test_csv_tells_empty_text_from_null(self):
        self.assertEqual(answer("scan", every_type(), "--select", "empty,i8", "--format", "csv"), 'empty,i8\n"",-128\n,\n')

    def check_json(self, record):
        # Numbers are kept as they are written, so that nothing is rounded on the way here.
        for name, exact in EXACT.items():
            self.assertEqual("true" if record[name] is True else str(record[name]), exact, name)
        self.assertEqual([str(v) for v in record["list"]], ["9007199254740993", "None"])
        self.assertEqual(str(record["struct"]["x"]), "1")
        self.assertIsNone(record["struct"]["y"])

    def test_jsonl_is_exact(self):
        first, second = answer("scan", every_type(), "--format", "jsonl").splitlines()
        self.check_json(json.loads(first, parse_int=str, parse_float=str))
        self.assertEqual(set(json.loads(second).values()), {None})

    def test_json_is_one_array_of_the_same_rows(self):
        document = json.loads(answer("scan", every_type(), "--format", "json"), parse_int=str, parse_float=str)
        self.assertEqual(len(document), 2)
        self.check_json(document[0])
        lines = [json.loads(line) for line in answer("scan", events(), "--format", "jsonl").splitlines()]
        self.assertEqual(json.loads(answer("scan", events(), "--format", "json")), lines)

    def test_json_of_no_rows(self):
        self.assertEqual(json.loads(answer("scan", events(), "--where", "id < 0", "--format", "json")), [])
        self.assertEqual(answer("scan", events(), "--where", "id < 0", "--format", "jsonl"), "")
        self.assertEqual(answer("scan", events(), "--where", "id < 0", "--select", "id,k", "--format", "csv"), "id,k\n")

    def test_arrow_is_what_pyarrow_reads(self):
        for path in (every_type(), events()):
            process = run("scan", path, "--format", "arrow", text=False)
            self.assertEqual((process.returncode, process.stderr), (0, b""))
            table = pa.ipc.open_stream(process.stdout).read_all()
            self.assertTrue(table.equals(pq.read_table(path)), path)

    def test_arrow_of_no_rows_has_the_schema(self):
        process = run("scan", events(), "--where", "id < 0", "--format", "arrow", text=False)
        table = pa.ipc.open_stream(process.stdout).read_all()
        self.assertEqual((table.num_rows, table.schema), (0, pq.read_schema(events()).remove_metadata()))

    def test_floats(self):
        path = scratch() / "floats.parquet"
        values = [float("nan"), float("inf"), float("-inf"), -0.0, 5e-324, 1.7976931348623157e308]
        pq.write_table(pa.table({"f": values}), path)
        lines = answer("scan", path, "--format", "csv").splitlines()[1:]
        self.assertEqual([repr(float(line)) for line in lines], [repr(value) for value in values])
        quoted = [json.loads(line)["f"] for line in answer("scan", path, "--format", "jsonl").splitlines()]
        self.assertEqual(quoted[:3], ["NaN", "Infinity", "-Infinity"])
        self.assertEqual(quoted[3:], values[3:])


class Table(unittest.TestCase):
    def test_shows_20_rows_and_how_many_there_are(self):
        lines = answer("scan", events(), "--select", "id,name", "--format", "table").splitlines()
        self.assertEqual(lines[0].split(), ["id", "name"])
        self.assertEqual(lines[1].split(), ["int64", "string"])
        self.assertEqual([line.split()[0] for line in lines[3:23]], [str(i) for i in range(20)])
        self.assertEqual(lines[3].split(), ["0", "NULL"])
        self.assertEqual(lines[-1], "20 of 3,000 rows shown")

    def test_shows_few_rows_whole(self):
        lines = answer("scan", events(), "--where", "id < 3", "--format", "table").splitlines()
        self.assertEqual(lines[-1], "3 rows")
        self.assertEqual(answer("scan", events(), "--where", "id = 3", "--format", "table").splitlines()[-1], "1 row")
        self.assertEqual(answer("scan", events(), "--where", "id < 0", "--format", "table").splitlines()[-1], "0 rows")

    def test_has_no_colour_in_a_pipe_and_is_not_the_default_there(self):
        self.assertNotIn("\x1b", answer("scan", events(), "--format", "table"))
        self.assertEqual(json.loads(answer("scan", events(), "--limit", "1"))["id"], 0)


class Order(unittest.TestCase):
    def test_every_format_has_the_rows_of_the_file_in_order(self):
        ids = [str(i) for i in range(3000)]
        self.assertEqual(answer("scan", events(), "--select", "id", "--format", "csv").split()[1:], ids)
        for threads in (1, 2, 7):
            text = answer("scan", events(), "--select", "id", "--format", "jsonl", "--threads", threads)
            self.assertEqual([str(json.loads(line)["id"]) for line in text.splitlines()], ids)

    def test_columns_come_as_they_are_selected(self):
        line = answer("scan", events(), "--where", "id = 7", "--select", "amount,_pos,id", "--format", "csv")
        self.assertEqual(line, "amount,_pos,id\n7.25,7,7\n")
        text = answer("scan", every_type(), "--limit", "1", "--select", "struct.x", "--format", "csv")
        self.assertEqual(text.splitlines()[1].strip('"').replace('""', '"'), '{"x":1}')
        self.assertEqual(Decimal(answer("scan", every_type(), "--limit", "1", "--select", "dec", "--format", "csv").split()[1]),
                         Decimal(EXACT["dec"]))


if __name__ == "__main__":
    unittest.main()

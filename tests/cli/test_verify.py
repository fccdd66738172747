# SPDX-License-Identifier: Apache-2.0
"""verify: says that the rows are the same with pruning and without, and finds it when they are not."""

import re
import struct
import unittest

import pyarrow as pa
import pyarrow.parquet as pq

from product import EXIT, LEVELS, answer, events, every_type, run, scratch


def lying(name, old, new, last):
    """A file of 3,000 ids in which bounds say less than is there: in the footer (last) or in the column index."""
    path = scratch() / f"{name}.parquet"
    pq.write_table(pa.table({"id": pa.array(range(3000), pa.int64()), "twice": pa.array(range(0, 6000, 2), pa.int64())}), path,
                   write_batch_size=100, data_page_size=1, use_dictionary=False, compression="none", write_page_index=True)
    content = bytearray(path.read_bytes())
    length = struct.unpack("<i", content[-8:-4])[0]
    footer = len(content) - 8 - length
    old, new = struct.pack("<q", old), struct.pack("<q", new)
    begin, end = (footer, len(content)) if last else (footer - 6000, footer)
    at = content.find(old, begin, end)
    assert at >= 0
    while at >= 0:
        content[at : at + 8] = new
        at = content.find(old, at + 8, end)
    path.write_bytes(content)
    return path


class Same(unittest.TestCase):
    def test_says_how_many_rows_and_what_they_cost(self):
        for where, count in {"id BETWEEN 90 AND 110": 21, "name IS NULL": 231, "id < 0": 0, "id >= 0": 3000}.items():
            text = answer("verify", events(), "--where", where)
            self.assertTrue(text.startswith(f"ok: {count} rows are the same with pruning ("), text)
            pruned, full = [int(size) for size in re.findall(r"\((\d+) bytes, \d+ requests\)", text)]
            self.assertTrue(0 < pruned <= full <= events().stat().st_size, text)

    def test_of_every_type(self):
        for column in pq.read_schema(every_type()).names:
            self.assertIn("ok: 1 rows", answer("verify", every_type(), "--where", f"{column} IS NOT NULL"))
        self.assertIn("ok: 1 rows", answer("verify", every_type(), "--where", "i64 = 9007199254740993", "--select", "u64,list"))

    def test_of_single_levels(self):
        for level in LEVELS:
            answer("verify", events(), "--where", "k = 5", f"--no-prune={level}")


class Different(unittest.TestCase):
    def check(self, path, level, where, *says):
        process = run("verify", path, "--where", where)
        self.assertEqual((process.returncode, process.stdout), (EXIT["internal"], ""))
        self.assertEqual(process.stderr.count("\n"), 1)
        for part in says:
            self.assertIn(part, process.stderr)
        # Without the level that believed it the rows are the same.
        self.assertIn("ok:", answer("verify", path, "--where", where, f"--no-prune={level}"))

    def test_row_group_bounds_that_lie(self):
        path = lying("lying-footer", 2999, 10, last=True)
        self.assertEqual(answer("count", path, "--where", "id = 2000"), "0\n")  # trust is a choice
        self.check(path, "row-group", "id = 2000", "result row 0", "the result ends", "_pos=2000", "id=2000", "twice=4000")

    def test_page_bounds_that_lie(self):
        path = lying("lying-index", 2099, 2010, last=False)
        self.check(path, "page-index", "id BETWEEN 2050 AND 2200", "result row 0", "_pos=2100", "_pos=2050", "id=2050")

    def test_a_projection_is_compared_as_it_is(self):
        path = lying("lying-projection", 2999, 10, last=True)
        process = run("verify", path, "--where", "id = 2000", "--select", "twice")
        self.assertEqual(process.returncode, EXIT["internal"])
        self.assertIn("twice=4000", process.stderr)
        self.assertNotIn("_pos", process.stderr)


if __name__ == "__main__":
    unittest.main()

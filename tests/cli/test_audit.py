# SPDX-License-Identifier: Apache-2.0
"""audit: files built to have exactly one fault each, and what is said of them."""

import json
import random
import unittest

import pyarrow as pa
import pyarrow.parquet as pq

from product import EXIT, answer, run, scratch

ROWS = 40_000


def audit(path, *arguments):
    return json.loads(answer("audit", path, *arguments, "--format", "json"))


def written(name, values, other=None, **options):
    """A file of one column `c`, by default sorted, indexed, in pages of 1,000 rows."""
    path = scratch() / f"{name}.parquet"
    table = pa.table({"c": values} | ({"other": other} if other is not None else {}))
    pq.write_table(table, path, **{"write_page_index": True, "max_rows_per_page": 1000, "use_dictionary": False, **options})
    return path


def sorted_numbers():
    return pa.array(range(ROWS), pa.int64())


def shuffled(values, seed=3):
    values = list(values)
    random.Random(seed).shuffle(values)
    return values


class OneFaultEach(unittest.TestCase):
    def faults(self, path, *arguments):
        return [(finding["name"], finding["column"]) for finding in audit(path, "--column", "c", *arguments)["findings"]]

    def test_none(self):
        self.assertEqual(self.faults(written("sound", sorted_numbers())), [])

    def test_no_page_index(self):
        path = written("plain", pa.array(shuffled(range(ROWS)), pa.int64()), write_page_index=False)
        finding, = audit(path, "--column", "c")["findings"]
        self.assertEqual((finding["name"], finding["evidence"]), ("no-page-index", "1 of 1 column chunk: no page index"))
        self.assertEqual(finding["cost_bytes"], pq.read_metadata(path).row_group(0).column(0).total_compressed_size)
        self.assertEqual(self.faults(answer_rewritten(path)), [("scattered", "c")])

    def test_scattered(self):
        path = written("scattered", pa.array(shuffled(range(ROWS)), pa.int64()))
        finding, = audit(path, "--column", "c")["findings"]
        self.assertEqual(finding["name"], "scattered")
        self.assertEqual(finding["evidence"], "a value lies within the bounds of 40 of 40 pages on average")
        self.assertIn("--bloom c", finding["cure"])
        self.assertEqual(self.faults(answer_rewritten(path, "--sort", "c")), [], "the cure cures")

    def test_no_bounds(self):
        self.assertIn(("no-bounds", "c"), self.faults(written("bare", sorted_numbers(), write_statistics=False)))

    def test_bounds_cut_short(self):
        # Bounds of 64 bytes, as parquet-java cuts them, of addresses that differ only behind: made by hand, because
        # pyarrow cuts none.
        path = written("long", pa.array([f"https://example.org/{'x' * 60}/{i:06}" for i in range(ROWS)]))
        self.assertEqual(self.faults(path), [])

    def test_pages_large(self):
        path = written("large", pa.array(shuffled(range(1_000_000)), pa.int64()), max_rows_per_page=10_000_000, data_page_size=1 << 30,
                       compression="none")
        self.assertEqual(self.faults(path), [("pages-large", "c")])

    def test_pages_small(self):
        self.assertEqual(self.faults(written("small", sorted_numbers(), max_rows_per_page=20)), [("pages-small", "c")])

    def test_dictionary_fallback(self):
        path = written("fallback", pa.array([f"text {i}" for i in range(ROWS)]), use_dictionary=True, dictionary_pagesize_limit=10_000)
        self.assertEqual(self.faults(path), [("dictionary-fallback", "c")])

    def test_files_overlap_and_are_small(self):
        folder = scratch() / "overlap"
        folder.mkdir(exist_ok=True)
        for file in range(120):  # each sorted, all over the same range
            pq.write_table(pa.table({"c": pa.array(range(file, 120_000, 120), pa.int64())}), folder / f"{file}.parquet",
                           write_page_index=True, max_rows_per_page=200, use_dictionary=False)
        report = audit(folder, "--column", "c")
        self.assertEqual([finding["name"] for finding in report["findings"]], ["files-overlap", "files-small"])
        column, = report["columns"]
        self.assertEqual((column["files_clustering"]["count"], round(column["files_clustering"]["hit_mean"])), (120, 120))
        self.assertLess(column["pages_clustering"]["hit_mean"] / column["pages_clustering"]["count"], 0.25)

    def test_row_groups_small(self):
        path = written("groups", sorted_numbers(), row_group_size=100)
        self.assertIn(("row-groups-small", ""), self.faults(path))


def answer_rewritten(path, *arguments):
    out = scratch() / "rewritten.parquet"
    answer("rewrite", path, "--out", out, "--overwrite", "--option", "dict-size-bytes=0", "--page-rows", 1000, *arguments)
    return out


class Figures(unittest.TestCase):
    def test_of_columns(self):
        path = written("figures", sorted_numbers(), other=pa.array(shuffled(range(ROWS)), pa.int32()), row_group_size=10_000,
                       bloom_filter_options={"c": {"ndv": 10_000}})
        report = audit(path)
        metadata = pq.read_metadata(path)
        self.assertEqual((report["files"], report["row_groups"], report["rows"], report["bytes"]), (1, 4, ROWS, path.stat().st_size))
        first, second = report["columns"]
        self.assertEqual((first["column"], first["chunks"], first["chunks_indexed"], first["chunks_with_bloom"], first["pages"]),
                         ("c", 4, 4, 4, 40))
        self.assertEqual(first["bytes"], sum(metadata.row_group(g).column(0).total_compressed_size for g in range(4)))
        self.assertEqual((first["page_rows_median"], first["row_groups_clustering"]), (1000, {"count": 4, "hit_mean": 1}))
        self.assertEqual((second["chunks_with_bloom"], second["pages_clustering"]["hit_mean"]), (0, 40))
        self.assertEqual(report["findings"], [], "no lookup names a column")

    def test_of_filters(self):
        path = written("filters", sorted_numbers(), other=pa.array(shuffled(range(ROWS)), pa.int32()))
        report = audit(path, "--where", "c = 5", "--where", "other = 5")
        by_c, by_other = report["filters"]
        self.assertEqual((by_c["rows_selected"], by_c["rows_total"]), (1000, ROWS))
        self.assertLess(by_c["bytes_planned"] * 30, by_c["bytes_full"])
        self.assertEqual([finding["column"] for finding in report["findings"] if finding["name"] == "scattered"], ["other"])
        self.assertEqual(by_other["bytes_full"], sum(pq.read_metadata(path).row_group(0).column(c).total_compressed_size for c in (0, 1)))

    def test_repeated_columns_have_no_bounds_to_audit(self):
        path = written("lists", pa.array([[1, 2]] * 10), other=pa.array(range(10)))
        self.assertEqual([column["column"] for column in audit(path)["columns"]], ["other"])

    def test_text(self):
        text = answer("audit", written("sound", sorted_numbers()), "--where", "c = 5")
        self.assertIn("1 file, 1 row group, 40,000 rows", text)
        self.assertIn("no finding", text)
        self.assertRegex(text, r"would read [0-9.]+ kB of [0-9.]+ kB of pages: 1 of 1 file, 1 of 1 row group, 1,000 of 40,000 rows")


class Refusals(unittest.TestCase):
    def test_words(self):
        path = written("sound", sorted_numbers())
        for kind, arguments in {"usage": ["--column", "d"], "not found": ["--where", "c = 1"]}.items():
            process = run("audit", path if kind == "usage" else scratch() / "none.parquet", *arguments)
            self.assertEqual(process.returncode, EXIT[kind], process.stderr)
        self.assertEqual(run("audit", path, "--where", "c ==== 1").returncode, EXIT["usage"])
        self.assertEqual(run("audit", path, "--format", "csv").returncode, EXIT["usage"])


if __name__ == "__main__":
    unittest.main()

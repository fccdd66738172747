# SPDX-License-Identifier: Apache-2.0
"""explain: what is planned and why, without a data page read; --analyze says what was read."""

import json
import os
import re
import shutil
import subprocess
import unittest

import pyarrow.parquet as pq

from product import BINARY, answer, events, large, scratch


def explained(*arguments):
    return json.loads(answer("explain", *arguments, "--format", "json"))


def reads_of(path, *command):
    """(offset, bytes) of every read of the file, as the kernel saw them."""
    log = scratch() / "strace"
    for old in scratch().glob("strace.*"):
        old.unlink()
    # The leak sanitizer can not look for leaks in a process that is traced.
    environment = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
    subprocess.run(["strace", "-ff", "-y", "-e", "trace=pread64,read,preadv,preadv2,readv,mmap,sendfile", "-o", log, BINARY,
                    *map(str, command)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120,
                   env=environment)
    reads = []
    for part in scratch().glob("strace.*"):
        for line in part.read_text(errors="replace").splitlines():
            if f"{path}>" not in line:
                continue
            found = re.match(r"pread64\(.*, \d+, (\d+)\) = (\d+)$", line)
            assert found, f"a read that is no pread: {line}"
            reads.append((int(found.group(1)), int(found.group(2))))
    return sorted(reads)


class Text(unittest.TestCase):
    def test_says_for_each_level_what_is_left(self):
        text = answer("explain", events(), "--where", "id BETWEEN 90 AND 110 AND k > 5", "--select", "amount")
        self.assertRegex(text, r"(?m)^filter +id BETWEEN 90 AND 110 AND k > 5$")
        self.assertRegex(text, r"(?m)^ +file +1 -> 1 +files$")
        self.assertRegex(text, r"(?m)^ +row-group +3 -> 1 +row groups$")
        self.assertRegex(text, r"(?m)^ +page-index +1,000 -> 200 +rows$")
        self.assertIn("no data page", text)

    def test_says_what_is_switched_off(self):
        text = answer("explain", events(), "--where", "id = 1", "--no-prune=row-group")
        self.assertRegex(text, r"(?m)^ +row-group +switched off$")

    def test_text_is_the_default(self):
        self.assertEqual(answer("explain", events()), answer("explain", events(), "--format", "text"))


class Json(unittest.TestCase):
    def test_plan(self):
        report = explained(events(), "--where", "id = 1234", "--select", "name")
        self.assertEqual((report["analyzed"], report["filter"], report["columns"]), (False, "id = 1234", ["name"]))
        self.assertEqual(report["rows_matched"], 0)
        (row_group,) = report["row_groups"]
        self.assertEqual((row_group["row_group"], row_group["rows_total"], row_group["rows_selected"]), (1, 1000, 100))
        self.assertEqual((row_group["pages_total"], row_group["pages_kept"]), (20, 2))

    def test_analyze_counts_what_was_read(self):
        report = explained(large(), "--where", "id BETWEEN 5 AND 9", "--select", "note", "--analyze")
        self.assertEqual((report["analyzed"], report["rows_matched"]), (True, 5))
        self.assertGreater(report["rows_selected"], 5)
        reads = reads_of(large(), "explain", large(), "--where", "id BETWEEN 5 AND 9", "--select", "note", "--analyze")
        self.assertEqual((report["requests"], report["bytes_read"]), (len(reads), sum(size for _, size in reads)))
        self.assertEqual(sum(step["bytes"] for step in report["io"]), report["bytes_read"])

    def test_residual_is_empty_when_the_index_proves_all(self):
        report = explained(events(), "--where", "id >= 1000", "--select", "k")
        self.assertEqual([group["rows_proven"] for group in report["row_groups"]], [1000, 1000])


@unittest.skipUnless(shutil.which("strace"), "strace is not there")
class Reads(unittest.TestCase):
    def test_no_data_page(self):
        metadata = pq.read_metadata(large())
        chunks = [metadata.row_group(g).column(c) for g in range(metadata.num_row_groups) for c in range(metadata.num_columns)]
        data_end = max(min(filter(None, [c.data_page_offset, c.dictionary_page_offset])) + c.total_compressed_size for c in chunks)
        dictionaries = [(c.dictionary_page_offset, c.data_page_offset - c.dictionary_page_offset) for c in chunks
                        if c.dictionary_page_offset]  # which are evidence, and no data pages
        for where in ([], ["--where", "id = 1234567"], ["--where", "note = 'note-5'"], ["--where", "id > 5", "--no-prune"]):
            reads = reads_of(large(), "explain", large(), *where)
            self.assertTrue(reads)
            # The tail may take in the end of the last column; that is no page asked for.
            for offset, size in reads:
                self.assertTrue(offset >= data_end or offset + size == large().stat().st_size or (offset, size) in dictionaries,
                                (where, offset, size, data_end))
            self.assertLess(sum(size for _, size in reads), 100_000, where)

    def test_a_scan_reads_what_its_counters_say(self):
        for where in ("id BETWEEN 1000000 AND 1000099", "note = 'note-5' AND id < 100000", "id < 0"):
            stats = scratch() / "explain-stats.json"
            answer("scan", large(), "--where", where, "--format", "csv", "--stats", stats)
            counted = json.loads(stats.read_text())
            reads = reads_of(large(), "scan", large(), "--where", where, "--format", "csv")
            self.assertEqual((counted["requests"], counted["bytes_read"]), (len(reads), sum(size for _, size in reads)), where)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of what bench/ counts and asks: reading strace's lines, wording queries, judging bounds."""
import types
import unittest

import bounds
from measure import FileReads, Times
from query import Between, Compare, In, Or, Query


class CountsReads(unittest.TestCase):
    def count(self, *lines):
        reads = FileReads()
        for line in lines:
            reads.add(line, "/data/a.parquet")
        return reads.bytes, reads.reads, reads.mapped_bytes

    def test_bytes_that_came_not_bytes_that_were_asked_for(self):
        self.assertEqual(self.count('pread64(3</data/a.parquet>, "PAR1"..., 65536, 0) = 48152'), (48152, 1, 0))
        self.assertEqual(self.count('read(3</data/a.parquet>, "a = 9", 10)      = 5'), (5, 1, 0))

    def test_ends_and_failures_are_no_reads(self):
        self.assertEqual(self.count('read(3</data/a.parquet>, "", 10) = 0',
                                    'read(3</data/a.parquet>, 0x7f, 10) = -1 EINTR (Interrupted system call)',
                                    'read(3</data/a.parquet>,  <unfinished ...>'), (0, 0, 0))

    def test_other_files_are_left_out(self):
        self.assertEqual(self.count('read(3</data/aa.parquet>, "", 10) = 10', 'read(3</x/data/a.parquet>, "", 10) = 10'),
                         (0, 0, 0))

    def test_mappings_count_by_length(self):
        self.assertEqual(self.count('mmap(NULL, 2515515, PROT_READ, MAP_SHARED, 5</data/a.parquet>, 0) = 0x7f1200000000'),
                         (0, 0, 2515515))


class WordsQueries(unittest.TestCase):
    def test_sql(self):
        query = Query("/data/a.parquet", Or(Between("id", 1, 9), Compare("x", "<>", 3)), ("x", "y"))
        self.assertEqual(query.sql("t"), "SELECT x, y FROM t WHERE id BETWEEN 1 AND 9 OR x <> 3")
        self.assertEqual(Query("/data/a.parquet").sql("t"), "SELECT * FROM t")
        self.assertEqual(Query("/data/a.parquet", In("id", (1, 2)), count=True).sql("t"),
                         "SELECT count(*) AS n FROM t WHERE id IN (1, 2)")

    def test_title_is_short(self):
        self.assertLess(len(Query("/data/a.parquet", In("id", tuple(range(5000)))).title()), 160)


class Judges(unittest.TestCase):
    def test_bounds_at_most_and_at_least(self):
        result = types.SimpleNamespace(stats={"rounds": 2}, ratio=lambda *names: 8.0)
        self.assertTrue(bounds.rounds(2).judge(result)[0])
        self.assertFalse(bounds.rounds(1).judge(result)[0])
        self.assertTrue(bounds.gain(8.0).judge(result)[0])
        self.assertFalse(bounds.gain(8.3).judge(result)[0])

    def test_median_and_least(self):
        times = Times(ns=[3_000_000, 1_000_000, 2_000_000])
        self.assertEqual((times.median_ms, times.min_ms), (2.0, 1.0))


if __name__ == "__main__":
    unittest.main()

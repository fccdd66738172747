# SPDX-License-Identifier: Apache-2.0
"""Every fault in every phase of a scan: right rows, or a clear error within its time; never wrong rows, never a hang."""

import time
import unittest

from fault_proxy import FaultProxy
from services import answer, counters, events, nginx, put, refusal, rows, s3_variables, scratch

SOURCE = "s3://lake/faults.parquet"
QUERY = [SOURCE, "--where", "id = 150"]
# The requests of the query, in their order.
PHASES = {"tail": 0, "index": 1, "page": 2}
PASSING = [500, 503, 429, "reset", "truncated", "short", "slow"]  # gone when the request is made again
LASTING = [503, "reset", "truncated", "short"]
FAST = ["--property", "s3.request-timeout=2"]


def setUpModule():
    put(SOURCE.removeprefix("s3://"), events())
    (scratch() / "events.parquet").write_bytes(events())


class Faults(unittest.TestCase):
    def proxy(self, plan, **options):
        proxy = FaultProxy(nginx()["counted"], plan, **options)
        return proxy, proxy.variables(s3_variables())

    def setUp(self):
        self.expected = rows(scratch() / "events.parquet", "--where", "id = 150")
        self.assertEqual(len(self.expected), 1)

    def test_the_phases_are_what_they_are_called(self):
        _, variables = self.proxy(None)
        counted = counters(*QUERY, variables=variables)
        self.assertEqual([(step["purpose"], step["requests"]) for step in counted["io"]],
                         [("footer", 1), ("page index", 1), ("pages", 1)])

    def test_that_pass(self):
        for fault in PASSING:
            for phase, number in PHASES.items():
                with self.subTest(fault=fault, phase=phase):
                    proxy, variables = self.proxy(lambda n, *_: fault if n == number else None, slow_s=1)
                    self.assertEqual(rows(*QUERY, variables=variables), self.expected)
                    again = 0 if fault == "slow" else 1
                    self.assertEqual(len(proxy.requests), 3 + again)
                    # The retry asks for the same bytes.
                    if again:
                        self.assertEqual(proxy.requests[number], proxy.requests[number + 1])

    def test_are_counted(self):
        for fault in (503, "truncated"):
            proxy, variables = self.proxy(lambda n, *_: fault if n == 1 else None)
            counted = counters(*QUERY, variables=variables)
            self.assertEqual((counted["requests"], counted["retries"]), (len(proxy.requests), 1))

    def test_that_last(self):
        for fault in LASTING:
            for phase, number in PHASES.items():
                with self.subTest(fault=fault, phase=phase):
                    proxy, variables = self.proxy(lambda n, *_: fault if n >= number else None)
                    begin = time.monotonic()
                    kind, said = refusal("scan", *QUERY, *FAST, variables=variables)
                    self.assertEqual(kind, "unavailable", said)
                    self.assertIn(SOURCE, said)
                    self.assertIn("gave up", said)
                    self.assertLess(time.monotonic() - begin, 20)
                    self.assertLessEqual(len(proxy.requests), number + 8)

    def test_a_silent_store(self):
        for phase, number in PHASES.items():
            with self.subTest(phase=phase):
                _, variables = self.proxy(lambda n, *_: "silent" if n >= number else None)
                begin = time.monotonic()
                kind, said = refusal("scan", *QUERY, *FAST, variables=variables)
                self.assertEqual(kind, "unavailable", said)
                self.assertLess(time.monotonic() - begin, 20)

    def test_bytes_of_another_place(self):
        for fault in ("shifted", "swapped"):
            for phase in ("index", "page"):
                with self.subTest(fault=fault, phase=phase):
                    _, variables = self.proxy(lambda n, *_: fault if n == PHASES[phase] else None)
                    kind, said = refusal("scan", *QUERY, variables=variables)
                    self.assertEqual(kind, "conflict" if fault == "swapped" else "corrupt", said)
                    self.assertIn(SOURCE, said)

    def test_a_whole_file_instead_of_a_range(self):
        for phase, number in PHASES.items():
            _, variables = self.proxy(lambda n, *_: "whole" if n == number else None)
            kind, said = refusal("scan", *QUERY, variables=variables)
            self.assertEqual(kind, "unsupported", (phase, said))

    def test_an_object_that_is_replaced_in_mid_scan(self):
        """By one of the same size, whose rows differ: whenever it happens, no row of a mixture."""
        other = events().replace(b"name-150-0614", b"NAME-150-0614")
        self.assertEqual(len(other), len(events()))
        self.assertNotEqual(other, events())
        for phase in ("index", "page"):
            put("lake/replaced.parquet", events())

            def replace(number, *_):
                if number == PHASES[phase]:
                    put("lake/replaced.parquet", other)
            _, variables = self.proxy(replace)
            kind, said = refusal("scan", "s3://lake/replaced.parquet", "--where", "id = 150", variables=variables)
            self.assertEqual(kind, "conflict", (phase, said))
            self.assertIn("replaced while it was read", said)

    def test_a_size_that_is_no_longer_true(self):
        """The object grows between its listing and its first read."""
        put("lake/sizes/a.parquet", events())

        def grow(number, *_):
            if number == 1:
                put("lake/sizes/a.parquet", events() + b"1234")
        _, variables = self.proxy(grow)
        kind, said = refusal("scan", "s3://lake/sizes/", "--where", "id = 150", variables=variables)
        self.assertEqual(kind, "corrupt", said)
        self.assertIn(f"{len(events()) + 4} bytes, and {len(events())} were expected", said)

    def test_every_fifth_request_fails(self):
        """A full read in many requests."""
        faults = [503, "reset", "truncated", 500, "short"]
        proxy, variables = self.proxy(lambda n, *_: faults[n // 5 % len(faults)] if n % 5 == 2 else None)
        where = " OR ".join(f"id = {i}" for i in range(0, 200_000, 9_973))
        words = ["--where", where, "--property", "s3.connect-timeout=3"]
        self.assertEqual(answer("scan", SOURCE, *words, variables=variables),
                         answer("scan", scratch() / "events.parquet", "--where", where))
        self.assertGreater(len(proxy.requests), 5)

    def test_a_slow_request_is_hedged(self):
        """Many small files teach how long a request takes; then one takes longer."""
        names = [f"lake/many/{i:03d}.parquet" for i in range(24)]
        for name in names:
            put(name, events()[:4] + events()[4:])  # the same content, each an object of its own

        def slow(number, path, range_):
            if path.endswith("020.parquet") and not done:
                done.append(number)
                return "slow"
            return None
        done = []
        proxy, variables = self.proxy(slow, slow_s=3)
        counted = counters("s3://lake/many/", "--where", "id = 150", variables=variables)
        self.assertEqual(counted["rows_matched"], len(names))
        self.assertGreaterEqual(counted["hedges"], 1)
        self.assertEqual(counted["requests"], len(proxy.requests))
        self.assertEqual(counted["retries"], 0)


if __name__ == "__main__":
    unittest.main()

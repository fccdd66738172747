# SPDX-License-Identifier: Apache-2.0
"""Files of plain web servers: nginx as it serves a folder."""

import os
import unittest

from fault_proxy import FaultProxy
from services import Log, answer, counters, events, files, nginx, refusal, rows, run, scratch


def setUpModule():
    (files() / "events.parquet").write_bytes(events())
    (scratch() / "events.parquet").write_bytes(events())


def url(path, user=""):
    return f"http://{user}127.0.0.1:{nginx()['files']}/{path}"


class Answers(unittest.TestCase):
    def test_are_those_of_the_local_file_and_counters_those_of_the_log(self):
        for where in ("id = 150", "k BETWEEN 7 AND 9", "id IN (3, 199999)"):
            local = answer("scan", scratch() / "events.parquet", "--where", where)
            with Log("files") as log:
                counted = counters(url("events.parquet"), "--where", where, variables={})
            self.assertEqual((counted["requests"], counted["bytes_read"]), (len(log.lines), log.bytes))
            self.assertTrue(all(line["if_match"] for line in log.lines[1:]))
            self.assertEqual(answer("scan", url("events.parquet"), "--where", where, variables={}), local)

    def test_a_weak_version_is_compared_only(self):
        with Log("files") as log:
            found = rows(url("weak/events.parquet"), "--where", "id = 150", variables={})
        self.assertEqual([row["id"] for row in found], [150])
        self.assertEqual({line["if_match"] for line in log.lines}, {""})

    def test_redirects_are_followed_and_counted(self):
        with Log("files") as log:
            counted = counters(url("moved/events.parquet"), "--where", "id = 150", variables={})
        self.assertEqual(counted["requests"], len(log.lines))
        self.assertEqual([line["status"] for line in log.lines], [302, 206] * 3)

    def test_passwords(self):
        self.assertEqual(answer("count", url("secret/events.parquet", "reader:pass-word@"), variables={}), "200000\n")
        kind, said = refusal("count", url("secret/events.parquet", "reader:pass-wrong@"), variables={})
        self.assertEqual(kind, "access", said)
        self.assertNotIn("pass-wrong", said)
        process = run("explain", url("secret/events.parquet", "reader:pass-word@"), "--where", "id=1", "--format", "json",
                      variables={})
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertNotIn("pass-word", process.stdout + process.stderr)


class Refusals(unittest.TestCase):
    def test_a_server_without_ranges(self):
        with Log("files") as log:
            kind, said = refusal("scan", url("whole/events.parquet"), "--where", "id = 1", variables={})
        self.assertEqual(kind, "unsupported", said)
        self.assertIn("whole files only", said)
        self.assertEqual(len(log.lines), 1)

    def test_a_small_file_of_such_a_server(self):
        (files() / "small.parquet").write_bytes(b"PAR1")
        self.assertEqual(refusal("count", url("whole/small.parquet"), variables={})[0], "corrupt")

    def test_what_is_not_there(self):
        kind, said = refusal("count", url("nothing.parquet"), variables={})
        self.assertEqual(kind, "not found", said)
        kind, said = refusal("count", "http://127.0.0.1:1/a.parquet", variables={})
        self.assertEqual(kind, "unavailable", said)
        kind, said = refusal("count", "ftp://127.0.0.1/a.parquet", variables={})
        self.assertEqual(kind, "unsupported", said)

    def test_signatures_in_urls_are_not_shown(self):
        process = run("count", url("nothing.parquet?X-Amz-Signature=0123456789abcdef"), variables={})
        self.assertEqual(process.returncode, 3, process.stderr)
        self.assertNotIn("0123456789abcdef", process.stderr)

    def test_a_file_that_is_replaced(self):
        """The second request finds another file, of the same size."""
        path = files() / "replaced.parquet"
        path.write_bytes(events())

        def replace(number, _path, _range):
            if number == 1:
                path.with_suffix(".new").write_bytes(events()[:-9] + b"x" + events()[-8:])
                os.utime(path.with_suffix(".new"), (0, 0))  # nginx makes its ETag of size and time
                path.with_suffix(".new").rename(path)
        proxy = FaultProxy(nginx()["files"], replace)
        kind, said = refusal("scan", f"http://127.0.0.1:{proxy.port}/replaced.parquet", "--where", "id = 150", variables={})
        self.assertEqual(kind, "conflict", said)
        self.assertIn("replaced", said)


if __name__ == "__main__":
    unittest.main()

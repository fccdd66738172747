# SPDX-License-Identifier: Apache-2.0
"""plan and scan --task: the tasks of a scan, run by other processes, are the scan."""

import json
import subprocess
import unittest

from product import BINARY, EXIT, answer, events, every_type, rows, run, scratch


def tasks(*arguments):
    return answer("plan", *arguments).splitlines()


def run_tasks(lines, *arguments):
    process = subprocess.run([BINARY, "scan", "--task", "-", "--format", "jsonl", *arguments], input="\n".join(lines),
                             capture_output=True, text=True, timeout=60)
    assert process.returncode == 0 and process.stderr == "", process.stderr
    return [json.loads(line) for line in process.stdout.splitlines()]


class Plan(unittest.TestCase):
    query = (events(), "--where", "id BETWEEN 900 AND 2100 AND name IS NOT NULL", "--select", "id,name,_pos,_file")

    def test_tasks_are_the_scan(self):
        expected = rows(*self.query)
        for split in ([], ["--split-rows", "70"], ["--split-rows", "1000"], ["--split-bytes", "5000"], ["--split-bytes", "1000000"]):
            lines = tasks(*self.query, *split)
            self.assertEqual(run_tasks(lines), expected)
            apart = [row for line in lines for row in run_tasks([line])]
            self.assertEqual(apart, expected)

    def test_every_type_and_column(self):
        self.assertEqual(run_tasks(tasks(every_type(), "--split-rows", "1")), rows(every_type()))

    def test_parts_that_can_not_match_get_no_task(self):
        self.assertEqual(len(tasks(*self.query, "--split-rows", "1000")), 3)
        ranges = [json.loads(line)["rows"] for line in tasks(events(), "--where", "id < 10", "--split-rows", "500")]
        self.assertEqual(ranges, [{"begin": 0, "end": 500}, {"begin": 500, "end": 1000}])
        self.assertEqual(tasks(events(), "--where", "id < 0"), [])
        self.assertEqual(run_tasks([]), [])

    def test_limit_is_of_the_process_that_runs_them(self):
        self.assertEqual(len(run_tasks(tasks(*self.query, "--split-rows", "100"), "--limit", "5")), 5)
        self.assertEqual(run("plan", *self.query, "--limit", "5").returncode, EXIT["usage"])

    def test_counters(self):
        file = scratch() / "plan.json"
        answer("plan", *self.query, "--stats", file)
        report = json.loads(file.read_text())
        self.assertEqual((report["row_groups_total"], report["row_groups_kept"], report["analyzed"]), (3, 3, False))
        self.assertEqual({step["purpose"] for step in report["io"]}, {"footer"})

    def test_refusals(self):
        line = tasks(*self.query)[0]
        for text, kind in (("{", "corrupt"), ('{"version": 9}', "unsupported"),
                           (line.replace('"name"', '"nope"'), "usage"), (line.replace("string", "int32"), "unsupported"),
                           (line.replace("events.parquet", "gone.parquet"), "not found"),
                           (line + "\n" + line.replace("900", "901"), "usage")):
            process = run("scan", "--task", "-", input=text)
            self.assertEqual((process.returncode, process.stdout), (EXIT[kind], ""), process.stderr)
            self.assertTrue(process.stderr.startswith(f"frazil: {kind}: "), process.stderr)
            self.assertEqual(process.stderr.count("\n"), 1)
        self.assertIn("line 2", run("scan", "--task", "-", input=line + "\n{").stderr)
        for arguments in (["scan", "--task", "-", events()], ["scan", "--task", "-", "--where", "id = 1"], ["scan"],
                          ["plan", events(), "--split-rows", "0"], ["plan", events(), "--format", "csv"],
                          ["plan", events(), "--split-rows", "1", "--split-bytes", "1"]):
            self.assertEqual(run(*arguments).returncode, EXIT["usage"], arguments)
        self.assertEqual(run("scan", "--task", scratch() / "none.jsonl").returncode, EXIT["not found"])


if __name__ == "__main__":
    unittest.main()

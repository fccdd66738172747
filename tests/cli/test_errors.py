# SPDX-License-Identifier: Apache-2.0
"""Errors: one line on standard error that says where and what to do, nothing on standard output, an exit code a kind."""

import os
import unittest

import pyarrow as pa
import pyarrow.parquet as pq

from product import EXIT, events, run, scratch

COMMANDS = ["scan", "count", "explain", "plan", "verify", "inspect"]


class Errors(unittest.TestCase):
    def check(self, kind, *arguments, says=()):
        process = run(*arguments)
        self.assertEqual(process.returncode, EXIT[kind], (arguments, process.stderr))
        self.assertEqual(process.stdout, "", arguments)
        self.assertEqual(process.stderr.count("\n"), 1, process.stderr)
        self.assertTrue(process.stderr.startswith(f"frazil: {kind}: "), process.stderr)
        for part in says:
            self.assertIn(str(part), process.stderr)
        return process.stderr

    def test_unknown_column_names_the_nearest(self):
        self.check("usage", "scan", events(), "--where", "amuont = 1", says=["amuont", "amount", events()])
        self.check("usage", "scan", events(), "--select", "id,nme", says=["nme", "name"])
        self.check("usage", "scan", events(), "--where", "ID = 1", says=["ID", "id"])
        self.check("usage", "inspect", events(), "pages", "--column", "nme", says=["nme", "name"])

    def test_filter_errors_have_positions(self):
        for where, position in {"id = = 3": 6, "id = 'x' AND": 13, "id BETWEEN 1 2": 14, "id IN ()": 8, "(id = 1": 8,
                                "id = 1 1": 8, "name = 'open": 8, "id = 1 AND k": 13, "id ~ 3": 4}.items():
            message = self.check("usage", "count", events(), "--where", where)
            self.assertRegex(message, rf"\b{position}\b", where)

    def test_literals_that_do_not_fit_the_column(self):
        self.check("usage", "scan", events(), "--where", "id = 'five'", says=["id"])
        self.check("usage", "scan", events(), "--where", "name = 5", says=["name"])
        self.check("usage", "scan", events(), "--where", "id LIKE '5%'", says=["id"])

    def test_flags(self):
        self.check("usage")
        self.check("usage", "nonsense")
        for command in COMMANDS:
            self.check("usage", command, says=[f"frazil {command} --help"])
            where = ["--where", "id = 1"] if command == "verify" else []
            self.check("usage", command, events(), *where, "--nonsense", says=["--nonsense"])
        self.check("usage", "scan", events(), "--limit", "-1", says=["--limit"])
        self.check("usage", "scan", events(), "--limit", "many", says=["--limit"])
        self.check("usage", "scan", events(), "--threads", "0", says=["--threads"])
        self.check("usage", "scan", events(), "--max-bytes", "-1", says=["--max-bytes"])
        self.check("usage", "scan", events(), "--max-requests", "-1", says=["--max-requests"])
        self.check("usage", "scan", events(), "--format", "xml", says=["xml", "jsonl"])
        self.check("usage", "explain", events(), "--format", "csv", says=["csv", "json"])
        self.check("usage", "inspect", events(), "--format", "xml", says=["xml"])
        self.check("usage", "inspect", events(), "everything", says=["everything", "pages"])
        self.check("usage", "scan", events(), "--no-prune=bloom-filter", says=["bloom-filter", "page-index"])
        self.check("usage", "verify", events(), says=["--where"])

    def test_missing_files(self):
        for command in COMMANDS:
            where = ["--where", "id = 1"] if command == "verify" else []
            self.check("not found", command, "nowhere.parquet", *where, says=["nowhere.parquet"])

    def test_unreadable_files(self):
        scratch().chmod(0o755)
        path = scratch() / "secret.parquet"
        path.write_bytes(events().read_bytes())
        path.chmod(0)
        # Root may read everything: then as somebody else.
        try:
            process = run("scan", path, **({"user": "nobody"} if os.geteuid() == 0 else {}))
        except PermissionError:
            self.skipTest("nobody may not run the binary")
        self.assertEqual((process.returncode, process.stdout), (EXIT["access"], ""), process.stderr)
        self.assertIn(str(path), process.stderr)

    def test_damaged_files(self):
        whole = events().read_bytes()
        for name, content in {"empty": b"", "text": b"no parquet here, none at all", "cut": whole[:-100],
                              "head": whole[: len(whole) // 2], "tail": whole[:-4] + b"PARX"}.items():
            path = scratch() / f"{name}.parquet"
            path.write_bytes(content)
            for command in COMMANDS:
                where = ["--where", "id = 1"] if command == "verify" else []
                self.check("corrupt", command, path, *where, says=[path])

    def test_damaged_pages_name_their_place(self):
        whole = bytearray(events().read_bytes())
        offset = pq.read_metadata(events()).row_group(1).column(1).data_page_offset
        whole[offset : offset + 8] = b"\xff" * 8
        path = scratch() / "page.parquet"
        path.write_bytes(whole)
        self.check("corrupt", "scan", path, "--where", "id >= 1000", "--format", "csv",
                   says=[path, "row group 1", "column k", f"at {offset}"])

    def test_unsupported(self):
        path = scratch() / "encrypted.parquet"
        path.write_bytes(b"PARE" + bytes(20) + b"PARE")
        self.check("unsupported", "scan", path, says=[path])
        self.check("unsupported", "scan", "hdfs://host/x.parquet", says=["hdfs"])
        listed = scratch() / "listed.parquet"
        pq.write_table(pa.table({"l": [[1], [2]]}), listed)
        self.check("unsupported", "scan", listed, "--where", "l.list.element = 1", says=["l"])

    def test_a_folder_is_no_file_to_inspect(self):
        self.check("usage", "inspect", scratch(), says=[scratch()])

    def test_files_of_other_columns(self):
        other = scratch() / "other.parquet"
        pq.write_table(pa.table({"id": ["text"]}), other)
        process = run("scan", events(), other, "--select", "id", "--format", "csv")
        self.assertEqual(process.returncode, EXIT["unsupported"], process.stderr)
        self.assertIn(str(other), process.stderr)


class Help(unittest.TestCase):
    def test_of_each_command(self):
        flags = {"scan": ["--where", "--select", "--limit", "--format", "--task", "--stats", "--no-prune", "--threads",
                          "--max-bytes", "--max-requests", "--verify-checksums"],
                 "count": ["--where", "--no-prune", "--stats"],
                 "explain": ["--where", "--select", "--analyze", "--level", "--format"],
                 "plan": ["--where", "--select", "--split-rows", "--split-bytes"],
                 "verify": ["--where", "--select"],
                 "inspect": ["--column", "--format", "schema", "row-groups", "pages", "stats", "snapshots", "partitions"]}
        for command, words in flags.items():
            process = run(command, "--help")
            self.assertEqual((process.returncode, process.stderr), (0, ""))
            for word in words:
                self.assertIn(word, process.stdout, command)
        process = run("--help")
        self.assertEqual(process.returncode, 0)
        for command in COMMANDS:
            self.assertIn(command, process.stdout)

    def test_version(self):
        process = run("--version")
        self.assertEqual(process.returncode, 0)
        self.assertRegex(process.stdout, r"^frazil \d+\.\d+\.\d+\n$")


if __name__ == "__main__":
    unittest.main()

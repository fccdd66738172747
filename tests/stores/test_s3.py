# SPDX-License-Identifier: Apache-2.0
"""Files of S3: the same answers as of local files, in few requests, and counters that equal the store's own log."""

import json
import unittest

import services
from services import KEY, SECRET, Log, answer, counters, events, put, refusal, rows, run, s3_variables, scratch

FILTERS = ["id = 150000", "k BETWEEN 7 AND 9", "id IN (3, 99999, 199999)", "name LIKE 'name-007%' AND id < 1000", "id < 0"]
SOURCE = "s3://lake/a b/événements+1.parquet"  # a key that must be escaped in the right way


def setUpModule():
    put(SOURCE.removeprefix("s3://"), events())
    (scratch() / "events.parquet").write_bytes(events())


class Answers(unittest.TestCase):
    def test_are_those_of_the_local_file(self):
        for where in FILTERS:
            local = answer("scan", scratch() / "events.parquet", "--where", where)
            self.assertEqual(answer("scan", SOURCE, "--where", where), local, where)
        self.assertEqual(answer("count", SOURCE), "200000\n")

    def test_verify_and_inspect(self):
        self.assertIn("ok: 3 rows are the same", answer("verify", SOURCE, "--where", FILTERS[1]))
        self.assertEqual(answer("inspect", SOURCE, "columns"),
                         answer("inspect", scratch() / "events.parquet", "columns"))

    def test_name_the_file(self):
        self.assertEqual(rows(SOURCE, "--where", "id = 5", "--select", "_file,_pos"), [{"_file": SOURCE, "_pos": 5}])


class Counters(unittest.TestCase):
    def check(self, *words, variables=None, command="scan"):
        """The counters, which must equal the log."""
        with Log() as log:
            counted = counters(*words, variables=variables, command=command)
        self.assertEqual((counted["requests"], counted["bytes_read"]), (len(log.lines), log.bytes), log.lines)
        self.assertEqual({line["method"] for line in log.lines}, {"GET"})
        self.assertEqual((counted["retries"], counted["hedges"]), (0, 0))
        return counted, log

    def test_equal_the_log_of_the_store(self):
        for where in FILTERS:
            self.check(SOURCE, "--where", where)
            self.check(SOURCE, "--where", where, "--no-prune")
        self.check(SOURCE, "--where", FILTERS[0], command="count")
        self.check(SOURCE, "--where", FILTERS[0], command="explain")

    def test_a_file_is_opened_by_its_tail_alone(self):
        counted, log = self.check(SOURCE, command="count")
        self.assertEqual(log.ranges, ["bytes=-524288"])
        self.assertEqual(counted["rounds"], 1)

    def test_three_rounds_find_a_row(self):
        counted, log = self.check(SOURCE, "--where", "id = 150")
        self.assertEqual(counted["rounds"], 3)
        self.assertEqual([step["purpose"] for step in counted["io"]], ["footer", "page index", "pages"])
        # Everything after the first answer is bound to its version.
        self.assertEqual(log.lines[0]["if_match"], "")
        self.assertTrue(all(line["if_match"] for line in log.lines[1:]), log.lines)

    def test_a_listing_tells_the_size(self):
        put("lake/folder/x.parquet", events())
        put("lake/folder/_hidden/y.parquet", b"no")
        put("lake/folder/z.txt", b"no")
        put("lake/folderx/x.parquet", b"no")
        for source in ("s3://lake/folder/", "s3://lake/folder/*.parquet", "s3://lake/**/folder/x.*"):
            counted, log = self.check(source, "--where", "id = 150000")
            self.assertEqual(counted["io"][0], {"purpose": "listing", "requests": 1, "bytes": log.lines[0]["bytes"]})
            size = len(events())
            self.assertEqual(log.lines[1]["range"], f"bytes={size - 524288}-{size - 1}", source)

    def test_connections_are_kept(self):
        _, log = self.check(SOURCE, "--where", "id = 150")
        self.assertEqual(len({line["connection"] for line in log.lines}), 1)

    def test_budgets_hold(self):
        for limit in (["--max-requests", "2"], ["--max-bytes", "600000"]):
            with Log() as log:
                kind, said = refusal("scan", SOURCE, "--where", "id = 150", *limit)
            self.assertEqual(kind, "budget", said)
            self.assertLessEqual(len(log.lines), 2)


class Refusals(unittest.TestCase):
    def check(self, kind, words, source=SOURCE, **variables):
        said_kind, said = refusal("count", source, variables=s3_variables() | variables)
        self.assertEqual(said_kind, kind, said)
        self.assertIn(source, said)
        for word in words:
            self.assertIn(word, said)

    def test_no_file(self):
        self.check("not found", ["no such file in bucket lake"], "s3://lake/nothing.parquet")

    def test_no_bucket(self):
        self.check("not found", ["there is no bucket elsewhere"], "s3://elsewhere/a.parquet")

    def test_wrong_secret(self):
        self.check("access", ["the secret access key does not belong", "variable AWS_ACCESS_KEY_ID"],
                   AWS_SECRET_ACCESS_KEY="wrong")

    def test_unknown_key(self):
        self.check("access", ["knows no such access key", "variable AWS_ACCESS_KEY_ID"], AWS_ACCESS_KEY_ID="AKIDUNKNOWN")

    def test_wrong_region(self):
        self.check("usage", ["in region us-east-1", "eu-central-1 (variable AWS_REGION)", "set s3.region or AWS_REGION"],
                   AWS_REGION="eu-central-1")

    def test_wrong_endpoint(self):
        port = services.free_port()
        self.check("unavailable", [f"nothing answers at http://127.0.0.1:{port} (variable AWS_ENDPOINT_URL)", "s3.endpoint"],
                   AWS_ENDPOINT_URL=f"http://127.0.0.1:{port}")

    def test_endpoint_without_tls(self):
        port = services.nginx()["counted"]
        self.check("unavailable", ["may not speak TLS"], AWS_ENDPOINT_URL=f"https://127.0.0.1:{port}")

    def test_no_store(self):
        port = services.nginx()["files"]
        self.check("not found", [f"http://127.0.0.1:{port}"], AWS_ENDPOINT_URL=f"http://127.0.0.1:{port}")

    def test_anonymous(self):
        self.check("access", ["without credentials"], AWS_SKIP_SIGNATURE="true")

    def test_no_credentials(self):
        kind, said = refusal("count", SOURCE, variables={"AWS_ENDPOINT_URL": s3_variables()["AWS_ENDPOINT_URL"]})
        self.assertEqual(kind, "access")
        self.assertIn("no credentials for S3 were found", said)
        self.assertIn("s3.anonymous", said)

    def test_no_parquet(self):
        put("lake/empty.parquet", b"")
        put("lake/text.parquet", b"hello, this is text\n" * 10)
        for name in ("empty", "text"):
            self.check("corrupt", [], f"s3://lake/{name}.parquet")
        kind, said = refusal("count", "s3://lake/nothing/")
        self.assertEqual(kind, "not found", said)


class Settings(unittest.TestCase):
    def test_properties_go_before_variables(self):
        wrong = {"AWS_ACCESS_KEY_ID": "AKIDOTHER", "AWS_SECRET_ACCESS_KEY": "other", "AWS_ENDPOINT_URL": "http://127.0.0.1:1"}
        properties = ["s3.endpoint=" + s3_variables()["AWS_ENDPOINT_URL"], f"s3.access-key-id={KEY}",
                      f"s3.secret-access-key={SECRET}"]
        words = [word for text in properties for word in ("--property", text)]
        self.assertEqual(answer("count", SOURCE, *words, variables=wrong), "200000\n")

    def test_profiles(self):
        folder = scratch() / "aws"
        folder.mkdir()
        (folder / "config").write_text(
            f"[profile lake]\nservices = local\n[services local]\ns3 =\n  endpoint_url = {s3_variables()['AWS_ENDPOINT_URL']}\n")
        (folder / "credentials").write_text(f"[lake]\naws_access_key_id = {KEY}\naws_secret_access_key = {SECRET}\n")
        variables = {"AWS_PROFILE": "lake", "AWS_CONFIG_FILE": str(folder / "config"),
                     "AWS_SHARED_CREDENTIALS_FILE": str(folder / "credentials")}
        self.assertEqual(answer("count", SOURCE, variables=variables), "200000\n")
        shown = {row["key"]: row for row in map(json.loads, answer(
            "config", "show", "--format", "jsonl", variables=variables).splitlines())}
        self.assertEqual(shown["s3.endpoint"]["source"], f"{folder}/config:5")
        self.assertEqual(shown["s3.secret-access-key"], {"catalog": None, "key": "s3.secret-access-key", "value": "***",
                                                         "source": f"{folder}/credentials:3"})

    def test_a_malformed_property(self):
        process = run("count", SOURCE, "--property", "s3.region")
        self.assertEqual(process.returncode, 2)


class Secrets(unittest.TestCase):
    def test_are_in_no_output(self):
        """Whatever was printed before, and what is printed when the settings are shown or refused."""
        token = "example-session-token"
        for words in (["config", "show"], ["count", SOURCE], ["explain", SOURCE, "--where", "id = 1", "--format", "json"]):
            run(*words, variables=s3_variables() | {"AWS_SESSION_TOKEN": token})
            run(*words, variables=s3_variables() | {"AWS_ENDPOINT_URL": f"http://user:{SECRET}@127.0.0.1:1"})
        run("count", f"s3://{KEY}:{SECRET}@lake/a.parquet")
        run("count", SOURCE, "--property", f"s3.secret-access-key={SECRET}")
        for words, output in services.OUTPUTS:
            self.assertNotIn(SECRET, output, words)
            self.assertNotIn(token, output, words)


if __name__ == "__main__":
    unittest.main()

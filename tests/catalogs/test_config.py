# SPDX-License-Identifier: Apache-2.0
"""The configuration of catalogs: the same values as pyiceberg finds, shown with their sources and without secrets."""

import json
import os
import random
import subprocess
import sys
import unittest

from services import BINARY, EXIT, PROBE, ask, environment, missing, refusal, run, scratch

# One process for all questions: its import takes seconds.
PYICEBERG = """
import json, os, sys
from pyiceberg.utils.config import Config
answers = []
for name, env, folder in json.load(sys.stdin):
    os.environ.clear()
    os.environ.update(env)
    os.chdir(folder)
    answers.append(Config().get_catalog_config(name))
print(json.dumps(answers))
"""


def folder(name, text=None):
    path = scratch() / name
    path.mkdir(exist_ok=True)
    if text is not None:
        (path / ".pyiceberg.yaml").write_text(text, encoding="utf-8")
    return path


def ours(name, env, cwd):
    process = subprocess.run([PROBE, name, "config"], capture_output=True, text=True, env=environment(env), cwd=cwd)
    assert process.returncode in (0, EXIT["not found"]), process.stderr
    return json.loads(process.stdout) if process.returncode == 0 else None


def theirs(questions):
    process = subprocess.run([sys.executable, "-c", PYICEBERG], capture_output=True, text=True, cwd=scratch(),
                             input=json.dumps([(name, environment(env), str(cwd)) for name, env, cwd in questions]))
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)


class Precedence(unittest.TestCase):
    def test_random_places(self):
        try:
            import pyiceberg  # noqa: F401
        except ImportError:
            missing("pyiceberg")
        seed = int(os.environ.get("FRAZIL_SEED") or random.randrange(1 << 32))
        print("seed", seed, file=sys.stderr)
        rng = random.Random(seed)
        keys = ["uri", "s3.access-key-id", "s3.endpoint", "Token", "WAREHOUSE", "py-io-impl"]
        values = ["plain", "yes", "0017", "1e3", "'quoted: text'", '"two words"', "a#b", "2024-01-01", "~tilde"]
        questions = []
        for case in range(8):
            places = {}
            for place in ["home", "work", "explicit"]:
                text = None
                if rng.random() < 0.7:
                    text = "default-catalog: prod\ncatalog:\n"
                    for catalog in ["prod", "Test"]:
                        text += f"  {catalog}:\n"
                        for key in rng.sample(keys, rng.randint(1, 4)):
                            text += f"    {key}: {rng.choice(values)}\n"
                places[place] = folder(f"{place}-{case}", text)
            env = {"HOME": str(places["home"])}
            if rng.random() < 0.6:
                env["PYICEBERG_HOME"] = str(places["explicit"])
            for variable in ["PYICEBERG_CATALOG__PROD__URI", "PYICEBERG_CATALOG__PROD__S3__ACCESS_KEY_ID",
                             "pyiceberg_catalog__test__warehouse", "PYICEBERG_CATALOG__TEST__A__B__C_D",
                             "PYICEBERG_MAX_WORKERS"]:
                if rng.random() < 0.5:
                    env[variable] = rng.choice(["", "from the environment", "x=y"])
            questions += [(name, env, places["work"]) for name in ["prod", "TEST"]]
        answers = theirs(questions)
        for question, answer in zip(questions, answers, strict=True):
            self.assertEqual(ours(*question), answer, question)
        self.assertTrue(any(answers))

    def test_maps_in_maps(self):
        place = folder("nested", "catalog:\n  c:\n    auth:\n      type: oauth2\n      oauth2:\n        client_id: i\n"
                                 "        scopes:\n        - a\n        - b\n")
        self.assertEqual(ours("c", {}, place), {"auth.type": "oauth2", "auth.oauth2.client_id": "i",
                                                "auth.oauth2.scopes": "a b"})


class Show(unittest.TestCase):
    def show(self, *words, env=None, cwd=None):
        process = run(BINARY, "config", "show", *words, "--format", "jsonl", env=env, cwd=cwd)
        self.assertEqual(process.returncode, 0, process.stderr)
        # The settings of stores have tests of their own (tests/stores).
        return [row for row in map(json.loads, process.stdout.splitlines())
                if row["catalog"] is not None or row["key"] == "default-catalog"]

    def test_every_value_and_its_source(self):
        home = folder("shown", "default-catalog: prod\ncatalog:\n  prod:\n    uri: https://h/\n"
                               "    credential: id:hush-1\n")
        env = {"HOME": str(home), "PYICEBERG_CATALOG__PROD__S3__REGION": "eu", "PYICEBERG_CATALOG__DB__URI":
               "postgresql://me:hush-2@h/d?sslpassword=hush-3&sslmode=require",
               "PYICEBERG_CATALOG__DB__HEADER__X_SOME": "hush-4"}
        file = f"{home}/.pyiceberg.yaml"
        self.assertEqual(self.show(env=env), [
            {"catalog": None, "key": "default-catalog", "value": "prod", "source": f"{file}:1"},
            {"catalog": "db", "key": "header.x-some", "value": "***",
             "source": "variable PYICEBERG_CATALOG__DB__HEADER__X_SOME"},
            {"catalog": "db", "key": "uri", "value": "postgresql://me:***@h/d?sslpassword=***&sslmode=require",
             "source": "variable PYICEBERG_CATALOG__DB__URI"},
            {"catalog": "db", "key": "type", "value": "sql", "source": "told by the uri"},
            {"catalog": "prod", "key": "credential", "value": "***", "source": f"{file}:5"},
            {"catalog": "prod", "key": "s3.region", "value": "eu",
             "source": "variable PYICEBERG_CATALOG__PROD__S3__REGION"},
            {"catalog": "prod", "key": "uri", "value": "https://h/", "source": f"{file}:4"},
            {"catalog": "prod", "key": "type", "value": "rest", "source": "told by the uri"}])
        self.assertEqual({row["catalog"] for row in self.show("--catalog", "PROD", env=env)}, {"PROD"})
        for form in ["table", "json", "csv"]:
            process = run(BINARY, "config", "show", "--format", form, env=env)
            self.assertNotIn("hush", process.stdout + process.stderr)

    def test_nothing_configured(self):
        self.assertEqual(self.show(), [{"catalog": None, "key": "default-catalog", "value": "default",
                                        "source": "default"}])
        process = run(BINARY, "config", "show", "--catalog", "prod")
        self.assertEqual(process.returncode, 3)
        self.assertIn("no catalog prod is configured", process.stderr)

    def test_files_that_are_wrong(self):
        for number, (text, words) in enumerate([
                ("catalog:\n  a:\n    token: 'hush\n", "line"), ("catalog: hush\n", "needs keys below it"),
                ("- hush\n", "line 1: a map is needed"), ("a: &x hush\nb: *x\n", "line 1: anchors are not supported"),
                ("a: !!int 1\n", "line 1: tags are not supported"), ("a: 1\na: hush\n", "line 2: key a for the second"),
                ("a: " + "{b: " * 30 + "1" + "}" * 30 + "\n", "nested deeper"),
                ("a: 1\n---\nb: 2\n", "line 2: a second YAML document"),
                ("#" * (2 << 20), "larger than"), ("a: [[hush]]\n", "a list may hold text alone")]):
            home = folder(f"wrong-{number}", text)
            process = run(BINARY, "config", "show", env={"HOME": str(home)})
            self.assertEqual((process.returncode, process.stdout), (2, ""), text[:50])
            self.assertIn(f"{home}/.pyiceberg.yaml:", process.stderr)  # a line may follow
            self.assertIn(words, process.stderr)
            self.assertNotIn("hush", process.stderr)
        process = run(BINARY, "config", "show", env={"PYICEBERG_CATALOG__A": "hush"})
        self.assertEqual(process.returncode, 2)
        self.assertIn("variable PYICEBERG_CATALOG__A", process.stderr)


class Types(unittest.TestCase):
    def test_what_makes_no_catalog(self):
        for properties, kind in [({"x": "y"}, "usage"), ({"type": "glue"}, "unsupported"), ({"uri": "thrift://h"},
                                 "unsupported"), ({"type": "hadoop"}, "usage"), ({"type": "rest"}, "usage"),
                                 ({"type": "sql", "uri": "mysql://h/d"}, "unsupported"),
                                 ({"type": "hadoop", "warehouse": "s3://b"}, "unsupported")]:
            words = refusal("c", properties, "namespaces")
            self.assertTrue(words.startswith(kind), words)

    def test_folders(self):
        warehouse = scratch() / "wh"
        for table in ["a/t", "a/b/u"]:
            (warehouse / table / "metadata").mkdir(parents=True)
            (warehouse / table / "metadata" / "v1.metadata.json").write_text("{}")
        properties = {"type": "hadoop", "warehouse": f"file://{warehouse}"}
        self.assertEqual(ask("c", properties, "namespaces"), [["a"]])
        self.assertEqual(ask("c", properties, "namespaces", "a"), [["a", "b"]])
        self.assertEqual(ask("c", properties, "tables", "a"), ["t"])
        self.assertEqual(ask("c", properties, "table", "a/b", "u")["metadata_location"],
                         f"{warehouse}/a/b/u/metadata/v1.metadata.json")
        self.assertTrue(refusal("c", properties, "table", "..", "u").startswith("usage"))
        self.assertTrue(refusal("c", properties, "table", "a", "none").startswith("not found"))


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""What the catalog tests talk to: the probe and the binary, a PostgreSQL and a REST catalog server of their own.

A service that is not installed skips the tests that need it; with CI=true that is a failure. `scripts/bootstrap test`
installs all of them. Each runs in a temporary folder, on a free port of the loopback, and ends with the tests."""

import atexit
import glob
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import unittest
import urllib.request
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BINARY = os.environ.get("FRAZIL_BINARY") or str(ROOT / "build" / "bin" / "frazil")
PROBE = os.environ.get("FRAZIL_PROBE") or str(ROOT / "build" / "bin" / "catalog_probe")
REST_JARS = ROOT / "build" / "deps" / "rest-catalog"
EXIT = {"internal": 1, "usage": 2, "not found": 3, "access": 4, "corrupt": 5, "unsupported": 6, "unavailable": 7,
        "budget": 8, "conflict": 9}
NOBODY = 65534


def missing(what):
    """The test can not run for want of `what`."""
    if os.environ.get("CI") == "true":
        raise RuntimeError(f"{what} is missing: with CI=true this is a failure")
    raise unittest.SkipTest(f"{what} is missing (scripts/bootstrap test installs it)")


@cache
def scratch():
    """A folder that goes when the tests end, and that other users can read."""
    folder = tempfile.mkdtemp(prefix="frazil-catalogs-")
    os.chmod(folder, 0o755)
    atexit.register(shutil.rmtree, folder, True)
    return Path(folder)


def environment(variables):
    """An environment without any other configuration of catalogs."""
    kept = {k: v for k, v in os.environ.items() if not k.upper().startswith("PYICEBERG_")}
    empty = scratch() / "no-configuration"
    empty.mkdir(exist_ok=True)
    return kept | {"HOME": str(empty)} | variables


def variables(name, properties):
    """The variables that configure a catalog."""
    def spelled(key):
        return key.replace(".", "__").replace("-", "_").upper()
    return {f"PYICEBERG_CATALOG__{spelled(name)}__{spelled(k)}": v for k, v in properties.items()}


def run(program, *words, env=None, cwd=None):
    return subprocess.run([program, *map(str, words)], capture_output=True, text=True, timeout=120,
                          env=environment(env or {}), cwd=cwd or scratch())


def ask(name, properties, *words):
    """The probe's answer about a catalog."""
    process = run(PROBE, name, *words, env=variables(name, properties))
    assert process.returncode == 0, (words, process.returncode, process.stderr)
    return json.loads(process.stdout)


def refusal(name, properties, *words):
    """The words of a question that must fail, after their kind; the exit code must be that of the kind."""
    process = run(PROBE, name, *words, env=variables(name, properties))
    kind = process.stderr.split(":")[0]
    assert process.returncode == EXIT.get(kind), (words, process.returncode, process.stdout, process.stderr)
    return process.stderr.strip()


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def pyiceberg_catalog(name, **properties):
    try:
        from pyiceberg.catalog import load_catalog
    except ImportError:
        missing("pyiceberg")
    return load_catalog(name, **properties)


def as_nobody():
    """PostgreSQL refuses to run as root."""
    if os.getuid() != 0:
        return {}
    return {"user": NOBODY, "group": NOBODY, "extra_groups": []}


class Postgres:
    """A PostgreSQL with a database `ice` of a user `ice`, whose password is asked for."""

    def __init__(self):
        binaries = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))
        if not binaries:
            missing("PostgreSQL")
        self.binaries = Path(binaries[-1]).parent
        self.folder = scratch() / "postgres"
        self.folder.mkdir()
        if os.getuid() == 0:
            os.chown(self.folder, NOBODY, NOBODY)
        self.port = free_port()
        (scratch() / "superuser").write_text("super-pw")
        self.command("initdb", "-D", self.folder / "data", "-U", "super", "-A", "scram-sha-256", "--pwfile",
                     scratch() / "superuser", "--no-sync", "-E", "UTF8", "--locale=C")
        self.command("pg_ctl", "-D", self.folder / "data", "-w", "-t", "180", "-l", self.folder / "log", "-o",
                     f"-p {self.port} -c listen_addresses=127.0.0.1 -c fsync=off "
                     f"-c unix_socket_directories={self.folder}", "start")
        atexit.register(self.stop)
        self.sql("CREATE ROLE ice LOGIN PASSWORD 'p@ss/w:rd'")
        self.sql("CREATE DATABASE ice OWNER ice")
        self.sql("CREATE DATABASE bare OWNER ice")

    def command(self, name, *words):
        process = subprocess.run([self.binaries / name, *map(str, words)], stdout=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE, text=True, cwd=self.folder, **as_nobody())
        assert process.returncode == 0, process.stderr

    def sql(self, statement, database="postgres"):
        subprocess.run(["psql", "-q", "-h", "127.0.0.1", "-p", str(self.port), "-U", "super", "-d", database, "-c",
                        statement], check=True, capture_output=True, env=os.environ | {"PGPASSWORD": "super-pw"})

    def uri(self, password="p%40ss%2Fw%3Ard", database="ice", scheme="postgresql+psycopg2"):
        return f"{scheme}://ice:{password}@127.0.0.1:{self.port}/{database}"

    def stop(self):
        self.command("pg_ctl", "-D", self.folder / "data", "-m", "immediate", "stop")


class RestServer:
    """The Iceberg project's own REST catalog over an SQLite file, with its warehouse in a folder."""

    def __init__(self):
        if not list(REST_JARS.glob("iceberg-open-api-*.jar")) or not shutil.which("java"):
            missing("the REST catalog server")
        self.folder = scratch() / "rest"
        self.folder.mkdir()
        self.port = free_port()  # it would share a port that is taken
        self.uri = f"http://127.0.0.1:{self.port}"
        env = os.environ | {
            "CATALOG_CATALOG__IMPL": "org.apache.iceberg.jdbc.JdbcCatalog", "CATALOG_JDBC_SCHEMA__VERSION": "V1",
            "CATALOG_REST_PORT": str(self.port), "CATALOG_URI": f"jdbc:sqlite:{self.folder}/catalog.db",
            "CATALOG_WAREHOUSE": str(self.folder / "warehouse")}
        with open(self.folder / "log", "w") as log:
            self.process = subprocess.Popen(["java", "-Xmx256m", "-cp", f"{REST_JARS}/*",
                                             "org.apache.iceberg.rest.RESTCatalogServer"], env=env, stdout=log,
                                            stderr=subprocess.STDOUT)
        atexit.register(self.stop)
        deadline = time.monotonic() + 120
        while True:
            try:
                urllib.request.urlopen(self.uri + "/v1/config", timeout=10).close()
                return
            except OSError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError((self.folder / "log").read_text()[-2000:])
                time.sleep(0.2)

    def stop(self):
        self.process.terminate()
        self.process.wait()

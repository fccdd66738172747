# SPDX-License-Identifier: Apache-2.0
"""What the store tests talk to: an S3 server (versitygw), nginx before it as the independent counter of requests, and a
proxy that makes one chosen request go wrong.

    frazil -> FaultProxy (where a test wants one) -> nginx (log) -> versitygw

A service that is not installed skips the tests that need it; with CI=true that is a failure. `scripts/bootstrap test`
installs all of them. Each runs in a temporary folder, on a free port of the loopback, and ends with the tests."""

import atexit
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import unittest
from functools import cache
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs

ROOT = Path(__file__).resolve().parents[2]
BINARY = os.environ.get("FRAZIL_BINARY") or str(ROOT / "build" / "bin" / "frazil")
SERVICES = ROOT / "build" / "deps" / "services"
EXIT = {"internal": 1, "usage": 2, "not found": 3, "access": 4, "corrupt": 5, "unsupported": 6, "unavailable": 7,
        "budget": 8, "conflict": 9}
KEY, SECRET = "AKIDEXAMPLEKEY", "example/secret+access=key"
START_SECONDS = 60


def missing(what):
    """The test can not run for want of `what`."""
    if os.environ.get("CI") == "true":
        raise RuntimeError(f"{what} is missing: with CI=true this is a failure")
    raise unittest.SkipTest(f"{what} is missing (scripts/bootstrap test installs it)")


@cache
def scratch():
    """A folder that goes when the tests end, and that other users can read."""
    folder = tempfile.mkdtemp(prefix="frazil-stores-")
    os.chmod(folder, 0o755)
    atexit.register(shutil.rmtree, folder, True)
    return Path(folder)


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def start(words, port, log):
    """A server that is stopped when the tests end; returns when it takes connections."""
    with open(log, "w") as out:
        process = subprocess.Popen([str(word) for word in words], stdout=out, stderr=subprocess.STDOUT, cwd=scratch())

    def stop():
        process.terminate()
        process.wait()
    atexit.register(stop)
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return process
        except OSError:
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{words[0]} does not start: {Path(log).read_text()[-2000:]}")
            time.sleep(0.05)


@cache
def s3_server():
    """The port of a versitygw with a bucket `lake`."""
    binary = SERVICES / "versitygw"
    if not binary.exists():
        missing("versitygw")
    folder = scratch() / "s3"
    folder.mkdir()
    port = free_port()
    start([binary, "--port", f"127.0.0.1:{port}", "--access", KEY, "--secret", SECRET, "--keep-alive", "--quiet",
           "posix", folder], port, scratch() / "versitygw.log")
    writer(port).create_dir("lake")
    return port


def writer(port=None):
    """Arrow's own client: what puts files into the store. Through nginx: versitygw itself refuses some of its requests."""
    return fs.S3FileSystem(access_key=KEY, secret_key=SECRET, scheme="http", region="us-east-1",
                           endpoint_override=f"127.0.0.1:{port or nginx()['counted']}", allow_bucket_creation=True)


def put(path, content):
    """Writes an object, replacing it if it is there."""
    with writer().open_output_stream(path) as stream:
        stream.write(content)


NGINX = """
worker_processes 1; daemon off; pid nginx.pid; error_log nginx-error.log;
events { worker_connections 1024; }
http {
  log_format request escape=json '{"status":$status,"method":"$request_method","uri":"$request_uri",'
    '"range":"$http_range","bytes":$body_bytes_sent,"connection":$connection,"if_match":"$http_if_match"}';
  client_body_temp_path tmp/b; proxy_temp_path tmp/p; fastcgi_temp_path tmp/f; uwsgi_temp_path tmp/u; scgi_temp_path tmp/s;
  client_max_body_size 0; keepalive_requests 1000000;
  upstream s3 { server 127.0.0.1:%(s3)d; keepalive 64; keepalive_requests 1000000; }
  server {
    listen 127.0.0.1:%(counted)d;
    access_log counted.log request;
    location / {
      proxy_pass http://s3; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host $http_host;
      proxy_buffers 16 64k; proxy_request_buffering off; proxy_max_temp_file_size 0;
    }
  }
  server {
    listen 127.0.0.1:%(files)d;
    access_log files.log request;
    root files;
    location / { }
    location /weak/ { alias files/; etag off; add_header ETag 'W/"1"'; }
    location /moved/ { rewrite ^/moved/(.*)$ /$1 redirect; }
    location /whole/ { alias files/; max_ranges 0; }
    location /secret/ { alias files/; auth_basic files; auth_basic_user_file passwords; }
  }
}
"""


@cache
def nginx():
    """Ports: `counted`, before the S3 server, and `files`, which serves the folder files() itself."""
    binary = shutil.which("nginx") or (Path("/usr/sbin/nginx").exists() and "/usr/sbin/nginx")
    if not binary:
        missing("nginx")
    ports = {"s3": s3_server(), "counted": free_port(), "files": free_port()}
    (scratch() / "tmp").mkdir()
    files()
    (scratch() / "passwords").write_text("reader:{PLAIN}pass-word\n")
    (scratch() / "nginx.conf").write_text(NGINX % ports)
    start([binary, "-p", scratch(), "-c", scratch() / "nginx.conf"], ports["files"], scratch() / "nginx.log")
    return ports


@cache
def files():
    folder = scratch() / "files"
    folder.mkdir()
    return folder


class Log:
    """What nginx saw while a `with` ran: a dictionary for each request."""

    def __init__(self, name="counted"):
        nginx()
        self.path = scratch() / f"{name}.log"
        self.lines = []

    def __enter__(self):
        self.settle()
        self.begin = self.path.stat().st_size
        return self

    def settle(self):
        """A line is written when its answer has left: waits until no more come."""
        size = -1
        while size != self.path.stat().st_size:
            size = self.path.stat().st_size
            time.sleep(0.15)

    def __exit__(self, *_):
        self.settle()
        with open(self.path) as log:
            log.seek(self.begin)
            self.lines = [json.loads(line) for line in log]

    @property
    def bytes(self):
        return sum(line["bytes"] for line in self.lines)

    @property
    def ranges(self):
        return [line["range"] for line in self.lines]


@cache
def events():
    """The bytes of a Parquet file whose first index pieces lie before the tail that a reader takes: 200,000 rows of small
    pages. id ascends, k is mixed, name repeats."""
    n = 200_000
    table = pa.table({
        "id": pa.array(range(n), pa.int64()),
        "k": pa.array([i * 1571 % n for i in range(n)], pa.int64()),
        "name": pa.array([f"name-{i % 977:03d}-{i * 31 % 1009:04d}" for i in range(n)]),
    })
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, row_group_size=50_000, data_page_size=200, write_batch_size=20, write_page_index=True,
                   use_dictionary=False, compression="none")
    return sink.getvalue().to_pybytes()


def environment(variables):
    """An environment without any other configuration of stores."""
    kept = {k: v for k, v in os.environ.items()
            if not k.startswith(("AWS_", "PYICEBERG_")) and not k.lower().endswith("_proxy")}
    home = scratch() / "home"
    home.mkdir(exist_ok=True)
    return kept | {"HOME": str(home)} | variables


def s3_variables(port=None):
    return {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port or nginx()['counted']}"}


OUTPUTS = []  # of every run, for the search for secrets


def run(*words, variables=None, timeout=120):
    process = subprocess.run([BINARY, *map(str, words)], capture_output=True, text=True, timeout=timeout,
                             env=environment(s3_variables() if variables is None else variables), cwd=scratch())
    OUTPUTS.append((words, process.stdout + process.stderr))
    return process


def answer(*words, variables=None):
    """Standard output of a run that must succeed and say nothing else."""
    process = run(*words, variables=variables)
    assert process.returncode == 0 and process.stderr == "", (words, process.returncode, process.stderr)
    return process.stdout


def rows(*words, variables=None):
    return [json.loads(line) for line in answer("scan", *words, "--format", "jsonl", variables=variables).splitlines()]


def counters(*words, variables=None, command="scan"):
    """The counters of a run."""
    path = scratch() / "stats.json"
    answer(command, *words, "--stats", path, variables=variables)
    return json.loads(path.read_text())


def refusal(*words, variables=None, timeout=120):
    """Kind and words of a run that must fail; the exit code must be that of the kind."""
    process = run(*words, variables=variables, timeout=timeout)
    _, kind, said = (process.stderr.strip() + ": : ").split(": ", 2)
    assert process.returncode == EXIT.get(kind), (words, process.returncode, process.stdout, process.stderr)
    return kind, process.stderr.strip()

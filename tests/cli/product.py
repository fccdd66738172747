# SPDX-License-Identifier: Apache-2.0
"""The product as a user has it: the binary, and the files that the tests ask it about.

FRAZIL_BINARY names the binary (default: build/bin/frazil). Run one test file as `python tests/cli/test_formats.py`."""

import atexit
import json
import os
import shutil
import subprocess
import tempfile
from datetime import date, datetime, time, timezone
from decimal import Decimal
from functools import cache
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

BINARY = os.environ.get("FRAZIL_BINARY") or str(Path(__file__).resolve().parents[2] / "build" / "bin" / "frazil")
LEVELS = ["file", "row-group", "page-index", "two-stages"]
EXIT = {"internal": 1, "usage": 2, "not found": 3, "access": 4, "corrupt": 5, "unsupported": 6, "unavailable": 7, "budget": 8, "conflict": 9}


def run(*arguments, text=True, **options):
    """The ended process: returncode, stdout, stderr."""
    return subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=text, timeout=60, **options)


def answer(*arguments):
    """Standard output of a run that must succeed and say nothing else."""
    process = run(*arguments)
    assert process.returncode == 0 and process.stderr == "", (arguments, process.returncode, process.stderr)
    return process.stdout


def rows(*arguments):
    """The rows of a scan as dictionaries."""
    return [json.loads(line) for line in answer("scan", *arguments, "--format", "jsonl").splitlines()]


@cache
def scratch():
    """A folder that goes when the tests end."""
    folder = tempfile.mkdtemp(prefix="frazil-cli-")
    atexit.register(shutil.rmtree, folder, True)
    return Path(folder)


@cache
def events():
    """3,000 events in three row groups of ten pages each: id 0 to 2999, k mixed, name with nulls, amount."""
    n = 3000
    table = pa.table({
        "id": pa.array(range(n), pa.int64()),
        "k": pa.array([i * 1571 % n for i in range(n)], pa.int64()),
        "name": pa.array([None if i % 13 == 0 else f"name-{i % 100:02d}" for i in range(n)]),
        "amount": pa.array([i + 0.25 for i in range(n)], pa.float64()),
    })
    path = scratch() / "events.parquet"
    pq.write_table(table, path, row_group_size=1000, write_batch_size=100, data_page_size=1, write_page_index=True,
                   use_dictionary=False, compression="none")
    return path


@cache
def large():
    """2,000,000 rows of ids and texts: a scan of it takes a while."""
    n = 2_000_000
    table = pa.table({"id": pa.array(range(n), pa.int64()), "note": pa.array([f"note-{i % 977}" for i in range(n)])})
    path = scratch() / "large.parquet"
    pq.write_table(table, path, row_group_size=n // 4, data_page_size=65536, write_page_index=True)
    return path


@cache
def every_type():
    """One row of edge values and one of nulls."""
    utc = timezone.utc
    columns = {
        "i8": (pa.int8(), -128), "u8": (pa.uint8(), 255), "i16": (pa.int16(), -32768), "u16": (pa.uint16(), 65535),
        "i32": (pa.int32(), -2147483648), "u32": (pa.uint32(), 4294967295),
        "i64": (pa.int64(), 9007199254740993), "u64": (pa.uint64(), 18446744073709551615),
        "f32": (pa.float32(), 0.1), "f64": (pa.float64(), 0.1), "yes": (pa.bool_(), True),
        "dec": (pa.decimal128(38, 10), Decimal("1234567890123456789012345678.0123456789")),
        "text": (pa.string(), 'a "quoted", text\nin two lines é'), "empty": (pa.string(), ""),
        "bytes": (pa.binary(), b"\x00\xff\x10"), "fixed": (pa.binary(3), b"abc"),
        "day": (pa.date32(), date(2024, 2, 29)), "clock": (pa.time64("us"), time(23, 59, 59, 999999)),
        "ms": (pa.timestamp("ms"), datetime(1969, 12, 31, 23, 59, 59, 999000)),
        "us": (pa.timestamp("us", "UTC"), datetime(2024, 1, 2, 3, 4, 5, 678901, utc)),
        "ns": (pa.timestamp("ns"), 1700000000123456789),
        "list": (pa.list_(pa.int64()), [9007199254740993, None]),
        "struct": (pa.struct([("x", pa.int32()), ("y", pa.string())]), {"x": 1, "y": None}),
        "map": (pa.map_(pa.string(), pa.int32()), [("a", 1), ("b", 2)]),
    }
    table = pa.table({name: pa.array([value, None], kind) for name, (kind, value) in columns.items()})
    path = scratch() / "types.parquet"
    pq.write_table(table, path)
    return path

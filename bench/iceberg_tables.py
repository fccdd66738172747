# SPDX-License-Identifier: Apache-2.0
"""The Iceberg tables that planning and lookups are measured on. iceberg_writer makes their metadata; of most, no data file
exists. They lie in build/bench/data/iceberg and are kept from run to run; when the sources of the tables change, they are
made anew.
"""
import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from measure import BIN, HERE

FILES = 16_000
FIRST_DAY = np.datetime64("2020-01-01")
LOOKUP_DAY, LOOKUP_DAYS, LOOKUP_BUCKET, LOOKUP_CUSTOMER = 500, 12, 14, 42  # bucket[16](42) is 14
ROWS = 400_000            # of a data file that exists
MATCHES_OF_FILE = (4, 3)  # rows of the customer in the data files, in turns: 42 in all


def write_parquet(path, table, field_ids, **options):
    fields = [field.with_metadata({"PARQUET:field_id": str(field_ids[field.name])}) for field in table.schema]
    pq.write_table(table.cast(pa.schema(fields)), path, row_group_size=len(table), write_page_index=True, **options)


def data_file(path, file, of_customer):
    """A row group of about 30 MB, by customer; `of_customer` rows are of the one that is looked for."""
    rng = np.random.default_rng(file)
    customers = rng.integers(1_000, 999_999_999, ROWS)
    customers[:of_customer] = LOOKUP_CUSTOMER
    customers.sort()
    day = FIRST_DAY + np.timedelta64(file // 16, "D")
    first_order = file * 7919 % FILES * 1_000_000
    moments = day.astype("datetime64[us]") + rng.integers(0, 86_400_000_000, ROWS).astype("timedelta64[us]")
    table = pa.table({
        "order_id": first_order + rng.integers(0, 12_000_000, ROWS),
        "customer_id": customers,
        "created": pa.array(moments, pa.timestamp("us")),
        "amount": rng.integers(0, 999_999, ROWS) / 100,
        "status": pa.array(["cancelled", "open", "packed", "paid", "shipped"]).take(pa.array(rng.integers(0, 5, ROWS))),
        "note": pa.array([text.hex() for text in np.frombuffer(rng.bytes(ROWS * 20), dtype="S20").tolist()]),
    })
    ids = {name: i + 1 for i, name in enumerate(table.column_names)}
    write_parquet(path, table, ids, max_rows_per_page=20_000, data_page_size=1 << 20, compression="zstd")


def run_writer(folder, *options):
    subprocess.run([BIN / "iceberg_writer", folder, *map(str, options)], check=True)


def many_files(folder):
    """16,000 files in 160 manifests, none of which exists."""
    run_writer(folder, "--manifests", 160, "--files", 100)


def million_files(folder):
    run_writer(folder, "--manifests", 1000, "--files", 1000)


def lookup(folder):
    """The same 16,000 files; those of twelve days exist, sixteen buckets each: of the customer's bucket each its own,
    of the others links to one that does not hold the customer."""
    other = folder / "other.parquet"
    folder.mkdir(parents=True)
    data_file(other, LOOKUP_DAY * 16, 0)
    for day in range(LOOKUP_DAY, LOOKUP_DAY + LOOKUP_DAYS):
        for bucket in range(16):
            date = int((FIRST_DAY - np.datetime64("1970-01-01")).astype(int)) + day
            path = folder / "data" / f"day={date}" / f"bucket={bucket}" / f"00000-{day * 16 + bucket}.parquet"
            path.parent.mkdir(parents=True, exist_ok=True)
            if bucket == LOOKUP_BUCKET:
                data_file(path, day * 16 + bucket, MATCHES_OF_FILE[day % 2])
            else:
                os.link(other, path)
    run_writer(folder, "--manifests", 160, "--files", 100, "--rows", ROWS)


DELETES_ROWS = 12_000_000


def deletes(position_count, equality_count=0):
    """One data file of 12,000,000 rows in 12 row groups, order_id ascending, and one delete file about it."""
    def make(folder):
        (folder / "data").mkdir(parents=True)
        data = folder / "data" / "00000-0.parquet"
        rng = np.random.default_rng(3)
        table = pa.table({"order_id": np.arange(DELETES_ROWS), "amount": rng.integers(0, 99_999, DELETES_ROWS) / 100})
        fields = [pa.field("order_id", pa.int64(), metadata={"PARQUET:field_id": "1"}),
                  pa.field("amount", pa.float64(), metadata={"PARQUET:field_id": "4"})]
        pq.write_table(table.cast(pa.schema(fields)), data, row_group_size=1_000_000, write_page_index=True,
                       max_rows_per_page=20_000)
        options = ["--manifests", 1, "--files", 1, "--unpartitioned", "--rows", DELETES_ROWS]
        if position_count:
            positions = np.sort(rng.choice(DELETES_ROWS, position_count, replace=False))
            paths = pa.DictionaryArray.from_arrays(pa.array(np.zeros(position_count, np.int32)), [f"file://{data}"])
            write_parquet(folder / "data" / "positions.parquet",
                          pa.table({"file_path": paths.cast(pa.string()), "pos": positions}),
                          {"file_path": 2147483546, "pos": 2147483545}, max_rows_per_page=20_000)
            options += ["--position-deletes", f"positions.parquet:{position_count}"]
        if equality_count:
            ids = np.sort(rng.choice(DELETES_ROWS, equality_count, replace=False))
            write_parquet(folder / "data" / "equality.parquet", pa.table({"order_id": ids}), {"order_id": 1})
            options += ["--equality-deletes", f"equality.parquet:{equality_count}"]
        run_writer(folder, *options)
    return make


TABLES = {
    "many_files": many_files,
    "million_files": million_files,
    "lookup": lookup,
    "deletes_0": deletes(0),
    "deletes_1": deletes(1),
    "deletes_100k": deletes(100_000),
    "deletes_10m": deletes(10_000_000),
    "deletes_equality": deletes(0, 1000),
}


class TableFolder:
    """Where the tables lie; `path` makes a table that is not there yet. Manifests hold absolute paths: made anew when moved."""

    def __init__(self, folder):
        self._folder = Path(folder).resolve() / "iceberg"
        sources = (__file__, HERE / "iceberg_writer.cc")
        recipe = hashlib.sha256(b"".join(Path(source).read_bytes() for source in sources) + bytes(self._folder)).hexdigest()
        stamp = self._folder / "recipe"
        if not stamp.exists() or stamp.read_text() != recipe:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder.mkdir(parents=True)
            stamp.write_text(recipe)

    def path(self, name):
        path, done = self._folder / name, self._folder / f"{name}.done"
        if not done.exists():
            shutil.rmtree(path, ignore_errors=True)
            TABLES[name](path)
            done.touch()
        return str(path)

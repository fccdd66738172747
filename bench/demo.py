#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page-pruning experiment: 2,000,000 rows in one row group, a query for 100 of them, pruning on and off.

Writes the files with pyarrow (64 KiB pages; sorted, random, sorted without an index; a nested variant whose pages do
not align), runs the query with build/bin/frazil, checks every answer, and prints what was read. Then sweeps page sizes.
usage: demo.py FRAZIL [FOLDER]   (FOLDER keeps the files; default: a temporary folder)
"""
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 2_000_000
LOW, HIGH = 1_000_000, 1_000_099
WHERE = f"event_id BETWEEN {LOW} AND {HIGH}"


def base_table():
    rng = np.random.default_rng(7)
    table = pa.table({
        "event_id": np.arange(ROWS),
        "amount": rng.integers(0, 1_000_000, ROWS),
        "note": pa.array([f"n{i % 977}" for i in range(ROWS)]),
    })
    return table, table.take(pa.array(rng.permutation(ROWS)))


def nested_table():
    rows = 500_000
    rng = np.random.default_rng(11)
    lengths = rng.integers(0, 6, rows)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    tags = pa.ListArray.from_arrays(pa.array(offsets), pa.array(rng.integers(0, 1000, int(offsets[-1]))))
    where = pa.StructArray.from_arrays([pa.array(rng.random(rows)), pa.array([f"city {i % 4001}" for i in range(rows)])],
                                       ["score", "city"])
    return pa.table({"event_id": np.arange(rows) * 4, "tags": tags, "place": where})


def write(table, path, page_bytes=64 << 10, index=True, **more):
    pq.write_table(table, path, row_group_size=len(table), data_page_size=page_bytes, write_page_index=index, **more)


def run(frazil, path, select, *extra):
    with tempfile.NamedTemporaryFile() as stats:
        out = subprocess.run([frazil, "scan", path, "--where", WHERE, "--select", select, "--format", "arrow", "--stats",
                              stats.name, *extra], check=True, capture_output=True).stdout
        return pa.ipc.open_stream(out).read_all(), json.load(open(stats.name))


def line(name, pruning, stats):
    pages = f"{stats['pages_kept']:,} of {stats['pages_total']:,}" if stats["pages_total"] else "-"
    print(f"{name:<22} {pruning:<8} {stats['rows_selected']:>10,} {pages:>14} {stats['bytes_read']:>12,} "
          f"{stats['requests']:>9} {stats['elapsed_ns'] / 1e6:>9.2f}")


def compare(frazil, name, path, select):
    # What pyarrow makes of the whole file, filtered afterwards: no index took part.
    whole = pq.read_table(path)
    ids = whole["event_id"].to_numpy()
    expected = whole.select(select.split(",")).take(pa.array(np.nonzero((ids >= LOW) & (ids <= HIGH))[0]))
    on, on_stats = run(frazil, path, select)
    off, off_stats = run(frazil, path, select, "--no-prune")
    if not (on.equals(expected) and off.equals(expected)):
        sys.exit(f"{name}: the answer is wrong")
    line(name, "on", on_stats)
    line("", "off", off_stats)


def main():
    frazil = sys.argv[1]
    with tempfile.TemporaryDirectory() as temporary:
        folder = sys.argv[2] if len(sys.argv) > 2 else temporary
        os.makedirs(folder, exist_ok=True)
        table, shuffled = base_table()
        nested = nested_table()
        files = [("sorted", table, {}), ("random", shuffled, {}), ("sorted, no index", table, {"index": False})]
        print(f"query: amount of {ROWS:,} rows where {WHERE}; answers checked against pyarrow\n")
        print(f"{'file':<22} {'pruning':<8} {'rows kept':>10} {'pages':>14} {'bytes read':>12} {'requests':>9} {'ms':>9}")
        for name, rows, options in files:
            path = f"{folder}/{name.replace(', ', '_').replace(' ', '_')}.parquet"
            write(rows, path, **options)
            compare(frazil, name, path, "amount")
        path = f"{folder}/nested.parquet"
        write(nested, path, page_bytes=16 << 10, data_page_version="2.0")
        compare(frazil, "nested, unaligned", path, "tags,place")
        print("\nsorted, by page size")
        for kib in (8, 64, 1024):
            path = f"{folder}/sorted_{kib}k.parquet"
            write(table, path, page_bytes=kib << 10)
            compare(frazil, f"pages of {kib} KiB", path, "amount")
        print()
        subprocess.run([frazil, "explain", f"{folder}/sorted.parquet", "--where", WHERE, "--select", "amount"], check=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the files that the documentation reads: 100,000 orders. Usage: orders.py FOLDER

  orders.parquet        laid out for lookups: sorted by order_id, four row groups, pages of about 8 KiB, a page index,
                        dictionaries only for columns of few values
  orders_plain.parquet  the same rows as pyarrow writes them when nothing is asked for: no page index
"""
import sys
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 100_000
CITIES = ["Oslo", "Lima", "Pune", "Kyiv", "Bern", "Suva", "Riga", "Doha"]


def orders():
    i = np.arange(ROWS)
    cents = (i * 104_729) % 1_000_003
    placed = 1_704_067_200_000_000 + i * 300_000_000  # every five minutes from 2024-01-01
    address = pa.StructArray.from_arrays(
        [pa.array([CITIES[n] for n in i % 8]), pa.array([f"{n:05d}" for n in (i * 37) % 99_991])], ["city", "zip"])
    ends = np.cumsum(1 + i % 3)  # one to three items an order
    items = pa.StructArray.from_arrays(
        [pa.array([f"sku-{n}" for n in (np.arange(ends[-1]) * 31) % 5_003]),
         pa.array(1 + np.arange(ends[-1]) % 4, pa.int32())], ["sku", "quantity"])
    return pa.table({
        "order_id": pa.array(500_000 + i),
        "customer": pa.array([f"C{n:05d}" for n in (i * 7_919) % 10_007]),
        "placed": pa.array(placed, pa.timestamp("us", tz="UTC")),
        "amount": pa.array([Decimal(int(n)).scaleb(-2) for n in cents], pa.decimal128(9, 2)),
        "address": address,
        "items": pa.ListArray.from_arrays(np.concatenate([[0], ends]).astype(np.int32), items),
        "note": pa.array([f"gift {n}" if n % 1_000 == 0 else None for n in i], pa.string()),
    })


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    table = orders()
    pq.write_table(table, folder / "orders.parquet", row_group_size=25_000, data_page_size=8 << 10,
                   use_dictionary=["address.city", "note"], write_page_index=True, write_page_checksum=True)
    pq.write_table(table, folder / "orders_plain.parquet")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""The questions that are measured, the engines that answer them, and what must come out."""
from dataclasses import dataclass, field

import numpy as np

import bounds
from bounds import MIB
from datasets import CODECS, object_id
from peers import QUERYING, SCANNING
from query import Between, Compare, In, Or

SEED_ROWS = Between("event_id", 1_000_000, 1_000_099)
SMALL_BUDGET = 64 * MIB


@dataclass(frozen=True)
class Workload:
    name: str
    title: str
    file: str  # of datasets.FILES
    filter: object = None
    columns: tuple = ()
    count: bool = False
    peers: list = field(default_factory=lambda: QUERYING)
    bounds: tuple = ()
    pruning_off: bool = False     # measure the same scan without pruning, too
    stream: bool = False          # measure the scan batch by batch, too
    budget_bytes: int = 0         # measure the growth of memory with such a budget
    compare_with: str = ""        # a smaller workload of the same kind, whose time is shown beside


def seed(name, title, file, *bounds_, **more):
    return Workload(name, title, file, SEED_ROWS, ("amount",), bounds=bounds_, pruning_off=True, **more)


def seed_workloads():
    whole = bounds.bytes_of_columns(["event_id", "amount"])
    yield seed("seed-sorted", "100 of 2,000,000 sorted rows", "seed_sorted", bounds.bytes_read(130_000), bounds.requests(4),
               bounds.rounds(2), bounds.time_of_best(1 / 6))
    yield seed("seed-random", "the same rows in random order", "seed_random", whole, bounds.time_of_best(1.0))
    yield seed("seed-no-index", "sorted, without a page index", "seed_no_index", whole, bounds.time_of_best(1.0))
    yield seed("seed-plain-sorted", "100 of 2,000,000 sorted rows, no dictionary", "seed_plain_sorted")
    yield seed("seed-plain-random", "the same in random order", "seed_plain_random")
    yield seed("seed-plain-no-index", "the same, sorted, without a page index", "seed_plain_no_index")
    yield seed("pages-8k", "100 of 2,000,000 sorted rows, pages of 8 KiB", "seed_8k")
    yield seed("pages-64k", "the same, pages of 64 KiB", "seed_sorted")
    yield seed("pages-1024k", "the same, pages of 1 MiB", "seed_1024k")


def wide_workloads():
    rows = Between("id", 250_000, 250_099)
    yield Workload("wide-sorted", "100 whole rows of 500,000 wide ones, 1,000 to a page", "wide_sorted", rows, pruning_off=True,
                   bounds=(bounds.data_bytes(int(0.28 * MIB)), bounds.bytes_read(int(0.35 * MIB)), bounds.time_of_best(1 / 3),
                           bounds.gain(8.3)))
    yield Workload("wide-random", "the same in random order: two stages", "wide_random", rows, pruning_off=True,
                   bounds=(bounds.bytes_read(26 * MIB), bounds.time_of_best(1.0)))
    yield Workload("nested", "a list and a struct behind a flat filter, pages unaligned", "nested", SEED_ROWS,
                   ("tags", "place"), pruning_off=True, bounds=(bounds.data_bytes_of_rows(["tags.list.element", "place.city"]),))


def predicate_workloads():
    rng = np.random.default_rng(31)
    scattered = np.sort(rng.choice(2_000_000, 5_000, replace=False))
    clustered = np.sort(np.concatenate([start + rng.choice(1_000, 250, replace=False)
                                        for start in rng.choice(np.arange(0, 2_000_000, 10_000), 20, replace=False)]))
    yield Workload("in-clustered", "IN of 5,000 values in 20 places", "seed_sorted",
                   In("event_id", tuple(clustered.tolist())), ("amount",))
    yield Workload("in-scattered", "IN of 5,000 values all over the file", "seed_sorted",
                   In("event_id", tuple(scattered.tolist())), ("amount",))
    yield Workload("not-equal", "all rows but one", "seed_sorted", Compare("event_id", "<>", 1_000_000), ("amount",))
    yield Workload("or-both-sorted", "OR over two columns that the rows are sorted by", "wide_sorted",
                   Or(Between("id", 100_000, 100_099), Between("moment", 400_000_000_000, 400_099_999_999)))
    yield Workload("or-one-sorted", "OR over a sorted and an unsorted column", "seed_sorted",
                   Or(SEED_ROWS, Compare("amount", "=", 4711)), ("event_id", "note"))
    yield Workload("count-almost-all", "count of all rows but 100", "seed_sorted", Compare("event_id", "<", 1_999_900), count=True,
                   bounds=(bounds.bytes_read(130_000),))


def full_scan_workloads():
    in_batches = bounds.time_of("frazil, batches", "pyarrow, batches", 1.05)
    for kind in ("flat", "nested"):
        for codec in CODECS:
            yield Workload(f"full-{kind}-{codec}", f"every row and column, {kind}, {codec}", f"full_{kind}_{codec}",
                           peers=SCANNING, stream=True, bounds=(bounds.time_of("frazil", "pyarrow", 1.05), in_batches))
    for kind in ("flat", "nested"):
        yield Workload(f"memory-{kind}", f"every row and column, {kind}, many row groups", f"large_{kind}",
                       peers=["pyarrow, batches"], stream=True, budget_bytes=SMALL_BUDGET,
                       bounds=(in_batches, bounds.memory(SMALL_BUDGET)))


def metadata_workloads():
    rows = Between("id", 500_010, 500_019)
    for count in (1_000, 10_000):
        yield Workload(f"row-groups-{count}", f"10 rows of one of {count:,} row groups", f"row_groups_{count}", rows, ("amount",),
                       compare_with="" if count == 1_000 else "row-groups-1000")
    rows = Between("id", 10_010, 10_019)
    for count in (100, 1_000):
        yield Workload(f"columns-{count}", f"10 rows of one of {count:,} columns, 4 row groups", f"columns_{count}", rows,
                       (f"c{count // 2}",), compare_with="" if count == 100 else "columns-100")


def lookup_workloads():
    one = {"hit": Compare("id", "=", object_id(123_456)), "miss": Compare("id", "=", "NL.IMBAG.Pand.5555555555555555-0")}
    for kind, where in one.items():
        yield Workload(f"object-{kind}", f"an id among 1,000,001 in 1,954 row groups, {kind}", "objects_512", where, ("h", "name"),
                       bounds=(bounds.requests(8), bounds.bytes_read(6_000_000), bounds.time_of_best(1 / 4)))
    for kind, where in one.items():
        yield Workload(f"object-large-{kind}", f"the same in 16 row groups, of whose filters blocks are read, {kind}",
                       "objects_65536", where, ("h", "name"),
                       bounds=(bounds.bytes_read(1_600_000), bounds.time_of_best(1.0 if kind == "hit" else 1 / 4)))


WORKLOADS = {w.name: w for w in [*seed_workloads(), *wide_workloads(), *predicate_workloads(), *full_scan_workloads(),
                                 *metadata_workloads(), *lookup_workloads()]}

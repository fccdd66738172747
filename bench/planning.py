# SPDX-License-Identifier: Apache-2.0
"""Workloads over Iceberg tables: planning (from the metadata file to the data files that may match, none opened), and
lookups with each level on and off.
"""
import json
import subprocess
from dataclasses import dataclass, field

import measure
from bounds import MIB, Bound
from iceberg_tables import LOOKUP_CUSTOMER, LOOKUP_DAY, LOOKUP_DAYS, FIRST_DAY

IN_VALUES = 10_000
BUDGET_S = 4


@dataclass(frozen=True)
class TableWorkload:
    """One query, measured in ways that are compared with each other."""
    name: str
    title: str
    table: str                # of iceberg_tables.TABLES
    where: str                # in Frazil's language
    pyiceberg: str = ""       # the same in pyiceberg's; empty: no peer
    select: str = ""          # empty: planning only
    variants: dict = field(default_factory=dict)  # name -> levels that are off
    files: int = -1           # that must be kept
    compare_with: str = ""    # a workload whose time is the measure of this one's
    bounds: tuple = ()


class PlanLoop(measure.Process):
    burst_max = 3

    def __init__(self, path, where):
        super().__init__([measure.BIN / "plan_loop", path, *(["--where", where] if where else [])])
        self.last = {}

    def run(self, iterations):
        self.last = self.ask(str(iterations))
        return self.last["ns"]


class TableScanLoop(measure.Process):
    def __init__(self, path, workload, levels_off):
        super().__init__([measure.BIN / "scan_loop", path, "--where", workload.where, "--select", workload.select,
                          *(["--disable", ",".join(levels_off)] if levels_off else [])])
        self.last = {}

    def run(self, iterations):
        self.last = self.ask(str(iterations))
        return self.last["ns"]


@dataclass(frozen=True)
class PlanQuery:
    """For a peer's process."""
    path: str
    where: str


@dataclass
class TableResult:
    workload: TableWorkload
    path: str
    times: dict = field(default_factory=dict)  # engine -> Times; ours first
    last: dict = field(default_factory=dict)   # ours -> counters of a run
    answers: dict = field(default_factory=dict)
    others_share: float = 0.0
    compared: object = None                    # the result of compare_with

    @property
    def ours(self):
        return next(iter(self.times))

    def verdicts(self):
        return [bound.judge(self) for bound in self.workload.bounds]

    def ratio_to_peer(self):
        return self.times[self.ours].median_ms / self.times["pyiceberg"].median_ms

    def ratio_to_compared(self):
        return self.times[self.ours].median_ms / self.compared.times[self.compared.ours].median_ms

    def entries_per_core_s(self):
        return int(self.last[self.ours]["entries"] / self.times[self.ours].median_cpu_ms * 1e3)

    def peak_mib(self):
        return self.last[self.ours]["peak_bytes"] // MIB


def of_peer(limit):
    return Bound("time, of pyiceberg's", lambda r: r.ratio_to_peer(), limit, unit=" x")


def of_compared(limit):
    return Bound("time, of the smaller question's", lambda r: r.ratio_to_compared(), limit, unit=" x")


def texts(day, days):
    begin, end = FIRST_DAY + day, FIRST_DAY + day + days
    ours = f"created >= TIMESTAMP '{begin} 00:00:00' AND created < TIMESTAMP '{end} 00:00:00' AND customer_id = "
    theirs = f"created >= '{begin}T00:00:00' AND created < '{end}T00:00:00' AND customer_id = "
    return ours + str(LOOKUP_CUSTOMER), theirs + str(LOOKUP_CUSTOMER)


def murmur3(value):
    """Of a long, as bucket hashes it."""
    data, h = value.to_bytes(8, "little", signed=True), 0
    for i in (0, 4):
        k = int.from_bytes(data[i:i + 4], "little") * 0xcc9e2d51 & 0xffffffff
        k = (k << 15 | k >> 17) * 0x1b873593 & 0xffffffff
        h = ((h ^ k) << 13 | (h ^ k) >> 19) & 0xffffffff
        h = h * 5 + 0xe6546b64 & 0xffffffff
    h ^= 8
    h = (h ^ h >> 16) * 0x85ebca6b & 0xffffffff
    h = (h ^ h >> 13) * 0xc2b2ae35 & 0xffffffff
    return h ^ h >> 16


def customers_of_bucket(bucket):
    """10,000 customers whose files are those of one bucket."""
    found, customer = [], 1
    while len(found) < IN_VALUES:
        if (murmur3(customer) & 0x7fffffff) % 16 == bucket:
            found.append(customer)
        customer += 1
    return found


def workloads():
    of_days, of_days_theirs = texts(LOOKUP_DAY, LOOKUP_DAYS)
    point = 123_456_789
    one_of = ", ".join
    yield TableWorkload("plan-partition", "12 of 16,000 files by day and bucket, 160 manifests", "many_files", of_days,
                        of_days_theirs, files=12, bounds=(of_peer(1.0),))
    yield TableWorkload("plan-bounds", "12 of 16,000 files by the bounds of a column, 160 manifests", "many_files",
                        f"order_id = {point}", f"order_id = {point}", files=12, bounds=(of_peer(1 / 40),))
    yield TableWorkload("plan-in-bounds", "10,000 values of IN that lie in the same files", "many_files",
                        f"order_id IN ({one_of(str(point + i) for i in range(IN_VALUES))})", files=12,
                        compare_with="plan-bounds", bounds=(of_compared(3.0),))
    yield TableWorkload("plan-bucket", "1,000 of 16,000 files by bucket", "many_files", "customer_id = 42",
                        "customer_id = 42", files=1000, bounds=(of_peer(1.0),))
    bucket = (murmur3(42) & 0x7fffffff) % 16
    yield TableWorkload("plan-in-bucket", "10,000 values of IN of the same bucket", "many_files",
                        f"customer_id IN ({one_of(map(str, customers_of_bucket(bucket)))})", files=1000,
                        compare_with="plan-bucket", bounds=(of_compared(3.0),))
    yield TableWorkload("plan-million", "12 of 1,000,000 files by the bounds of a column, 1,000 manifests", "million_files",
                        f"order_id = {point}", files=12, bounds=(
                            Bound("entries a second and core", lambda r: r.entries_per_core_s(), 1_000_000, at_least=True),
                            Bound("peak memory", lambda r: r.peak_mib(), 300, unit=" MiB")))
    off = {"manifest": ["manifest"], "partition": ["partition"], "file-metrics": ["file-metrics"],
           "row-group": ["row-group"], "page-index": ["page-index"],
           "partition, row-group, page-index": ["partition", "row-group", "page-index"]}
    yield TableWorkload("lookup", "42 rows of 16,000 files: 12 are kept, one row group of 30 MB each", "lookup", of_days,
                        select="amount,note", variants={f"without {name}": levels for name, levels in off.items()})
    rows = "order_id BETWEEN 6000000 AND 6000099"
    for name, title in {"0": "no deletes", "1": "1 position delete", "100k": "100,000 position deletes",
                        "10m": "10,000,000 position deletes", "equality": "1,000 equality deletes"}.items():
        yield TableWorkload(f"deletes-{name}", f"100 of 12,000,000 rows, {title}", f"deletes_{name}", rows, select="amount",
                            compare_with="" if name == "0" else "deletes-0")


WORKLOADS = {workload.name: workload for workload in workloads()}


def run(workload, folder, peers, results):
    path = folder.path(workload.table)
    result = TableResult(workload, path)
    result.compared = next((r for r in results if r.workload.name == workload.compare_with), None)
    if workload.compare_with and result.compared is None:
        result.compared = run(WORKLOADS[workload.compare_with], folder, peers, results)
    if workload.select:
        loops = {"frazil": TableScanLoop(path, workload, ())}
        loops |= {f"frazil, {name}": TableScanLoop(path, workload, levels) for name, levels in workload.variants.items()}
    else:
        loops = {"frazil": PlanLoop(path, workload.where)}
    engines = dict(loops)
    if workload.pyiceberg:
        engines["pyiceberg"] = peers["pyiceberg"]
        result.answers["pyiceberg"] = peers["pyiceberg"].prepare(
            PlanQuery(f"{path}/metadata/v1.metadata.json", workload.pyiceberg))
    result.times, result.others_share = measure.interleaved(engines, BUDGET_S, rounds_min=3)
    for name, loop in loops.items():
        result.last[name] = loop.last
        result.answers[name] = f"{loop.last['rows' if workload.select else 'files']:,} rows"
        loop.close()
    if len(set(result.answers.values())) != 1:
        raise RuntimeError(f"{workload.name}: the answers differ: {result.answers}")
    if workload.files >= 0 and result.last["frazil"]["files"] != workload.files:
        raise RuntimeError(f"{workload.name}: {result.last['frazil']['files']} files are kept, not {workload.files}")
    return result


HEAD = ["engine", "bytes", "requests", "median ms", "least ms", "CPU ms", "of frazil's"]


def rows_of(result):
    for name, times in result.times.items():
        last = result.last.get(name, {})
        yield [name, f"{last['bytes']:,}" if last else "", f"{last['requests']:,}" if last else "", f"{times.median_ms:,.2f}",
               f"{times.min_ms:,.2f}", f"{times.median_cpu_ms:,.2f}", f"{times.median_ms / result.times['frazil'].median_ms:,.1f}"]


def facts_of(result):
    last = result.last["frazil"]
    if "files" in last:
        yield (f"{last['files']:,} files of {last['manifests']:,} manifests, {last['entries']:,} entries judged "
               f"({result.entries_per_core_s():,} a second and core), peak memory {result.peak_mib()} MiB")
    else:
        yield f"{last['rows']:,} rows"
    if result.compared:
        yield f"time, of {result.compared.workload.name}'s: {result.ratio_to_compared():.2f}"
    if result.others_share > 0.1:
        yield f"noise: other programs used {result.others_share:.0%} of the machine"
    for holds, line in result.verdicts():
        yield f"{'holds      ' if holds else 'FALLS SHORT'} {line}"


def query_text(workload):
    text = workload.where if len(workload.where) <= 160 else f"{workload.where[:90]} ... ({len(workload.where):,} characters)"
    return f"SELECT {workload.select or '(plan only)'} FROM {workload.table} WHERE {text}"


def as_json(result):
    return {"workload": result.workload.name, "title": result.workload.title, "query": query_text(result.workload),
            "others_share": result.others_share, "bounds": [{"holds": h, "text": t} for h, t in result.verdicts()],
            "engines": {name: {"median_ms": times.median_ms, "min_ms": times.min_ms, "cpu_ms": times.median_cpu_ms,
                               **{k: v for k, v in result.last.get(name, {}).items() if k != "ns"}}
                        for name, times in result.times.items()}}

# SPDX-License-Identifier: Apache-2.0
"""Runs workloads beside the peers and prints a table each. bench/run calls it, with the right Python."""
import argparse
import importlib.metadata
import json
import os
import sys
import time
from pathlib import Path

import pyarrow as pa

import answer
import measure
import planning
import report
from datasets import Folder
from iceberg_tables import TableFolder
from query import Query
from result import Engine, Result
from workloads import WORKLOADS

DATA = measure.HERE.parent / "build" / "bench" / "data"
BUDGET_S = 2.5    # for the times of one workload
BUSY_SHARE = 0.2  # of the machine used by others: a bound in time that fails then is measured once more


class Peers:
    """The peers' processes: started when first needed, warm from then on."""

    def __init__(self):
        self._started = {}

    def __getitem__(self, engine):
        if engine not in self._started:
            self._started[engine] = measure.Peer(engine)
        return self._started[engine]

    def close(self):
        for peer in self._started.values():
            peer.close()


def count_reads(result):
    """Reads and answers: ours by the command line, each peer's in a process of its own."""
    query, workload = result.query, result.workload
    ours = Engine()
    ours.reads, out = measure.traced(measure.command_line(query), query.path)
    ours.answer = answer.digest(int(out) if query.count else pa.ipc.open_stream(out).read_all())
    result.stats = measure.command_stats(measure.command_line(query))
    if (result.stats["bytes_read"], result.stats["requests"]) != (ours.reads.bytes, ours.reads.reads):
        raise RuntimeError(f"{workload.name}: frazil says {result.stats['bytes_read']:,} bytes in {result.stats['requests']} "
                           f"requests, strace {ours.reads.bytes:,} in {ours.reads.reads}")
    result.engines["frazil"] = ours
    if workload.pruning_off:
        reads, _ = measure.traced(measure.command_line(query, "--no-prune"), query.path)
        result.engines["frazil, no pruning"] = Engine(reads=reads)
    for name in workload.peers:
        once = [sys.executable, str(measure.HERE / "worker.py"), name, "--once", measure.encoded(query)]
        result.engines[name] = Engine(reads=measure.traced(once, query.path)[0])


def take_times(result, peers):
    query, workload = result.query, result.workload
    loops = {"frazil": measure.ScanLoop(query)}
    if workload.pruning_off:
        loops["frazil, no pruning"] = measure.ScanLoop(query, "--no-prune")
    if workload.stream:
        loops["frazil, batches"] = measure.ScanLoop(query, "--stream")
    engines = {**loops, "frazil, fresh process": measure.FreshProcess(query), **{name: peers[name] for name in workload.peers}}
    for name in workload.peers:
        result.engines[name].answer = peers[name].prepare(query)
    keep_times(result, *measure.interleaved(engines, BUDGET_S))
    if result.others_share > BUSY_SHARE and not all(holds for holds, _ in result.verdicts()):
        times, others_share = measure.interleaved(engines, BUDGET_S)
        if others_share < result.others_share:
            keep_times(result, times, others_share)
    for loop in loops.values():
        loop.close()
    if workload.budget_bytes:
        loop = measure.ScanLoop(query, "--stream", "--memory-bytes", str(workload.budget_bytes))
        loop.run(0)  # the process has started when this returns
        result.memory_growth_bytes = loop.peak_growth(lambda: loop.run(1))
        result.pool_bytes_max = loop.pool_bytes_max()
        loop.close()


def keep_times(result, times, others_share):
    order = list(times)  # ours first
    for name in order:
        result.engines.setdefault(name, Engine()).times = times[name]
    result.engines = {name: result.engines[name] for name in order}
    result.others_share = others_share


def run_workload(workload, folder, peers):
    query = Query(folder.path(workload.file), workload.filter, workload.columns, workload.count)
    result = Result(workload, query)
    count_reads(result)
    take_times(result, peers)
    wrong = [name for name in workload.peers if not result.right(name)]
    if len(wrong) == len(workload.peers):
        raise RuntimeError(f"{workload.name}: our answer is nobody else's: {result.engines['frazil'].answer} against "
                           f"{result.engines[wrong[0]].answer}")
    return result


ALL = WORKLOADS | planning.WORKLOADS


def named(name):
    """The workload of this name, or else all whose names begin with it."""
    return [ALL[name]] if name in ALL else [w for w in ALL.values() if w.name.startswith(name)]


def main():
    parser = argparse.ArgumentParser(prog="bench/run", description="Frazil beside its peers, in one run.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="workloads, or beginnings of their names (default: all)")
    parser.add_argument("--list", action="store_true", help="name the workloads")
    parser.add_argument("--json", metavar="FILE", help="write all figures as JSON")
    parser.add_argument("--markdown", metavar="FILE", help="write the page for the docs")
    parser.add_argument("--realtime", action="store_true",
                        help="measured programs go before all others: for a busy machine, as root")
    arguments = parser.parse_args()
    measure.Priority.realtime = arguments.realtime
    if arguments.list:
        print("\n".join(f"{w.name:<22} {w.title}" for w in ALL.values()))
        return 0
    if unknown := [name for name in arguments.names if not named(name)]:
        parser.error(f"no workload {', '.join(unknown)}; --list names them")
    chosen = {w.name: w for name in arguments.names or ALL for w in named(name)}.values()

    if os.geteuid() != 0:
        if arguments.realtime:
            parser.error("--realtime needs the rights of root")
        print("without the rights of root other programs disturb the times more", file=sys.stderr)
    started, folder, peers, results, failed = time.monotonic(), Folder(DATA), Peers(), [], []
    tables = TableFolder(DATA)
    for workload in chosen:
        try:
            if isinstance(workload, planning.TableWorkload):
                results.append(planning.run(workload, tables, peers, results))
            else:
                results.append(run_workload(workload, folder, peers))
            print(report.text(results[-1]), flush=True)
        except (RuntimeError, OSError, pa.ArrowException) as error:
            failed.append(workload.name)
            print(f"== {workload.name}: FAILED: {error}\n", flush=True)
    peers.close()
    print(report.summary(results))
    print(f"{len(results)} workloads in {time.monotonic() - started:.0f} s on {report.machine()}")
    if arguments.json:
        Path(arguments.json).write_text(json.dumps({"machine": report.machine(), "workloads": report.as_json(results)}, indent=1))
    if arguments.markdown:
        versions = {name: importlib.metadata.version(name) for name in ("pyarrow", "duckdb", "datafusion", "polars", "pyiceberg")}
        command = " ".join(["bench/run", *arguments.names, "--markdown", arguments.markdown])
        Path(arguments.markdown).write_text(report.markdown(results, command, versions))
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

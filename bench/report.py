# SPDX-License-Identifier: Apache-2.0
"""Results for people, for programs and for the docs."""
import os
import platform
import re
from pathlib import Path

import planning


def rows_of(result):
    """A row an engine: name, bytes, reads, rounds, median, least, ratio to the best peer, note."""
    best = result.best_peer()
    for name, engine in result.engines.items():
        reads, note = engine.reads, ""
        if not name.startswith("frazil") and not result.right(name):
            note = "WRONG ANSWER"
        if reads and reads.mapped_bytes:
            note = f"maps {reads.mapped_bytes:,} bytes {note}"
        yield [name,
               f"{reads.bytes:,}" if reads else "", f"{reads.reads:,}" if reads else "",
               f"{result.stats['rounds']}" if name == "frazil" else "",
               f"{engine.times.median_ms:,.2f}", f"{engine.times.min_ms:,.2f}",
               f"{engine.times.median_cpu_ms:,.2f}" if engine.times.median_cpu_ms else "",
               f"{result.ratio(name, best):.3f}", note.strip()]


HEAD = ["engine", "bytes", "reads", "rounds", "median ms", "least ms", "CPU ms", "of best peer", ""]


def facts_of(result):
    """Lines under the table: the ratio, the pages, the noise, the verdicts."""
    best, stats = result.best_peer(), result.stats
    by_median, by_least, by_cpu = result.ratios()
    yield (f"ours : best peer = {by_median:.3f} ({best}; by least time {by_least:.3f}, by CPU {by_cpu:.3f}); pages "
           f"{stats['pages_kept']:,} of {stats['pages_total']:,}, rows {stats['rows_selected']:,} of "
           f"{stats['rows_total']:,}, matched {stats['rows_matched']:,}")
    if result.pool_bytes_max:
        yield (f"memory: at most {result.pool_bytes_max:,} bytes allocated for pages and batches, resident memory grew by "
               f"{result.memory_growth_bytes:,}")
    if result.others_share > 0.1:
        yield f"noise: other programs used {result.others_share:.0%} of the machine"
    for holds, line in result.verdicts():
        yield f"{'holds      ' if holds else 'FALLS SHORT'} {line}"


def of_table(result):
    return isinstance(result, planning.TableResult)


def parts_of(result):
    """Head of the table, its rows, the facts, the query, what is measured on."""
    if of_table(result):
        return planning.HEAD, planning.rows_of(result), planning.facts_of(result), planning.query_text(result.workload), ""
    size = f"{os.path.getsize(result.query.path):,} bytes"
    return HEAD, rows_of(result), facts_of(result), result.query.title(), size


def text(result):
    head, rows, facts, query, size = parts_of(result)
    lines = [f"== {result.workload.name}: {result.workload.title}{f' ({size})' if size else ''}", f"   {query}"]
    rows = [head, *rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
    for row in rows:
        cells = [cell.ljust(width) if i == 0 or head[i] == "" else cell.rjust(width)
                 for i, (cell, width) in enumerate(zip(row, widths))]
        lines.append(("   " + "  ".join(cells)).rstrip())
    return "\n".join(lines + [f"   {line}" for line in facts]) + "\n"


def summary(results):
    """Every bound on a line; then growth between workloads of one kind."""
    lines = ["== bounds"]
    for result in results:
        for holds, line in result.verdicts():
            lines.append(f"   {'holds      ' if holds else 'FALLS SHORT'} {result.workload.name:<22} {line}")
    return "\n".join(lines + [f"   {line}" for line in growth(results)])


def growth(results):
    by_name = {result.workload.name: result for result in results if not of_table(result)}
    for result in by_name.values():
        if smaller := by_name.get(result.workload.compare_with):
            parts = [f"{name} x {engine.times.median_ms / smaller.engines[name].times.median_ms:.1f}"
                     for name, engine in result.engines.items()]
            yield f"growth      {smaller.workload.name} -> {result.workload.name}: {', '.join(parts)}"


def as_json(results):
    return [planning.as_json(result) if of_table(result) else {
        "workload": result.workload.name, "title": result.workload.title, "query": result.query.title(),
        "file_bytes": os.path.getsize(result.query.path), "ratio": result.ratios()[0], "best_peer": result.best_peer(),
        "others_share": result.others_share, "memory_growth_bytes": result.memory_growth_bytes,
        "pool_bytes_max": result.pool_bytes_max, "stats": result.stats,
        "bounds": [{"holds": holds, "text": line} for holds, line in result.verdicts()],
        "engines": {name: {"median_ms": engine.times.median_ms, "min_ms": engine.times.min_ms,
                           "cpu_ms": engine.times.median_cpu_ms, "answer": engine.answer,
                           "bytes": engine.reads and engine.reads.bytes, "reads": engine.reads and engine.reads.reads,
                           "mapped_bytes": engine.reads and engine.reads.mapped_bytes, "runs": len(engine.times.ns)}
                    for name, engine in result.engines.items()}}
        for result in results]


def machine():
    """The machine in general words."""
    memory = int(re.search(r"MemTotal:\s+(\d+)", Path("/proc/meminfo").read_text())[1]) / (1 << 20)
    names = re.findall(r"model name\s*:\s*(.*)", Path("/proc/cpuinfo").read_text())
    system = re.search(r'PRETTY_NAME="?([^"\n]*)', Path("/etc/os-release").read_text())
    return (f"{os.cpu_count()} cores ({names[0] if names else platform.machine()}), {memory:.0f} GiB of memory, "
            f"{system[1] if system else platform.system()}, local file system, warm file cache")


def markdown(results, command, versions):
    lines = ["<!-- SPDX-License-Identifier: Apache-2.0 -->", "# Benchmarks", "",
             f"Written by `{command}`; `make bench` runs the same and prints it. Each table is one query on one file, every "
             "engine in the same run.", "",
             f"- Machine: {machine()}.",
             f"- Peers: {', '.join(f'{name} {version}' for name, version in versions.items())}.",
             "- Times: whole queries in a warm process, from opening the file to rows in memory; engines take turns, median and "
             "least time; CPU is the processor time of all threads. \"fresh process\" is the command line's own count of its scan, without the start of the process.",
             "- Bytes and reads: of the data file, counted by strace in a process of its own that runs the query once.",
             "- Workloads `plan-`, `lookup`, `deletes-` are over Iceberg tables: bytes and requests are Frazil's own counts, of "
             "all files; planning is from the metadata file to the list of data files that may match, none opened.",
             ""]
    for result in results:
        head, rows, facts, query, size = parts_of(result)
        title = result.workload.title[0].upper() + result.workload.title[1:]
        lines += [f"## {result.workload.name}", "", f"{title}{f'; {size}' if size else ''}.", "", f"    {query}", ""]
        lines += ["| " + " | ".join(head) + " |", "|---" + "".join("|---:" if name else "|---" for name in head[1:]) + "|"]
        lines += ["| " + " | ".join(row) + " |" for row in rows]
        lines += ["", *(f"- {re.sub(' +', ' ', line)}" for line in facts), ""]
    grown = list(growth(results))
    if grown:
        lines += ["## growth", "", *(f"- {re.sub(' +', ' ', line)}" for line in grown), ""]
    return "\n".join(lines)

# SPDX-License-Identifier: Apache-2.0
"""Measuring from outside: reads of a file as the kernel saw them, times of warm processes, and how busy others were."""
import contextlib
import glob
import json
import os
import pickle
import re
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
BIN = HERE.parent / "build" / "bin"
READS = "read,pread64,readv,preadv,preadv2"


class Priority:
    """How far measured programs go ahead of others, as far as this user may."""
    nice = -15
    realtime = False  # before everything else, on every core: for a machine that is busy with other work


def go_first():
    """Runs in a measured program before it starts.

    Linux weighs sessions against each other before it looks at the processes in them: hence a session of its own, and
    that one's priority, too.
    """
    os.setsid()
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, Priority.nice)
        Path("/proc/self/autogroup").write_text(str(Priority.nice))
    if Priority.realtime:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))


@dataclass
class FileReads:
    bytes: int = 0
    reads: int = 0
    mapped_bytes: int = 0  # length of mappings: what was read through them is not known

    def add(self, line, path):
        """Counts one line of strace -y, if it is a read or a mapping of the file."""
        if f"<{path}>" not in line:
            return
        if line.startswith("mmap("):
            self.mapped_bytes += int(re.match(r"mmap\([^,]*, (\d+)", line)[1])
        elif (done := re.search(r"\) += (\d+)$", line)) and int(done[1]) > 0:
            self.reads += 1
            self.bytes += int(done[1])


def traced(command, path):
    """Runs a command under strace; what it read of the file, and its standard output."""
    reads = FileReads()
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["strace", "-ff", "--seccomp-bpf", "-y", "-qq", "-e", f"trace={READS},mmap", "-e", "signal=none",
                               "-o", f"{folder}/trace", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              preexec_fn=go_first)
        if done.returncode != 0:
            raise RuntimeError(f"{command[:3]} failed: {done.stderr.decode()[-2000:]}")
        for name in glob.glob(f"{folder}/trace*"):
            with open(name, errors="replace") as trace:
                for line in trace:
                    reads.add(line.rstrip(), path)
    return reads, done.stdout


class Process:
    """A process that runs a query when it is told to, over lines of text."""

    burst_max = 20  # runs in one turn

    def __init__(self, command):
        self._process = subprocess.Popen(list(map(str, command)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                         preexec_fn=go_first)

    def ask(self, request):
        self._process.stdin.write(request + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self._process.args[:3]} ended")
        return json.loads(line)

    def run(self, iterations):
        raise NotImplementedError

    def close(self):
        self._process.stdin.close()
        self._process.wait()

    def cpu_s(self):
        """Processor time of all its threads so far, to the nanosecond: Linux's clock of another process."""
        return time.clock_gettime((~self._process.pid << 3) | 2)

    def _memory(self, key):
        return int(re.search(rf"{key}:\s+(\d+) kB", Path(f"/proc/{self._process.pid}/status").read_text())[1]) << 10

    def peak_growth(self, action):
        """By how many bytes the resident memory grew, at its highest, while action ran."""
        Path(f"/proc/{self._process.pid}/clear_refs").write_text("5")
        before = self._memory("VmRSS")
        action()
        return max(0, self._memory("VmHWM") - before)


def encoded(query):
    """A query as text, for another process."""
    return pickle.dumps(query).hex()


class Peer(Process):
    def __init__(self, engine):
        super().__init__([sys.executable, HERE / "worker.py", engine])

    def prepare(self, query):
        """Sets the query; its answer's digest."""
        return self.ask(json.dumps({"query": encoded(query)}))["answer"]

    def run(self, iterations):
        return self.ask(json.dumps({"iterations": iterations}))["ns"]


class ScanLoop(Process):
    def __init__(self, query, *more):
        super().__init__([BIN / "scan_loop", *scan_arguments(query), *(["--count"] if query.count else []), *more])

    def run(self, iterations):
        return self.ask(str(iterations))["ns"]

    def pool_bytes_max(self):
        """The most that the process has had allocated for pages and batches."""
        return self.ask("0")["pool_bytes_max"]


class FreshProcess:
    """The command line, started anew for every scan; the time is the scan's own elapsed_ns."""

    burst_max = 1

    def __init__(self, query):
        self._command = command_line(query)

    def run(self, iterations):
        return [command_stats(self._command)["elapsed_ns"] for _ in range(iterations)]

    def cpu_s(self):
        return 0.0  # a process that has ended; counted as this one's children


def scan_arguments(query):
    return [query.path, *(["--where", query.filter.text()] if query.filter else []),
            *(["--select", ",".join(query.columns)] if query.columns and not query.count else [])]


def command_line(query, *more):
    if query.count:
        return [str(BIN / "frazil"), "count", *scan_arguments(query), *more]
    return [str(BIN / "frazil"), "scan", *scan_arguments(query), "--format", "arrow", *more]


def command_stats(command):
    with tempfile.NamedTemporaryFile() as stats:
        subprocess.run([*command, "--stats", stats.name], check=True, stdout=subprocess.DEVNULL, preexec_fn=go_first)
        return json.load(open(stats.name))


@dataclass
class Times:
    ns: list = field(default_factory=list)
    cpu_ms: list = field(default_factory=list)  # processor time of a run, all threads; a mean of each turn

    @property
    def median_ms(self):
        return statistics.median(self.ns) / 1e6

    @property
    def min_ms(self):
        return min(self.ns) / 1e6

    @property
    def median_cpu_ms(self):
        return statistics.median(self.cpu_ms)

    def take(self, engine, iterations):
        cpu_s = engine.cpu_s()
        self.ns += engine.run(iterations)
        self.cpu_ms.append((engine.cpu_s() - cpu_s) / iterations * 1e3)


def machine_busy_s():
    """Processor time that the whole machine has spent since it started."""
    ticks = list(map(int, Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]))
    return (sum(ticks) - ticks[3] - ticks[4]) / os.sysconf("SC_CLK_TCK")  # without idle and waiting


def interleaved(engines, budget_s, rounds_min=5, rounds_max=25):
    """Times of every engine {name: with run(iterations)}, taken in turns, so that a disturbance hits them all. Returns
    {name: Times} and the share of the machine that other programs used meanwhile.

    Fast ones run some iterations a turn. Turns end after rounds_max, or when the budget is used up but not before rounds_min.
    """
    bursts = {}
    for name, engine in engines.items():
        engine.run(1)
        bursts[name] = max(1, min(engine.burst_max, int(10e6 / engine.run(1)[0])))
    times = {name: Times() for name in engines}
    order = list(engines)

    def own_cpu_s():
        mine = os.times()
        return sum(mine[:4]) + sum(engine.cpu_s() for engine in engines.values())

    started, busy_before, own_before = time.monotonic(), machine_busy_s(), own_cpu_s()
    rounds = 0
    while rounds < rounds_max and (rounds < rounds_min or time.monotonic() - started < budget_s):
        for name in order:
            times[name].take(engines[name], bursts[name])
        order = order[1:] + order[:1]
        rounds += 1
    others = (machine_busy_s() - busy_before) - (own_cpu_s() - own_before)
    return times, max(0.0, others / (os.cpu_count() * (time.monotonic() - started)))

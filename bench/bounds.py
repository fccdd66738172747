# SPDX-License-Identifier: Apache-2.0
"""What a workload must show. A bound looks at the measured result and says whether it holds, with the figure."""
from dataclasses import dataclass
from typing import Callable

MIB = 1 << 20


@dataclass(frozen=True)
class Bound:
    text: str
    figure: Callable  # Result -> number
    limit: object     # a number, or Result -> number
    at_least: bool = False
    unit: str = ""

    def judge(self, result):
        """(holds, a line for people)"""
        figure = self.figure(result)
        limit = self.limit(result) if callable(self.limit) else self.limit
        holds = figure >= limit if self.at_least else figure <= limit
        number = (lambda x: f"{x:,.3f}" if isinstance(x, float) else f"{x:,}")
        return holds, f"{self.text}: {number(figure)}{self.unit} (bound {number(limit)}{self.unit})"


def bytes_read(limit):
    return Bound("bytes", lambda r: r.engines["frazil"].reads.bytes, limit)


def bytes_of_columns(names, slack=1.02):
    """At most the chunks of these columns, and 2 % for the rest."""
    return Bound("bytes, of the needed columns + 2 %", lambda r: r.engines["frazil"].reads.bytes,
                 lambda r: int(r.chunk_bytes(names) * slack))


def data_bytes(limit):
    return Bound("bytes of data pages", lambda r: r.data_bytes(), limit)


def data_bytes_of_rows(dictionaries, slack=1.1):
    """At most the pages that hold the rows, with the dictionaries of the columns whose pages there use them, and 10 %."""
    return Bound("bytes of data, of the pages that hold the rows + 10 %", lambda r: r.data_bytes(),
                 lambda r: int(r.needed_page_bytes(dictionaries) * slack))


def requests(limit):
    return Bound("reads", lambda r: r.engines["frazil"].reads.reads, limit)


def rounds(limit):
    return Bound("rounds", lambda r: r.stats["rounds"], limit)


def time_of_best(limit):
    return Bound("time, of the best peer's", lambda r: r.ratio(), limit, unit=" x")


def time_of(ours, peer, limit):
    return Bound(f"time of {ours}, of {peer}'s", lambda r: r.ratio(ours, peer), limit, unit=" x")


def gain(limit):
    """Pruning off : on, in time."""
    return Bound("time, pruning off : on", lambda r: r.ratio("frazil, no pruning", "frazil"), limit, at_least=True, unit=" x")


def memory(budget_bytes):
    """Pages and batches stay within the budget of a scan, which is smaller than the decoded file. Resident memory, which
    is shown beside, is more: the allocator keeps some of what is given back."""
    return Bound(f"allocated with a budget of {budget_bytes // MIB} MiB", lambda r: r.pool_bytes_max, budget_bytes,
                 unit=" bytes")

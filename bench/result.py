# SPDX-License-Identifier: Apache-2.0
"""What was measured of one workload, and the figures drawn from it."""
import json
import subprocess
from dataclasses import dataclass, field

import pyarrow.parquet as pq

from measure import BIN, FileReads, Times


@dataclass
class Engine:
    times: Times = field(default_factory=Times)
    reads: FileReads = None  # None: the same as another line's, or not counted
    answer: str = ""


@dataclass
class Result:
    workload: object
    query: object
    engines: dict = field(default_factory=dict)  # by name; ours begin with "frazil"
    stats: dict = field(default_factory=dict)    # --stats of the scan
    others_share: float = 0.0                    # of the machine, used by other programs while times were taken
    memory_growth_bytes: int = 0                 # of resident memory
    pool_bytes_max: int = 0                      # allocated for pages and batches

    def best_peer(self):
        """The fastest peer whose answer is right."""
        right = [name for name in self.workload.peers if self.right(name)]
        return min(right, key=lambda name: self.engines[name].times.median_ms)

    def right(self, name):
        """Whether a peer's answer is ours; one that only counts rows is asked no more."""
        ours, theirs = self.engines["frazil"].answer, self.engines[name].answer
        return ours == theirs or ours.startswith(theirs + ",")

    def ratio(self, ours="frazil", peer=None):
        return self.engines[ours].times.median_ms / self.engines[peer or self.best_peer()].times.median_ms

    def ratios(self):
        """Ours to the best peer's: median and least time, processor time."""
        ours, peer = self.engines["frazil"].times, self.engines[self.best_peer()].times
        return ours.median_ms / peer.median_ms, ours.min_ms / peer.min_ms, ours.median_cpu_ms / peer.median_cpu_ms

    def verdicts(self):
        return [bound.judge(self) for bound in self.workload.bounds]

    def data_bytes(self):
        """Bytes read of pages: all but the footer and the indexes."""
        return sum(step["bytes"] for step in self.stats["io"] if "pages" in step["purpose"])

    def chunk_bytes(self, columns):
        """The size of the column chunks with these names in the file."""
        metadata = pq.read_metadata(self.query.path)
        chunks = (metadata.row_group(group).column(column)
                  for group in range(metadata.num_row_groups) for column in range(metadata.num_columns))
        return sum(chunk.total_compressed_size for chunk in chunks if chunk.path_in_schema in columns)

    def needed_page_bytes(self, dictionaries):
        """Pages of the columns of the filter and of the projection that hold a row of the answer, and the dictionaries of
        the named columns. For a file of one row group."""
        wanted = {self.query.filter.column, *self.query.columns}
        positions = run_frazil("scan", self.query.path, "--where", self.query.filter.text(), "--select", "_pos")
        rows = [position["_pos"] for position in positions]
        needed = 0
        for page in run_frazil("inspect", self.query.path, "pages"):
            first, after = page["first_row"], page["first_row"] + page["row_count"]
            if page["column"].split(".")[0] in wanted and any(first <= row < after for row in rows):
                needed += page["compressed_bytes"]
        group = pq.read_metadata(self.query.path).row_group(0)
        for chunk in map(group.column, range(group.num_columns)):
            if chunk.path_in_schema in dictionaries:
                needed += chunk.data_page_offset - chunk.dictionary_page_offset
        return needed


def run_frazil(*arguments):
    out = subprocess.run([BIN / "frazil", *arguments, "--format", "jsonl"], check=True, capture_output=True).stdout
    return [json.loads(line) for line in out.splitlines()]

# SPDX-License-Identifier: Apache-2.0
"""A random Iceberg table: its files, and beside them the rows that it must have, from the specification's rules alone.

Schema evolution (add with and without default, rename, reorder, drop and add again, promote), partition evolution with
every transform, position and equality deletes, deletion vectors, row lineage, nulls, NaN, files without some column."""

from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.parquet as pq

import values
from manifests import Metrics, write_puffin

KEY = 1  # the field id of row_key, which every row has and no deletion forgets
PATH_ID, POS_ID, ROW_ID, UPDATED_ID = 2147483546, 2147483545, 2147483540, 2147483539


@dataclass
class Column:
    id: int
    name: str
    kind: str
    default: object = None
    has_default: bool = False


@dataclass
class PartitionField:
    id: int
    name: str
    source: int
    transform: str
    kind: str  # of the values


@dataclass
class Row:
    file: "DataFile"
    position: int
    cells: dict  # field id -> value, of the columns that the file's schema had
    row_id: object = None  # stored
    updated: object = None
    deleted: bool = False


@dataclass
class DataFile:
    path: object
    spec: int
    partition: tuple
    sequence: int
    first_row_id: object = None
    size: int = 0
    metrics: object = None
    rows: list = field(default_factory=list)
    vector: object = None  # positions of a deletion vector


class RandomTable:
    def __init__(self, folder, random):
        self.folder, self.random = folder, random
        self.version = random.choice([1, 2, 2, 3, 3])
        (folder / "metadata").mkdir(parents=True)
        (folder / "data").mkdir()
        self.location = random.choice([str(folder), f"file://{folder}", f"file:{folder}"])
        self.columns = [Column(KEY, "row_key", "long")]
        self.last_id, self.names_made, self.keys, self.files_made = KEY, 0, 0, 0
        self.schemas, self.specs, self.last_partition_id = [], [], 999
        self.files, self.deletes, self.manifests, self.removed = [], [], [], []
        self.sequence, self.next_row_id = 0, 0
        # Before an upgrade to version 3 rows have no ids.
        self.upgraded_at = random.choice([0, 0, 2]) if self.version == 3 else None
        for _ in range(random.randint(2, 5)):
            self.add_column()
        self.keep_schema()
        self.add_spec()

    # --- schema ---

    def kinds(self):
        return [k for k in values.ARROW if k != "timestamp_ns" or self.version == 3]

    def add_column(self):
        random = self.random
        self.last_id += 1
        gone = [name for name in self.removed if name not in [c.name for c in self.columns]]
        if gone and random.random() < 0.7:
            name = random.choice(gone)  # again, as another column
        else:
            self.names_made += 1
            name = f"c{self.names_made}"
        column = Column(self.last_id, name, random.choice(self.kinds()))
        if self.version == 3 and self.schemas and random.random() < 0.5:
            column.has_default, column.default = True, values.random_value(column.kind, random)
            if isinstance(column.default, float) and not abs(column.default) < 1e9:
                column.default = 1.5  # JSON has no NaN
        self.columns.insert(random.randint(0, len(self.columns)), column)

    def evolve_schema(self):
        random = self.random
        others = [c for c in self.columns if c.id != KEY]
        what = random.choice(["add", "add", "drop", "rename", "reorder", "promote", "promote"])
        if what == "add" or len(others) < 2:
            self.add_column()
        elif what == "drop":
            column = random.choice(others)
            self.columns.remove(column)
            self.removed.append(column.name)
        elif what == "rename":
            column = random.choice(others)
            self.removed.append(column.name)
            self.names_made += 1
            self.columns[self.columns.index(column)] = Column(column.id, f"c{self.names_made}", column.kind, column.default,
                                                              column.has_default)
        elif what == "reorder":
            random.shuffle(self.columns)
        else:
            wider = [c for c in others if c.kind in values.PROMOTIONS]
            if wider:
                column = random.choice(wider)
                self.columns[self.columns.index(column)] = Column(
                    column.id, column.name, random.choice(values.PROMOTIONS[column.kind]), column.default, column.has_default)
            else:
                self.add_column()
        self.keep_schema()

    def keep_schema(self):
        self.schemas.append(list(self.columns))

    # --- partitions ---

    def add_spec(self):
        random = self.random
        fields = []
        for column in random.sample(self.columns, min(len(self.columns), random.choice([0, 0, 1, 1, 2, 3]))):
            transform = random.choice(values.transforms_of(column.kind))
            if transform == "void" and self.version > 1 and random.random() < 0.7:
                continue
            self.last_partition_id += 1
            fields.append(PartitionField(self.last_partition_id, f"p{self.last_partition_id}", column.id, transform,
                                         values.result_type(transform, column.kind)))
        self.specs.append(fields)

    def partition_of(self, spec, cells):
        kinds = {c.id: c.kind for c in self.columns}
        return tuple(values.transform(f.transform, kinds[f.source], cells[f.source]) for f in self.specs[spec])

    def usable_specs(self):
        """Those whose sources are still there; the newest as a rule."""
        ids = {c.id for c in self.columns}
        usable = [i for i, fields in enumerate(self.specs) if all(f.source in ids for f in fields)]
        if not usable:
            self.add_spec()
            return [len(self.specs) - 1]
        return usable if self.random.random() < 0.2 else usable[-1:]

    def spec_now(self, spec):
        """Its fields, the values by the types of today."""
        fields = []
        for f in self.specs[spec]:
            kind = next((c.kind for columns in [self.columns, *reversed(self.schemas)] for c in columns if c.id == f.source), None)
            fields.append(PartitionField(f.id, f.name, f.source, f.transform, values.result_type(f.transform, kind)))
        return fields

    # --- commits ---

    def row_cells(self, spec):
        random = self.random
        cells = {}
        for column in self.columns:
            if column.id == KEY:
                self.keys += 1
                cells[KEY] = self.keys
                continue
            while True:
                value = None if random.random() < 0.15 else values.random_value(column.kind, random)
                sound = value is None or all(values.range_is_sound(f.transform, column.kind, value)
                                             for f in self.specs[spec] if f.source == column.id)
                if sound:
                    break
            cells[column.id] = value
        return cells

    def new_path(self, suffix):
        self.files_made += 1
        return self.folder / "data" / f"{self.files_made:05}-{suffix}"

    def located(self, path):
        return self.location + str(path)[len(str(self.folder)):]

    def append(self):
        """One commit of rows in files by partition."""
        random = self.random
        self.sequence += 1
        spec = random.choice(self.usable_specs())
        by_partition = {}
        for _ in range(random.choice([1, 5, 20, 60])):
            cells = self.row_cells(spec)
            partition = self.partition_of(spec, cells)
            # NaN is no equal of itself; in bytes it is.
            key = tuple(repr(v) if isinstance(v, float) else v for v in partition)
            by_partition.setdefault(key, (partition, []))[1].append(cells)
        files = []
        for partition, rows in by_partition.values():
            if random.random() < 0.5:
                column = random.choice(self.columns)
                rows.sort(key=lambda c: (c[column.id] is None, c[column.id] is not None and values.sort_key(column.kind, c[column.id])))
            files.append(self.write_data(spec, partition, rows))
        # The order of manifest entries gives the row ids.
        if self.version == 3 and self.sequence > self.upgraded_at:
            for file in files:
                file.first_row_id = self.next_row_id
                self.next_row_id += len(file.rows)
        self.files += files
        self.manifests.append(("data", spec, self.sequence, files))

    def write_data(self, spec, partition, rows):
        random = self.random
        file = DataFile(self.new_path("data.parquet"), spec, partition, self.sequence)
        identity = {f.source for f in self.specs[spec] if f.transform == "identity"}
        left_out = {c.id for c in self.columns if c.id in identity and random.random() < 0.3}
        lineage = self.version == 3 and random.random() < 0.4
        for position, cells in enumerate(rows):
            row = Row(file, position, cells)
            if lineage and random.random() < 0.6:
                row.row_id, row.updated = 10**6 + cells[KEY], random.choice([None, 1])
            file.rows.append(row)
        columns = [(c.id, c.name, c.kind, [cells[c.id] for cells in rows]) for c in self.columns if c.id not in left_out]
        if random.random() < 0.3:
            random.shuffle(columns)
        file.metrics = Metrics({i: (kind, cells) for i, _, kind, cells in columns}, random)
        if lineage:
            columns.append((ROW_ID, "_row_id", "long", [r.row_id for r in file.rows]))
            columns.append((UPDATED_ID, "_last_updated_sequence_number", "long", [r.updated for r in file.rows]))
        file.size = self.write_parquet(file.path, columns)
        return file

    def write_parquet(self, path, columns):
        random = self.random
        schema = pa.schema([pa.field(name, values.ARROW[kind], metadata={"PARQUET:field_id": str(i)}) for i, name, kind, _ in columns])
        table = pa.table([values.arrow_array(kind, cells) for _, _, kind, cells in columns], schema=schema)
        pq.write_table(table, path, row_group_size=random.choice([3, 10, 1000]), data_page_size=random.choice([1, 64, 4096]),
                       write_batch_size=random.choice([1, 4, 1024]), write_page_index=random.random() < 0.7,
                       use_dictionary=random.random() < 0.5, compression=random.choice(["none", "snappy", "zstd"]),
                       data_page_version=random.choice(["1.0", "2.0"]), store_schema=random.random() < 0.5,
                       write_statistics=random.random() < 0.9)
        return path.stat().st_size

    def delete_positions(self):
        """A position delete file of one partition, or deletion vectors of several files."""
        random = self.random
        self.sequence += 1
        file = random.choice(self.files)
        if self.version == 3 and random.random() < 0.6:
            named = [of for kind, _, of, _ in self.deletes if kind == "position"]
            chosen = random.sample(self.files, min(len(self.files), random.randint(1, 3)))
            return self.write_vectors(chosen + [f for f in named[:1] if all(f is not c for c in chosen)])
        files = [f for f in self.files if f.spec == file.spec and same_partition(f.partition, file.partition)]
        chosen = random.sample(files, random.randint(1, len(files)))
        pairs = sorted({(self.located(f.path), r.position) for f in chosen for r in f.rows if random.random() < 0.3})
        pairs.append((self.located(self.folder / "data" / "zzz-gone.parquet"), 0))
        named = chosen[0] if len(chosen) == 1 and random.random() < 0.4 else None
        if named is not None:
            pairs = pairs[:-1] or [(self.located(named.path), 10**9)]
        # Sometimes older than what it names: it does not apply then.
        sequence = random.choice([self.sequence, self.sequence, random.choice(self.files).sequence])
        self.deletes.append(("position", sequence, file, set(pairs)))
        path = self.new_path("pos.parquet")
        columns = [(PATH_ID, "file_path", "string", [p for p, _ in pairs]), (POS_ID, "pos", "long", [p for _, p in pairs])]
        size = self.write_parquet(path, columns)
        maps = Metrics({PATH_ID: ("string", [p for p, _ in pairs])}, random)
        for which, bound in (("lower_bounds", pairs[0][0]), ("upper_bounds", pairs[-1][0])):
            if maps.maps[which]:
                maps.maps[which][PATH_ID] = bound.encode()  # writers do not cut paths
        entry = {"content": 1, "path": path, "format": "PARQUET", "count": len(pairs), "size": size, "metrics": maps,
                 "referenced": None if named is None else self.located(named.path)}
        self.manifests.append(("deletes", file.spec, sequence, [(file.partition, entry)]))

    def write_vectors(self, files):
        path = self.new_path("dv.puffin")
        for f in files:
            before = f.vector or {int(p) for kind, seq, of, pairs in self.deletes if kind == "position" and self.reaches(f, seq, of)
                                  for name, p in pairs if name == self.located(f.path) and p < len(f.rows)}
            # What the vector leaves out is there again, whatever position deletes say.
            if self.random.random() < 0.4:
                before = set()
            f.vector = before | {r.position for r in f.rows if self.random.random() < 0.2}
        places = write_puffin(path, [f.vector for f in files])
        for f, (offset, size) in zip(files, places):
            for manifest in self.manifests:  # at most one vector a file
                if manifest[0] == "deletes":
                    manifest[3][:] = [e for e in manifest[3] if e[1].get("vector_of") is not f]
            entry = {"content": 1, "path": path, "format": "PUFFIN", "count": len(f.vector), "size": path.stat().st_size,
                     "metrics": None, "referenced": self.located(f.path), "offset": offset, "length": size, "vector_of": f}
            self.manifests.append(("deletes", f.spec, self.sequence, [(f.partition, entry)]))

    def delete_equal(self):
        """An equality delete file of one partition, or of all files when its spec has no fields."""
        random = self.random
        columns = [c for c in self.columns if c.kind not in ("float", "double")] or [self.columns[0]]
        chosen = random.sample(columns, min(len(columns), random.choice([1, 1, 2])))
        self.sequence += 1
        everywhere = [f for f in self.files if self.is_global(f.spec)]
        file = random.choice(everywhere if everywhere and random.random() < 0.5 else self.files)
        tuples = []
        for _ in range(random.randint(1, 4)):
            row = random.choice(random.choice(self.files).rows)
            tuples.append(tuple(self.cell(row, c) for c in chosen))
        # Of the age of a file it does not apply to that one.
        sequence = random.choice([self.sequence, self.sequence, random.choice(self.files).sequence])
        self.deletes.append(("equality", sequence, file, ([c.id for c in chosen], set(tuples))))
        path = self.new_path("eq.parquet")
        extra = [c for c in self.columns if c not in chosen][:random.choice([0, 0, 1])]
        written = [(c.id, c.name, c.kind, [t[i] for t in tuples]) for i, c in enumerate(chosen)]
        written += [(c.id, c.name, c.kind, [None] * len(tuples)) for c in extra]
        size = self.write_parquet(path, written)
        entry = {"content": 2, "path": path, "format": "PARQUET", "count": len(tuples), "size": size,
                 "metrics": Metrics({i: (kind, cells) for i, _, kind, cells in written}, random),
                 "equality_ids": [c.id for c in chosen], "referenced": None}
        self.manifests.append(("deletes", file.spec, sequence, [(file.partition, entry)]))

    # --- what must be there ---

    def reaches(self, file, sequence, of):
        """A delete file of the partition of `of`."""
        return file.sequence <= sequence and file.spec == of.spec and same_partition(file.partition, of.partition)

    def cell(self, row, column):
        """By the rule for columns that the file does not have."""
        if column.id in row.cells:
            return row.cells[column.id]
        return column.default if column.has_default else None

    def is_global(self, spec):
        return all(f.transform == "void" for f in self.specs[spec])

    def live_rows(self):
        now = {c.id: c for columns in self.schemas for c in columns} | {c.id: c for c in self.columns}
        for file in self.files:
            for row in file.rows:
                row.deleted = file.vector is not None and row.position in file.vector
        for kind, sequence, of, what in self.deletes:
            for file in self.files:
                if kind == "position":
                    if file.vector is None and self.reaches(file, sequence, of):
                        for row in file.rows:
                            row.deleted |= (self.located(file.path), row.position) in what
                    continue
                ids, tuples = what
                same = file.spec == of.spec and same_partition(file.partition, of.partition)
                if file.sequence < sequence and (self.is_global(of.spec) or same):
                    for row in file.rows:
                        row.deleted |= tuple(self.cell(row, now[i]) for i in ids) in tuples
        return [row for file in self.files for row in file.rows if not row.deleted]

    def lineage(self, row):
        """(_row_id, _last_updated_sequence_number)"""
        first = row.file.first_row_id
        if first is None:
            return None, None
        return (first + row.position if row.row_id is None else row.row_id,
                row.file.sequence if row.updated is None else row.updated)


def same_partition(a, b):
    return len(a) == len(b) and all(values.same("double" if isinstance(x, float) else "", x, y) for x, y in zip(a, b))

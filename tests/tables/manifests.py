# SPDX-License-Identifier: Apache-2.0
"""Manifests, manifest lists and deletion vectors as the specification has them, with metrics as full or as poor as
writers make them."""

import math
import struct
import zlib

from values import DECIMALS, single_value, sort_key


def optional(kind):
    return ["null", kind]


def record(name, fields):
    """Fields are (id, name, type)."""
    return {"type": "record", "name": name, "fields": [
        {"name": n, "type": t, "field-id": i} | ({"default": None} if isinstance(t, list) else {}) for i, n, t in fields]}


def map_of(key_id, value_id, value):
    pair = record(f"k{key_id}_v{value_id}", [(key_id, "key", "int"), (value_id, "value", value)])
    return optional({"type": "array", "logicalType": "map", "items": pair})


def avro_type(kind):
    if kind in DECIMALS:
        precision, scale = DECIMALS[kind]
        size = next(n for n in range(1, 17) if 10**precision <= 2**(8 * n - 1))
        return {"type": "fixed", "name": f"decimal_{precision}_{scale}", "size": size, "logicalType": "decimal",
                "precision": precision, "scale": scale}
    if kind.startswith("timestamp"):
        return {"type": "long", "logicalType": "timestamp-nanos" if kind.endswith("ns") else "timestamp-micros",
                "adjust-to-utc": kind == "timestamptz"}
    return {"date": {"type": "int", "logicalType": "date"}, "time": {"type": "long", "logicalType": "time-micros"},
            "uuid": {"type": "fixed", "name": "uuid_fixed", "size": 16, "logicalType": "uuid"},
            "fixed[4]": {"type": "fixed", "name": "fixed_4", "size": 4}, "binary": "bytes"}.get(kind, kind)


def avro_value(kind, value):
    """Of a partition value."""
    if value is not None and kind in DECIMALS:
        return value.to_bytes(avro_type(kind)["size"], "big", signed=True)
    return value


# --- metrics ---

def truncated_upper(kind, value, length):
    """The least text or bytes of so many characters above all that begin with the value's; None: there is none."""
    if len(value) <= length:
        return value
    head = value[:length]
    for at in range(len(head) - 1, -1, -1):
        if isinstance(head, bytes):
            if head[at] < 0xff:
                return head[:at] + bytes([head[at] + 1])
            continue
        following = ord(head[at]) + 1
        if following == 0xd800:
            following = 0xe000
        if following <= 0x10ffff:
            return head[:at] + chr(following)
    return None


class Metrics:
    """Of one file: what its writer says of each column."""

    def __init__(self, columns, random):
        """`columns`: field id -> (type, values)."""
        self.maps = {name: {} for name in ("value_counts", "null_value_counts", "nan_value_counts", "lower_bounds", "upper_bounds")}
        mode = random.choice(["full", "full", "full", "truncate", "mixed"])
        for field_id, (kind, values) in columns.items():
            how = random.choice(["full", "truncate", "counts", "none"]) if mode == "mixed" else mode
            if how == "none":
                continue
            present = [v for v in values if v is not None]
            self.maps["value_counts"][field_id] = len(values)
            self.maps["null_value_counts"][field_id] = len(values) - len(present)
            if kind in ("float", "double"):
                self.maps["nan_value_counts"][field_id] = sum(math.isnan(v) for v in present)
                present = [v for v in present if not math.isnan(v)]
            if how == "counts" or not present:
                continue
            lower = min(present, key=lambda v: sort_key(kind, v))
            upper = max(present, key=lambda v: sort_key(kind, v))
            if kind in ("float", "double"):  # the rule of zeros
                lower = -0.0 if lower == 0 else lower
                upper = 0.0 if upper == 0 else upper
            if how == "truncate" and kind in ("string", "binary"):
                length = random.randint(1, 3)
                lower, upper = lower[:length], truncated_upper(kind, upper, length)
            self.maps["lower_bounds"][field_id] = single_value(kind, lower)
            if upper is not None:
                self.maps["upper_bounds"][field_id] = single_value(kind, upper)
        if random.random() < 0.15:  # what is missing is not known
            self.maps[random.choice(list(self.maps))] = None

    def fields(self):
        return {name: None if pairs is None else [{"key": k, "value": v} for k, v in pairs.items()]
                for name, pairs in self.maps.items()}


# --- files ---

def entry_schema(version, partition_fields):
    """`partition_fields`: (id, name, result type)."""
    partition = record("r102", [(i, n, optional(avro_type(kind))) for i, n, kind in partition_fields])
    fields = [(100, "file_path", "string"), (101, "file_format", "string"), (102, "partition", partition),
              (103, "record_count", "long"), (104, "file_size_in_bytes", "long")]
    if version == 1:
        fields.append((105, "block_size_in_bytes", "long"))
    else:
        fields.insert(0, (134, "content", "int"))
    fields += [(109, "value_counts", map_of(119, 120, "long")), (110, "null_value_counts", map_of(121, 122, "long")),
               (137, "nan_value_counts", map_of(138, 139, "long")), (125, "lower_bounds", map_of(126, 127, "bytes")),
               (128, "upper_bounds", map_of(129, 130, "bytes"))]
    if version > 1:
        ids = {"type": "array", "items": "int", "element-id": 136}
        fields += [(135, "equality_ids", optional(ids)), (143, "referenced_data_file", optional("string"))]
    if version > 2:
        fields += [(142, "first_row_id", optional("long")), (144, "content_offset", optional("long")),
                   (145, "content_size_in_bytes", optional("long"))]
    entry = [(0, "status", "int"), (1, "snapshot_id", optional("long"))]
    if version > 1:
        entry += [(3, "sequence_number", optional("long")), (4, "file_sequence_number", optional("long"))]
    return record("manifest_entry", [*entry, (2, "data_file", record("r2", fields))])


def list_schema(version):
    summary = record("r508", [(509, "contains_null", "boolean"), (518, "contains_nan", optional("boolean")),
                              (510, "lower_bound", optional("bytes")), (511, "upper_bound", optional("bytes"))])
    fields = [(500, "manifest_path", "string"), (501, "manifest_length", "long"), (502, "partition_spec_id", "int")]
    if version > 1:
        fields += [(517, "content", "int"), (515, "sequence_number", "long"), (516, "min_sequence_number", "long")]
    count, rows = (optional("int"), optional("long")) if version == 1 else ("int", "long")
    fields += [(503, "added_snapshot_id", "long"), (504, "added_files_count", count), (505, "existing_files_count", count),
               (506, "deleted_files_count", count), (512, "added_rows_count", rows), (513, "existing_rows_count", rows),
               (514, "deleted_rows_count", rows),
               (507, "partitions", optional({"type": "array", "element-id": 508, "items": summary}))]
    if version > 2:
        fields.append((520, "first_row_id", optional("long")))
    return record("manifest_file", fields)


def summaries(spec, tuples, random):
    """Of the partition fields over all files of a manifest. `spec`: objects with .kind, the type of the values."""
    if random.random() < 0.1:
        return None
    result = []
    for place, field in enumerate(spec):
        values = [t[place] for t in tuples]
        present = [v for v in values if v is not None]
        nans = [v for v in present if isinstance(v, float) and math.isnan(v)]
        present = [v for v in present if not (isinstance(v, float) and math.isnan(v))]
        bounds = [None, None]
        if present:
            bounds = [min(present, key=lambda v: sort_key(field.kind, v)), max(present, key=lambda v: sort_key(field.kind, v))]
            if isinstance(bounds[0], float):
                bounds = [-0.0 if bounds[0] == 0 else bounds[0], 0.0 if bounds[1] == 0 else bounds[1]]
            bounds = [single_value(field.kind, v) for v in bounds]
        result.append({"contains_null": None in values, "contains_nan": random.choice([None, bool(nans)]) if not nans else True,
                       "lower_bound": bounds[0], "upper_bound": bounds[1]})
    return result


# --- deletion vectors ---

def roaring(positions):
    """A 64-bit map of positions below 65,536, of one container."""
    if not positions:
        return struct.pack("<q", 0)
    container = b"".join(struct.pack("<H", p) for p in sorted(positions))
    head = struct.pack("<II", 12346, 1) + struct.pack("<HH", 0, len(positions) - 1)
    return struct.pack("<qI", 1, 0) + head + struct.pack("<I", len(head) + 4) + container


def vector_blob(positions):
    body = b"\xd1\xd3\x39\x64" + roaring(positions)
    return struct.pack(">I", len(body)) + body + struct.pack(">I", zlib.crc32(body))


def write_puffin(path, vectors):
    """Blobs one after the other. Returns their (offset, size)."""
    out, places = b"PFA1", []
    for positions in vectors:
        blob = vector_blob(positions)
        places.append((len(out), len(blob)))
        out += blob
    footer = b'{"blobs":[]}'
    path.write_bytes(out + b"PFA1" + footer + struct.pack("<ii", len(footer), 0) + b"PFA1")
    return places

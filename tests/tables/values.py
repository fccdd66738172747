# SPDX-License-Identifier: Apache-2.0
"""Iceberg's types: random values, their bytes, literals and order, Arrow arrays of them, and the partition transforms.

A value is an int (dates are days, times and timestamps micro- or nanoseconds, decimals unscaled), float, str, bytes or
bool; null is None. Written from the specification alone."""

import math
import struct
from datetime import date, timedelta
from decimal import Decimal

import pyarrow as pa

DECIMALS = {"decimal(9, 2)": (9, 2), "decimal(18, 2)": (18, 2), "decimal(38, 2)": (38, 2), "decimal(20, 4)": (20, 4)}
ARROW = {
    "boolean": pa.bool_(), "int": pa.int32(), "long": pa.int64(), "float": pa.float32(), "double": pa.float64(),
    "date": pa.date32(), "time": pa.time64("us"), "timestamp": pa.timestamp("us"),
    "timestamptz": pa.timestamp("us", "UTC"), "timestamp_ns": pa.timestamp("ns"), "string": pa.string(),
    "uuid": pa.uuid(), "fixed[4]": pa.binary(4), "binary": pa.binary(),
} | {name: pa.decimal128(*digits) for name, digits in DECIMALS.items()}
PROMOTIONS = {"int": ["long"], "float": ["double"], "decimal(9, 2)": ["decimal(18, 2)", "decimal(38, 2)"],
              "decimal(18, 2)": ["decimal(38, 2)"]}
PER_SECOND = {"timestamp": 10**6, "timestamptz": 10**6, "timestamp_ns": 10**9, "time": 10**6}
NAMES = ["", "a", "ab", "abc", "abd", "b", "Zz", "é", "日本", "\U0001f600x", "\U0001f600", "z" * 20, "z" * 20 + "1"]


def floored(value, unit):
    return value - value % unit


def random_value(kind, random):
    """Not null. From few values, so that rows meet, with the edges among them."""
    edge = random.random() < 0.15
    if kind == "boolean":
        return random.random() < 0.5
    if kind == "int":
        return random.choice([-2**31, 2**31 - 1]) if edge else random.randint(-15, 15)
    if kind == "long":
        return random.choice([-2**63, 2**63 - 1, 2**31, -2**31 - 1]) if edge else random.randint(-15, 15)
    if kind in ("float", "double"):
        if edge:
            return random.choice([math.nan, math.inf, -math.inf, -0.0])
        return random.randint(-8, 8) / 2
    if kind in DECIMALS:
        digits = DECIMALS[kind][0]
        return random.choice([1 - 10**digits, 10**digits - 1]) if edge else random.randint(-300, 300)
    if kind == "date":
        return random.choice([-719162, 2932896]) if edge else random.randint(-40, 40) * random.choice([1, 15, 200])
    if kind == "time":
        return random.choice([0, 86_399_999_999]) if edge else random.randint(0, 23) * 3_600_000_000 + random.randint(0, 3)
    if kind.startswith("timestamp"):
        unit = PER_SECOND[kind]
        hours = random.choice([-900_000, 900_000]) if edge else random.randint(-30, 30) * random.choice([1, 20, 4000])
        return hours * 3600 * unit + random.choice([0, 0, -1, 1, 1800 * unit])
    if kind == "string":
        return random.choice(NAMES)
    if kind == "binary":
        return random.choice([b"", b"\0", b"\0\1", b"ab", b"abc", b"\xff", b"\xff\xff", b"\xff" * 20, b"z" * 18])
    width = 16 if kind == "uuid" else 4
    return bytes([random.choice([0, 1, 0x7f, 0x80, 0xff]), *(random.choice([0, 7]) for _ in range(width - 1))])


def single_value(kind, value):
    """The bytes of a bound."""
    if kind == "boolean":
        return b"\1" if value else b"\0"
    if kind in ("int", "date"):
        return struct.pack("<i", value)
    if kind in ("long", "time") or kind.startswith("timestamp"):
        return struct.pack("<q", value)
    if kind in ("float", "double"):
        return struct.pack("<f" if kind == "float" else "<d", value)
    if kind in DECIMALS:
        return value.to_bytes(max(1, (value + (value < 0)).bit_length() // 8 + 1), "big", signed=True)
    return value.encode() if kind == "string" else value


def sort_key(kind, value):
    """Order: NaN is the greatest, -0.0 is 0.0, text by its UTF-8 bytes."""
    if kind in ("float", "double"):
        return (1, 0.0) if math.isnan(value) else (0, value + 0.0)
    return value.encode() if kind == "string" else value


def literal(kind, value):
    if kind == "boolean":
        return "TRUE" if value else "FALSE"
    if kind in ("float", "double"):
        return repr(value) if math.isfinite(value) else {"nan": "'NaN'", "inf": "'Infinity'", "-inf": "'-Infinity'"}[repr(value)]
    if kind in DECIMALS:
        return format(number(value, DECIMALS[kind][1]), "f")
    if kind == "date":
        return f"DATE '{date(1970, 1, 1) + timedelta(value)}'"
    if kind in PER_SECOND:
        unit = PER_SECOND[kind]
        days, rest = divmod(value, 86400 * unit)
        seconds, part = divmod(rest, unit)
        clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{part:0{len(str(unit)) - 1}}"
        return f"TIME '{clock}'" if kind == "time" else f"'{date(1970, 1, 1) + timedelta(days)} {clock}'"
    if kind == "string":
        return "'" + value.replace("'", "''") + "'"
    return f"X'{value.hex()}'" if isinstance(value, bytes) else str(value)


def arrow_array(kind, values):
    arrow = ARROW[kind]
    if kind == "uuid":
        return pa.ExtensionArray.from_storage(arrow, pa.array(values, pa.binary(16)))
    if kind in DECIMALS:
        scale = DECIMALS[kind][1]
        return pa.array([None if v is None else number(v, scale) for v in values], arrow)
    if kind == "date":
        return pa.array(values, pa.int32()).cast(arrow)
    if kind in PER_SECOND:
        return pa.array(values, pa.int64()).cast(arrow)
    return pa.array(values, arrow)


def number(value, scale):
    """The decimal of an unscaled value, exactly."""
    return Decimal((int(value < 0), tuple(map(int, str(abs(value)))), -scale))


def unscaled(number):
    sign, digits, _ = number.as_tuple()
    return int("".join(map(str, digits))) * (-1 if sign else 1)


def from_arrow(kind, array):
    """The model's values of an array."""
    if kind == "uuid":
        return array.storage.to_pylist() if isinstance(array, pa.ExtensionArray) else array.to_pylist()
    if kind in DECIMALS:
        return [None if v is None else unscaled(v) for v in array.to_pylist()]
    if kind == "date":
        return array.cast(pa.int32()).to_pylist()
    if kind in PER_SECOND:
        return array.cast(pa.int64()).to_pylist()
    return array.to_pylist()


def same(kind, a, b):
    if a is None or b is None:
        return a is b
    if kind in ("float", "double") and (math.isnan(a) or math.isnan(b)):
        return math.isnan(a) and math.isnan(b)
    return a == b


# --- transforms ---

def murmur3(data):
    mask, h = 0xffffffff, 0
    def rotl(x, r):
        return (x << r | x >> (32 - r)) & mask
    def mix(k):
        return rotl(k * 0xcc9e2d51 & mask, 15) * 0x1b873593 & mask
    whole = len(data) // 4 * 4
    for i in range(0, whole, 4):
        h = (rotl(h ^ mix(int.from_bytes(data[i:i + 4], "little")), 13) * 5 + 0xe6546b64) & mask
    if len(data) > whole:
        h ^= mix(int.from_bytes(data[whole:], "little"))
    h ^= len(data)
    h = (h ^ h >> 16) * 0x85ebca6b & mask
    h = (h ^ h >> 13) * 0xc2b2ae35 & mask
    return h ^ h >> 16


def transforms_of(kind):
    """The transforms that take the type."""
    names = ["identity", "void"]
    if kind not in ("boolean", "float", "double"):
        names += ["bucket[2]", "bucket[7]"]
    if kind in ("int", "long", "string", "binary") or kind in DECIMALS:
        names += ["truncate[1]", "truncate[2]", "truncate[10]"]
    if kind == "date" or kind.startswith("timestamp"):
        names += ["year", "month", "day"]
    if kind.startswith("timestamp"):
        names += ["hour"]
    return names


def result_type(transform, kind):
    if transform in ("identity", "void") or transform.startswith("truncate"):
        return kind
    return "date" if transform == "day" else "int"


def transform(name, kind, value):
    if value is None or name == "void":
        return None
    if name == "identity":
        return value
    width = int(name[name.index("[") + 1:-1]) if "[" in name else 0
    if name.startswith("bucket"):
        if isinstance(value, str):
            data = value.encode()
        elif isinstance(value, bytes) or kind in DECIMALS:
            data = single_value(kind, value)
        else:
            data = struct.pack("<q", value // 1000 if kind == "timestamp_ns" else value)
        return (murmur3(data) & 0x7fffffff) % width
    if name.startswith("truncate"):
        return floored(value, width) if isinstance(value, int) else value[:width]
    days = value if kind == "date" else value // (86400 * PER_SECOND[kind])
    if name == "hour":
        return value // (3600 * PER_SECOND[kind])
    if name == "day":
        return days
    day = date(1970, 1, 1) + timedelta(days)
    return day.year - 1970 if name == "year" else (day.year - 1970) * 12 + day.month - 1


def range_is_sound(name, kind, value):
    """Truncation must stay within the type."""
    if name.startswith("truncate") and kind in ("int", "long"):
        return transform(name, kind, value) >= (-2**31 if kind == "int" else -2**63)
    if name.startswith("truncate") and kind in DECIMALS:
        return abs(transform(name, kind, value)) < 10**DECIMALS[kind][0]
    return True

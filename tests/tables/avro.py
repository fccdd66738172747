# SPDX-License-Identifier: Apache-2.0
"""Avro container files by schema, written from scratch: what no library would write can be written too."""

import json
import struct
import zlib


def long_bytes(number):
    number = (number << 1) ^ (number >> 63)
    out = bytearray()
    while number > 0x7f:
        out.append(number & 0x7f | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def encode(schema, value):
    """One value; a union takes None, or else its other branch."""
    if isinstance(schema, list):
        branch = next(i for i, kind in enumerate(schema) if (kind == "null") == (value is None))
        return long_bytes(branch) + encode(schema[branch], value)
    kind = schema["type"] if isinstance(schema, dict) else schema
    if kind == "null":
        return b""
    if kind == "boolean":
        return b"\1" if value else b"\0"
    if kind in ("int", "long"):
        return long_bytes(value)
    if kind in ("float", "double"):
        return struct.pack("<f" if kind == "float" else "<d", value)
    if kind == "string":
        text = value.encode()
        return long_bytes(len(text)) + text
    if kind == "bytes":
        return long_bytes(len(value)) + value
    if kind == "fixed":
        assert len(value) == schema["size"]
        return value
    if kind == "array":
        items = b"".join(encode(schema["items"], item) for item in value)
        return (long_bytes(len(value)) + items if value else b"") + b"\0"
    assert kind == "record", kind
    return b"".join(encode(field["type"], value[field["name"]]) for field in schema["fields"])


def write(path, schema, records, metadata, random):
    """A file of one or more blocks, with either of two codecs. Returns its size."""
    codec = random.choice(["null", "deflate"])
    sync = bytes(random.randrange(256) for _ in range(16))
    header = {"avro.schema": json.dumps(schema), "avro.codec": codec} | metadata
    out = b"Obj\1" + long_bytes(len(header))
    for key, text in header.items():
        for part in (key.encode(), text.encode()):
            out += long_bytes(len(part)) + part
    out += b"\0" + sync
    at = 0
    while at < len(records):
        count = random.randint(1, len(records) - at)
        block = b"".join(encode(schema, record) for record in records[at:at + count])
        if codec == "deflate":
            raw = zlib.compressobj(wbits=-15)
            block = raw.compress(block) + raw.flush()
        out += long_bytes(count) + long_bytes(len(block)) + block + sync
        at += count
    path.write_bytes(out)
    return len(out)

# SPDX-License-Identifier: Apache-2.0
"""The metadata of a random table: manifests, manifest list, metadata file."""

import json

import avro
import values
from manifests import avro_value, entry_schema, list_schema, summaries

SNAPSHOT = 4242


def data_file(table, version, path, format_name, count, size, partition, spec, metrics):
    fields = metrics.fields() if metrics is not None else dict.fromkeys(
        ("value_counts", "null_value_counts", "nan_value_counts", "lower_bounds", "upper_bounds"))
    names = {f.name: avro_value(f.kind, v) for f, v in zip(spec, partition)}
    record = {"content": 0, "file_path": table.located(path), "file_format": format_name, "partition": names,
              "record_count": count, "file_size_in_bytes": size, "block_size_in_bytes": 67108864, "equality_ids": None,
              "referenced_data_file": None, "first_row_id": None, "content_offset": None, "content_size_in_bytes": None}
    return record | fields


def write_manifest(table, number, content, spec_id, sequence, members):
    """Returns its record in the list."""
    random, version = table.random, table.version
    spec = table.spec_now(spec_id) if random.random() < 0.5 else table.specs[spec_id]
    # Sequence numbers and row ids are inherited, or written where the manifest is a later one.
    inherits = random.random() < 0.6
    entries, tuples, first_ids = [], [], []
    for member in members:
        if content == "data":
            entry = data_file(table, version, member.path, "PARQUET", len(member.rows), member.size, member.partition, spec,
                              member.metrics)
            if not inherits:
                entry["first_row_id"] = member.first_row_id
            first_ids.append(member.first_row_id)
            tuples.append(member.partition)
        else:
            partition, what = member
            entry = data_file(table, version, what["path"], what["format"], what["count"], what["size"], partition, spec,
                              what["metrics"])
            entry |= {"content": what["content"], "equality_ids": what.get("equality_ids"),
                      "referenced_data_file": what["referenced"], "content_offset": what.get("offset"),
                      "content_size_in_bytes": what.get("length")}
            tuples.append(partition)
        number_of_entry = None if inherits else sequence
        entries.append({"status": 1 if inherits else 0, "snapshot_id": SNAPSHOT, "sequence_number": number_of_entry,
                        "file_sequence_number": number_of_entry, "data_file": entry})
    if random.random() < 0.3:  # what was deleted is not there any more
        gone = dict(entries[0]) | {"status": 2, "sequence_number": sequence, "file_sequence_number": sequence}
        gone["data_file"] = dict(gone["data_file"]) | {"file_path": table.located(table.folder / "data" / "gone.parquet"),
                                                       "first_row_id": 0}
        entries.insert(0, gone)
    path = table.folder / "metadata" / f"manifest-{number}.avro"
    schema = {"type": "struct", "schema-id": 0, "fields": []}
    metadata = {"schema": json.dumps(schema), "schema-id": "0", "partition-spec": json.dumps(spec_json(table, spec_id)),
                "partition-spec-id": str(spec_id), "format-version": str(version), "content": content}
    size = avro.write(path, entry_schema(version, [(f.id, f.name, f.kind) for f in spec]), entries, metadata, random)
    live = [e for e in entries if e["status"] != 2]
    rows = sum(e["data_file"]["record_count"] for e in live)
    told = random.random() < 0.8 or version > 1
    count = {"added_files_count": len(live) if inherits else 0, "existing_files_count": 0 if inherits else len(live),
             "deleted_files_count": len(entries) - len(live), "added_rows_count": rows if inherits else 0,
             "existing_rows_count": 0 if inherits else rows, "deleted_rows_count": 0}
    if not told:
        count = dict.fromkeys(count)
    # Of a manifest without a first row id no file has one; where the files say theirs, any other will do.
    first = first_ids[0] if content == "data" and first_ids else None
    if first is not None and not inherits:
        first = table.next_row_id
    return {"manifest_path": table.located(path), "manifest_length": size, "partition_spec_id": spec_id,
            "content": 0 if content == "data" else 1, "sequence_number": sequence if inherits else table.sequence,
            "min_sequence_number": sequence, "added_snapshot_id": SNAPSHOT, "partitions": summaries(spec, tuples, random),
            "first_row_id": first} | count


def spec_json(table, spec_id):
    return [{"name": f.name, "transform": f.transform, "source-id": f.source, "field-id": f.id} for f in table.specs[spec_id]]


def default_json(column):
    value, kind = column.default, column.kind
    if isinstance(value, bytes):
        if kind != "uuid":
            return value.hex()
        text = value.hex()
        return "-".join([text[:8], text[8:12], text[12:16], text[16:20], text[20:]])
    if kind in values.DECIMALS or kind == "date" or kind in values.PER_SECOND:
        text = values.literal(kind, value).removeprefix("DATE ").removeprefix("TIME ").strip("'")
        return text.replace(" ", "T") + ("+00:00" if kind == "timestamptz" else "")
    return value


def schema_json(number, columns):
    fields = []
    for column in columns:
        item = {"id": column.id, "name": column.name, "required": False, "type": column.kind}
        if column.has_default:
            item["initial-default"] = item["write-default"] = default_json(column)
        fields.append(item)
    return {"type": "struct", "schema-id": number, "fields": fields}


def write_metadata(table):
    """Writes everything. Returns the order of the data files."""
    random = table.random
    manifests = [m for m in table.manifests if m[3]]
    random.shuffle(manifests)
    records = [write_manifest(table, i, *manifest) for i, manifest in enumerate(manifests)]
    list_path = table.folder / "metadata" / "snap.avro"
    avro.write(list_path, list_schema(table.version), records, {"format-version": str(table.version)}, random)
    snapshot = {"snapshot-id": SNAPSHOT, "timestamp-ms": 1700000000000, "summary": {"operation": "append"},
                "manifest-list": table.located(list_path), "schema-id": len(table.schemas) - 1}
    metadata = {
        "format-version": table.version, "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1", "location": table.location,
        "last-updated-ms": 1700000000000, "last-column-id": table.last_id, "current-schema-id": len(table.schemas) - 1,
        "schemas": [schema_json(i, columns) for i, columns in enumerate(table.schemas)],
        "partition-specs": [{"spec-id": i, "fields": spec_json(table, i)} for i in range(len(table.specs))],
        "default-spec-id": len(table.specs) - 1, "last-partition-id": table.last_partition_id, "properties": {},
        "sort-orders": [{"order-id": 0, "fields": []}], "default-sort-order-id": 0, "current-snapshot-id": SNAPSHOT,
        "snapshots": [snapshot], "refs": {"main": {"snapshot-id": SNAPSHOT, "type": "branch"}}}
    if table.version > 1:
        metadata["last-sequence-number"] = table.sequence
        snapshot["sequence-number"] = table.sequence
    if table.version == 1:
        metadata |= {"schema": metadata["schemas"][-1], "partition-spec": metadata["partition-specs"][-1]["fields"]}
    if table.version == 3:
        metadata["next-row-id"] = table.next_row_id
        snapshot |= {"first-row-id": 0, "added-rows": table.next_row_id}
    (table.folder / "metadata" / "v1.metadata.json").write_text(json.dumps(metadata))
    return [f for content, _, _, members in manifests if content == "data" for f in members]

# SPDX-License-Identifier: Apache-2.0
"""What an answer is boiled down to, so that the engines' answers can be compared across processes.

A small answer is compared value by value, a large one by rows, sums of the numbers and lengths of the texts. The order of
the rows is left out: SQL engines promise none. Tests prove answers; this only keeps a figure from being about another
question.
"""
import hashlib

import pyarrow as pa
import pyarrow.compute as pc

EXACT_ROWS_MAX = 10_000


def digest(answer):
    """A text that is equal for equal answers; a count is itself."""
    if isinstance(answer, int):
        return f"{answer:,} rows"
    if len(answer) <= EXACT_ROWS_MAX:
        rows = sorted(repr(list(row.values())) for row in answer.to_pylist())
        return f"{len(answer):,} rows, {hashlib.sha256(chr(10).join(rows).encode()).hexdigest()[:16]}"
    return f"{len(answer):,} rows, " + ", ".join(_summary(column.combine_chunks()) for column in answer.columns)


def _summary(array):
    kind = array.type
    if isinstance(array, pa.ChunkedArray):  # several chunks that could not become one
        array = pa.concat_arrays(array.chunks)
    if pa.types.is_struct(kind):
        return "(" + ", ".join(map(_summary, array.flatten())) + ")"
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return f"[{_summary(array.flatten())}]"
    if pa.types.is_timestamp(kind):
        array = array.cast(pa.int64())
    elif pa.types.is_boolean(kind):
        array = array.cast(pa.int8())
    elif pa.types.is_dictionary(kind):
        array = array.dictionary_decode()
    if not (pa.types.is_integer(array.type) or pa.types.is_floating(array.type)):
        wide = pa.large_binary() if "binary" in str(array.type) else pa.large_string()
        array = pc.binary_length(array.cast(wide))
    total = pc.sum(array).as_py()
    return f"{array.null_count} nulls, {total:.6g}" if isinstance(total, float) else f"{array.null_count} nulls, {total}"

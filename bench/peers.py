# SPDX-License-Identifier: Apache-2.0
"""The engines that Frazil is measured beside. Each takes a Query and gives a function that runs it once, from the opening
of the file to rows in memory, and returns the answer: a pyarrow table, or the count.

Settings are each engine's own, but for what makes it faster here: DataFusion is given filter pushdown, which it keeps
off (the same engine with its defaults is a peer, too). So DuckDB may keep parts of a file in its own cache from run to
run, as it does for its users. An engine is imported when it is asked for.
"""


def pyarrow_table(query):
    import pyarrow.compute as pc
    import pyarrow.dataset as ds
    import pyarrow.parquet as pq
    columns = list(query.columns) or None
    if query.count:
        return lambda: ds.dataset(query.path).count_rows(filter=query.filter.arrow(pc.field))
    if query.filter is None:
        return lambda: pq.ParquetFile(query.path).read(columns=columns)
    return lambda: pq.read_table(query.path, columns=columns, filters=query.filter.arrow(pc.field))


def pyarrow_batches(query):
    """Only for scans without a filter: each batch is dropped as it comes, the answer is the number of rows."""
    import pyarrow.parquet as pq

    def run():
        return sum(batch.num_rows for batch in pq.ParquetFile(query.path).iter_batches(columns=list(query.columns) or None))
    return run


def duckdb(query):
    import duckdb as engine
    connection = engine.connect()
    sql = query.sql(f"'{query.path}'")
    if query.count:
        return lambda: connection.execute(sql).fetchone()[0]
    return lambda: connection.sql(sql).to_arrow_table()


def _datafusion(query, settings):
    import datafusion as engine
    import pyarrow as pa
    config = engine.SessionConfig()
    for key, value in settings.items():
        config = config.set(key, value)
    sql = query.sql("t")

    def run():
        context = engine.SessionContext(config)
        context.register_parquet("t", query.path)
        frame = context.sql(sql)
        batches = frame.collect()
        table = pa.Table.from_batches(batches, schema=None if batches else frame.schema())
        return table["n"][0].as_py() if query.count else table
    return run


def datafusion(query):
    return _datafusion(query, {"datafusion.execution.parquet.pushdown_filters": "true",
                               "datafusion.execution.parquet.enable_page_index": "true"})


def datafusion_defaults(query):
    return _datafusion(query, {})


def polars(query):
    import polars as engine

    def run():
        frame = engine.scan_parquet(query.path)
        if query.filter is not None:
            frame = frame.filter(query.filter.polars(engine.col))
        if query.count:
            return frame.select(engine.len()).collect().item()
        if query.columns:
            frame = frame.select(query.columns)
        return frame.collect().to_arrow()
    return run


def pyiceberg(query):
    """Planning alone: the number of data files that are left."""
    from pyiceberg.table import StaticTable
    return lambda: sum(1 for _ in StaticTable.from_metadata(query.path).scan(row_filter=query.where).plan_files())


ENGINES = {"pyiceberg": pyiceberg, "pyarrow": pyarrow_table, "pyarrow, batches": pyarrow_batches, "duckdb": duckdb, "datafusion": datafusion,
           "datafusion, defaults": datafusion_defaults, "polars": polars}
QUERYING = ["pyarrow", "duckdb", "datafusion", "datafusion, defaults", "polars"]
SCANNING = ["pyarrow", "pyarrow, batches"]

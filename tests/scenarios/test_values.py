"""Values that statistics, filters and calendars have trouble with: NaN, infinity, nothing but null, the first and the last year."""
import datetime
import math

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.expressions import GreaterThan, IsNaN, LessThan

from lake import Lake
from shop import HOURLY, ORDERS, order, shop

SOURCE = """source: orders
table: shop.orders
path: ../landing/orders/{unit:%Y-%m-%d-%H}/*.parquet
format: parquet
unit: hour
start: 2026-11-30T00Z
complete: {marker: _SUCCESS}
time: at
partition: [PARTITION]
key: [id]
columns:
  id: {type: string, required: true}
  at: {type: timestamptz, required: true}
  x:  {type: TYPE}
"""

START = datetime.datetime(2026, 11, 30, tzinfo=datetime.timezone.utc)
NAN, INFINITE = math.nan, math.inf
DOUBLES = [[NAN, NAN], [NAN, 1.0, 7.0], [INFINITE, -INFINITE, NAN, None], [3.0, 9.0], [None, None], [1e308, -1e308, NAN]]


def hour_of(number, values, kind):
    at = pa.array([START + datetime.timedelta(hours=number)] * len(values), pa.timestamp("us", "UTC"))
    return pa.table({"id": [f"{number}-{i}" for i in range(len(values))], "at": at, "x": pa.array(values, kind)})


def lake_of(folder, partition, kind, arrow_kind, files):
    lake = Lake.of_files(folder, {"sources/orders.yml": SOURCE.replace("PARTITION", partition).replace("TYPE", kind)})
    for number, values in enumerate(files):
        lake.land_table("orders", f"2026-11-30-{number:02}", "p.parquet", hour_of(number, values, arrow_kind))
    lake.run()
    return lake


def of_duckdb(table):
    """The same rows in a table of DuckDB's own: pyarrow would answer filters on an Arrow table, and compares NaN otherwise."""
    connection = duckdb.connect()
    connection.register("landed", table)
    connection.execute("create table orders as select * from landed")
    return connection


def ids(rows):
    return sorted(row[0] for row in rows)


@pytest.mark.parametrize("partition", ["hour(at)", "hour(at), x"])
def test_nan_and_infinity_are_filtered_as_duckdb_does(tmp_path, partition):  # C082
    lake = lake_of(tmp_path, partition, "double", pa.float64(), DOUBLES)
    reference = of_duckdb(pa.concat_tables(hour_of(number, values, pa.float64()) for number, values in enumerate(DOUBLES)))
    for condition in ("x > 5", "x < 5", "x >= 9", "x <= 1", "isnan(x)", "not isnan(x)", "x = 'nan'", "x = 'inf'", "x < '-inf'", "x <= '-inf'",
                      "x > 'inf'", "x <> 7", "x in (7, 'nan')", "not (x > 5)", "x is null", "x is not null", "isinf(x)"):
        expected = ids(reference.execute(f"select id from orders where {condition}").fetchall())
        assert ids(lake.query(f"select id from shop.orders where {condition}")) == expected, condition
    table = lake.table("shop.orders")
    # To PyIceberg NaN is neither above nor below.
    for expression, expected in ((GreaterThan("x", 5.0), ["1-2", "2-0", "3-1", "5-0"]), (LessThan("x", 3.0), ["1-1", "2-1", "5-1"]),
                                 (IsNaN("x"), ["0-0", "0-1", "1-0", "2-2", "5-2"])):
        assert sorted(table.scan(row_filter=expression).to_arrow()["id"].to_pylist()) == expected
    assert lake.fsck() == []


def test_bounds_are_without_nan(tmp_path):  # C082
    lake = lake_of(tmp_path, "hour(at)", "double", pa.float64(), DOUBLES)
    table = lake.table("shop.orders")
    x = table.schema().find_field("x").field_id
    bounds = {}
    for task in table.scan().plan_files():
        file = task.file
        number = pq.ParquetFile(file.file_path.removeprefix("file://")).read(["id"])["id"][0].as_py()[0]
        lower, upper = (pa.py_buffer(bound[x]) if x in bound else None for bound in (file.lower_bounds, file.upper_bounds))
        bounds[int(number)] = [pa.Array.from_buffers(pa.float64(), 1, [None, bound])[0].as_py() if bound else None for bound in (lower, upper)]
        assert file.nan_value_counts[x] == sum(value is not None and math.isnan(value) for value in DOUBLES[int(number)])
    assert bounds == {0: [None, None], 1: [1.0, 7.0], 2: [-INFINITE, INFINITE], 3: [3.0, 9.0], 4: [None, None], 5: [-1e308, 1e308]}


@pytest.mark.parametrize("partition", ["x", '"bucket(4, x)"', "hour(x)"])
def test_a_batch_of_nothing_but_null_is_in_the_null_partition(tmp_path, partition):  # C067
    later = START + datetime.timedelta(days=1)
    lake = lake_of(tmp_path, f"hour(at), {partition}", "timestamptz", pa.timestamp("us", "UTC"), [[None, None], [None, later], [later]])
    table = lake.table("shop.orders")
    summaries = {}
    for manifest in table.current_snapshot().manifests(table.io):
        for entry in manifest.fetch_manifest_entry(table.io):
            summaries[entry.data_file.partition[0] - 498888] = manifest.partitions[1]
    assert [summaries[hour].contains_null for hour in range(3)] == [True, True, False]
    assert summaries[0].lower_bound is summaries[0].upper_bound is None
    assert summaries[1].lower_bound == summaries[1].upper_bound == summaries[2].lower_bound is not None
    assert ids(lake.query("select id from shop.orders where x is null")) == ["0-0", "0-1", "1-0"]
    assert ids(lake.query("select id from shop.orders where x = timestamptz '2026-12-01 00:00:00+00'")) == ["1-1", "2-0"]
    assert lake.duckdb_rows("shop.orders") == lake.pyiceberg_rows("shop.orders")
    assert lake.fsck() == []


def test_the_first_and_the_last_year(tmp_path):  # C059
    lake = shop(tmp_path, orders=ORDERS + "beyond_lateness: accept\n", rolling=None)
    times = ["0001-01-01T00:00:00Z", "0001-01-01T00:59:59.999999Z", "1582-10-14T12:00:00Z", "2026-11-30T00:00:00Z", "9999-12-31T23:59:59.999999Z"]
    lake.land("orders", "2026-11-30-00", "p.jsonl", [order(i, at) for i, at in enumerate(times)] + [order("far", "10000-01-01T00:00:00Z")])
    lake.run()
    assert lake.query("select partition, record_count from shop.orders.partitions order by 1") == [
        ("at_hour=0001-01-01-00", 2), ("at_hour=1582-10-14-12", 1), ("at_hour=2026-11-30-00", 1), ("at_hour=9999-12-31-23", 1)]
    assert ids(lake.query("select id from shop.orders where \"at\" < timestamptz '0001-01-01 01:00:00+00'")) == ["o0", "o1"]
    assert ids(lake.query("select id from shop.orders where \"at\" >= timestamptz '9999-12-31 23:00:00+00'")) == ["o4"]
    assert lake.query("select reason, \"column\" from shop.orders__quarantine") == [("not a timestamp", "at")]
    assert lake.duckdb_rows("shop.orders") == lake.pyiceberg_rows("shop.orders")
    assert lake.plan()["units"] == [] and lake.fsck() == []


STATISTICS = {"none": False, "some": ["id"], "all": True}


def events(number):
    at = pa.array([START + datetime.timedelta(hours=number, minutes=i) for i in range(5)], pa.timestamp("us", "UTC"))
    return pa.table({"id": [f"{number}-{i}" for i in range(5)], "at": at, "amount": pa.array([1, 2, None, 4, 5], pa.int64()),
                     "note": ["a", "b", None, "d", "e"]})


def test_landed_parquet_needs_no_statistics(tmp_path):  # C087
    lake = Lake.of_files(tmp_path, {"sources/orders.yml": ORDERS.replace("jsonl", "parquet").replace("START", "2026-11-30T00Z"),
                                    "models/orders_hourly.sql": HOURLY})
    for number, statistics in enumerate(STATISTICS.values()):
        path = lake.land_table("orders", f"2026-11-30-{number:02}", "p.parquet", events(number))
        pq.write_table(events(number), path, write_statistics=statistics)
    lake.run()
    assert lake.query("select orders, amount from shop.orders_hourly") == [(5, 12)] * 3
    assert ids(lake.query("select id from shop.orders where amount > 3 and note is not null")) == [f"{n}-{i}" for n in range(3) for i in (3, 4)]
    assert lake.duckdb_rows("shop.orders") == lake.pyiceberg_rows("shop.orders")


def test_files_of_others_without_statistics_are_always_scanned(tmp_path):  # C087
    lake = Lake.of_files(tmp_path, {})
    (tmp_path / "lake").mkdir()
    catalog = lake.catalog()
    catalog.create_namespace("other")
    catalog.create_table("other.plain", events(0).schema)
    for number, statistics in enumerate(STATISTICS.values()):
        pq.write_table(events(number), tmp_path / f"{number}.parquet", write_statistics=statistics)
        catalog.load_table("other.plain").add_files([f"file://{tmp_path}/{number}.parquet"])
    reference = of_duckdb(pa.concat_tables(events(number) for number in range(3)))
    for condition in ("amount > 3", "amount < 0", "amount is null", "amount is not null", "note = 'd'", "note is null", "note > 'b'", "id = '0-3'"):
        expected = ids(reference.execute(f"select id from orders where {condition}").fetchall())
        assert ids(lake.query(f"select id from other.plain where {condition}")) == expected, condition
    assert lake.fsck() == []


@pytest.mark.parametrize("kind, arrow", [("double", pa.float64()), ("float", pa.float32())])
@pytest.mark.parametrize("checks", [True, False])
def test_a_key_in_a_nan_partition_is_deduplicated(tmp_path, kind, arrow, checks):  # C082, C148
    source = ORDERS.replace("[hour(at)]", "[hour(at), x]").replace("  note:   {type: string}", f"  x: {{type: {kind}}}").replace("jsonl", "parquet")
    if not checks:
        source = source[:source.index("checks:")]
    lake = Lake.of_files(tmp_path, {"sources/orders.yml": source.replace("START", "2026-11-30T00Z")})
    rows = pa.table({"id": ["a"], "at": pa.array([START], pa.timestamp("us", "UTC")), "x": pa.array([float("nan")], arrow)})
    for name in ("first.parquet", "again.parquet"):
        lake.land_table("orders", "2026-11-30-00", name, rows)
        lake.run()
    assert lake.query("select count(*) from shop.orders") == [(1,)]
    assert lake.plan()["units"] == []

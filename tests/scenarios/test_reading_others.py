"""Models over tables that other programs changed: renamed columns, position deletes, files without field ids."""
import pathlib

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import HourTransform
from pyiceberg.types import DoubleType, LongType, NestedField, StringType, StructType, TimestamptzType

from lake import Lake, multiset

MODEL = """/* strandline
table: shop.copied
window: hour
time: hour
inputs:
  other.events: {as_of: restate}
*/
select $window_start as hour, e.* from other.events e where exists (select 1 from shop.orders)
"""

SOURCE = """source: orders
table: shop.orders
path: ../landing/orders/{unit:%Y-%m-%d-%H}/*.jsonl
format: jsonl
unit: hour
start: 2026-11-30T00Z
complete: {marker: _SUCCESS}
time: ordered_at
partition: [hour(ordered_at)]
key: [id]
columns:
  id:         {type: string, required: true}
  ordered_at: {type: timestamptz, required: true}
"""


def rows(first, count, hour=0):
    import datetime
    start = datetime.datetime(2026, 11, 30, hour, tzinfo=datetime.timezone.utc)
    return pa.table({
        "id": pa.array(range(first, first + count), pa.int64()),
        "at_time": pa.array([start + datetime.timedelta(seconds=i) for i in range(count)], pa.timestamp("us", "UTC")),
        "name": pa.array([f"n{i}" for i in range(count)]),
        "score": pa.array([i / 2 for i in range(count)], pa.float64()),
    })


@pytest.fixture
def lake(tmp_path):
    lake = Lake.of_files(tmp_path, {"sources/orders.yml": SOURCE, "models/copied.sql": MODEL})
    lake.land("orders", "2026-11-30-00", "p.jsonl", [{"id": "o", "ordered_at": "2026-11-30T00:00:00Z"}])
    (tmp_path / "lake").mkdir()
    catalog = lake.catalog()
    catalog.create_namespace("other")
    schema = Schema(NestedField(1, "id", LongType()), NestedField(2, "at_time", TimestamptzType()), NestedField(3, "name", StringType()),
                    NestedField(4, "score", DoubleType()))
    catalog.create_table("other.events", schema, partition_spec=PartitionSpec(PartitionField(2, 1000, HourTransform(), "at_hour")))
    return lake


def append(lake, table):
    lake.table("other.events").append(table)


def assert_model_equals_pyiceberg(lake):
    expected = multiset(lake.table("other.events").scan().to_arrow())
    report = lake.run()
    assert {unit["outcome"] for unit in report["units"]} == {"published"}
    copied = lake.table("shop.copied").scan().to_arrow().drop_columns(["hour"])
    assert multiset(copied) == expected


def test_renamed_dropped_and_readded_columns(lake):  # C092
    append(lake, rows(0, 10))
    table = lake.table("other.events")
    with table.update_schema() as update:
        update.rename_column("name", "title")
    with table.update_schema() as update:
        update.delete_column("score")
    with table.update_schema() as update:
        update.add_column("score", DoubleType())
    append(lake, rows(10, 5).rename_columns(["id", "at_time", "title", "score"]))
    assert_model_equals_pyiceberg(lake)
    ((nulls,),) = lake.query("select count(*) from other.events where score is null")
    assert nulls == 10, "a re-added column is a new one"
    assert lake.query("select count(title) from other.events") == [(15,)]


def test_files_without_field_ids_are_read_by_the_name_mapping(lake):
    append(lake, rows(0, 4))
    plain = lake.folder / "plain.parquet"
    pq.write_table(rows(100, 6), plain)
    lake.table("other.events").add_files([f"file://{plain}"])
    table = lake.table("other.events")
    with table.update_schema() as update:
        update.rename_column("name", "title")
    assert_model_equals_pyiceberg(lake)


def test_a_change_by_others_restates_what_reads_it_as_a_whole(lake):  # Rule 5: a foreign table's digest is its files.
    append(lake, rows(0, 4))
    assert_model_equals_pyiceberg(lake)
    assert lake.run()["units"] == []
    append(lake, rows(10, 2))
    assert_model_equals_pyiceberg(lake)
    assert lake.run()["units"] == []


def test_widened_types(lake):
    catalog = lake.catalog()
    catalog.drop_table("other.events")
    from pyiceberg.types import DecimalType, FloatType, IntegerType
    schema = Schema(NestedField(1, "id", IntegerType()), NestedField(2, "at_time", TimestamptzType()), NestedField(3, "score", FloatType()),
                    NestedField(4, "price", DecimalType(7, 2)))
    catalog.create_table("other.events", schema, partition_spec=PartitionSpec(PartitionField(2, 1000, HourTransform(), "at_hour")))
    import decimal
    base = rows(0, 3)
    narrow = pa.table({"id": base["id"].cast(pa.int32()), "at_time": base["at_time"], "score": base["score"].cast(pa.float32()),
                       "price": pa.array([decimal.Decimal("1.25")] * 3, pa.decimal128(7, 2))})
    append(lake, narrow)
    table = lake.table("other.events")
    with table.update_schema() as update:
        update.update_column("id", LongType())
        update.update_column("score", DoubleType())
        update.update_column("price", DecimalType(18, 2))
    wide = pa.table({"id": pa.array([2**40], pa.int64()), "at_time": base["at_time"].slice(0, 1), "score": pa.array([0.1]),
                     "price": pa.array([decimal.Decimal("1234567890.25")], pa.decimal128(18, 2))})
    append(lake, wide)
    assert_model_equals_pyiceberg(lake)


def test_position_deletes(tmp_path):
    """Two windows in one partition: replacing one leaves position deletes, which PyIceberg and DuckDB apply as we do."""
    model = """/* strandline
table: shop.daily
window: hour
time: hour
partition: [day(hour)]
*/
select $window_start as hour, id from shop.orders
"""
    lake = Lake.of_files(tmp_path, {"sources/orders.yml": SOURCE, "models/daily.sql": model})
    for hour in (0, 1):
        lake.land("orders", f"2026-11-30-{hour:02}", "p.jsonl", [{"id": f"{hour}-{i}", "ordered_at": f"2026-11-30T{hour:02}:00:0{i}Z"} for i in range(4)])
    lake.run()
    # Another program compacts both windows into one file; rows of one window then cannot be dropped with their file.
    table = lake.table("shop.daily")
    table.overwrite(table.scan().to_arrow())
    lake.rename_foreign_operation("shop.daily", "replace")
    assert lake.run()["units"] == []
    lake.land("orders", "2026-11-30-01", "late.jsonl", [{"id": "late", "ordered_at": "2026-11-30T00:30:00Z"}])
    lake.run()
    assert sum(lake.pyiceberg_rows("shop.daily").values()) == 9
    assert lake.duckdb_rows("shop.daily") == lake.pyiceberg_rows("shop.daily")
    assert lake.query("select count(*) from shop.daily") == [(9,)]
    ((deletes,),) = lake.query("select coalesce(sum(position_delete_file_count), 0) from shop.daily.partitions")
    assert lake.fsck() == []
    assert deletes == 1
    assert lake.run()["units"] == []


def test_nested_columns_are_read(lake):  # C085, C094
    catalog = lake.catalog()
    from pyiceberg.types import ListType, MapType
    schema = Schema(NestedField(1, "id", LongType()), NestedField(2, "at_time", TimestamptzType()),
                    NestedField(3, "who", StructType(NestedField(4, "name", StringType()), NestedField(5, "age", LongType()))),
                    NestedField(6, "tags", ListType(7, StringType(), False)), NestedField(8, "more", MapType(9, StringType(), 10, LongType(), False)))
    catalog.create_table("other.nested", schema)
    data = pa.table({"id": pa.array([1, 2, 3], pa.int64()), "at_time": rows(0, 3)["at_time"],
                     "who": pa.array([{"name": "a", "age": 1}, None, {"name": None, "age": 3}], pa.struct([("name", pa.string()), ("age", pa.int64())])),
                     "tags": pa.array([["x", "y"], [], None], pa.list_(pa.string())),
                     "more": pa.array([[("k", 1)], None, []], pa.map_(pa.string(), pa.int64()))})
    catalog.load_table("other.nested").append(data)
    assert lake.query("select id, who.name, who.age, len(tags), more['k'] from other.nested order by id") == [
        (1, "a", 1, 2, 1), (2, None, None, 0, None), (3, None, 3, None, None)]
    for condition, ids in (("tags is null", [3]), ("who is null", [2]), ("who.name is null", [2, 3]), ("more is null", [2])):
        assert lake.query(f"select id from other.nested where {condition} order by id") == [(i,) for i in ids], condition


def test_equality_deletes_and_other_versions_are_refused_by_name(lake):
    append(lake, rows(0, 2))
    import json
    location = lake.table("other.events").metadata_location
    path = pathlib.Path(location.removeprefix("file://"))
    metadata = json.loads(path.read_text())
    for version in (1, 3):
        path.write_text(json.dumps(metadata | {"format-version": version}))
        result = lake.call("query", "select count(*) from other.events")
        assert result.code == 1 and f"version {version}" in result.err, result

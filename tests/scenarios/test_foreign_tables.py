"""Tables of others whose partitions are easy to misread: odd paths, specs of columns that are gone, texts that look like null."""
import datetime

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import BucketTransform, HourTransform, IdentityTransform
from pyiceberg.types import LongType, NestedField, StringType, TimestamptzType

from lake import duckdb_iceberg
from shop import HOURLY, ORDERS, hour_text, land_hours, order, shop, windows

START = datetime.datetime(2026, 11, 30, tzinfo=datetime.timezone.utc)


def lake_with_other(folder, **changes):
    lake = shop(folder, rolling=None, **changes)
    (folder / "lake").mkdir()
    lake.catalog().create_namespace("other")
    return lake


def test_values_come_from_the_manifest_and_never_from_the_path(tmp_path):  # C066
    lake = lake_with_other(tmp_path)
    schema = Schema(NestedField(1, "id", LongType()), NestedField(2, "k", StringType()))
    lake.catalog().create_table("other.raw", schema, partition_spec=PartitionSpec(PartitionField(2, 1000, IdentityTransform(), "k")))
    texts = ["a+b", "a%20b", "a b"]
    for number, text in enumerate(texts):
        folder = tmp_path / "raw" / f"k={text}"
        folder.mkdir(parents=True)
        pq.write_table(pa.table({"id": pa.array(range(number + 1), pa.int64()), "k": [text] * (number + 1)}), folder / "p.parquet")
        lake.table("other.raw").add_files([f"file://{folder}/p.parquet"])
    assert sorted(lake.query("select k, count(*) from other.raw group by k")) == [("a b", 3), ("a%20b", 2), ("a+b", 1)]
    for number, text in enumerate(texts):
        assert lake.query(f"select count(*) from other.raw where k = '{text}'") == [(number + 1,)], text
        assert lake.query(f"select count(*) from other.raw where k <> '{text}'", "--no-prune") == [(6 - number - 1,)]
    assert sum(lake.pyiceberg_rows("other.raw").values()) == 6
    assert lake.fsck() == []


@pytest.mark.parametrize("transform", [IdentityTransform(), BucketTransform(4)])
def test_a_foreign_table_whose_old_spec_names_a_dropped_column(tmp_path, transform):  # C069
    copied = """/* strandline
table: shop.orders_hourly
window: hour
time: hour
inputs:
  other.events: {as_of: restate}
*/
select $window_start as hour, e.* from other.events e where exists (select 1 from shop.orders)
"""
    lake = lake_with_other(tmp_path, hourly=copied)
    schema = Schema(NestedField(1, "id", LongType()), NestedField(2, "day", StringType()), NestedField(3, "at", TimestamptzType()))
    spec = PartitionSpec(PartitionField(2, 1000, transform, "day_part"), PartitionField(3, 1001, HourTransform(), "at_hour"))
    table = lake.catalog().create_table("other.events", schema, partition_spec=spec)
    at = pa.array([START, START], pa.timestamp("us", "UTC"))
    table.append(pa.table({"id": pa.array([1, 2], pa.int64()), "day": ["x", None], "at": at}))
    with table.update_spec() as update:
        update.remove_field("day_part")
    with lake.table("other.events").update_schema() as update:
        update.delete_column("day")
    lake.table("other.events").append(pa.table({"id": pa.array([3], pa.int64()), "at": at.slice(0, 1)}))

    assert lake.query("select id from other.events where \"at\" < timestamptz '2026-11-30 01:00:00+00' order by id") == [(1,), (2,), (3,)]
    land_hours(lake, [0])
    lake.run()
    assert lake.query("select id from shop.orders_hourly order by id") == [(1,), (2,), (3,)]
    assert lake.plan()["units"] == [] and lake.fsck() == []


def test_a_table_of_ours_whose_old_spec_names_a_dropped_column(tmp_path):  # C069
    lake = shop(tmp_path, orders=ORDERS.replace("[hour(at)]", "[hour(at), note]"), rolling=None)
    for hour in (0, 1):
        lake.land("orders", f"2026-11-30-{hour:02}", "p.jsonl",
                  [order(f"{hour}-{i}", f"2026-11-30T{hour:02}:{i:02}:00Z", note=f"n{i % 2}") for i in range(4)])
    lake.run()
    with lake.table("shop.orders").update_spec() as update:
        update.remove_field("note")
    with lake.table("shop.orders").update_schema() as update:
        update.delete_column("note")
    source = ORDERS.replace("START", "2026-11-30T00Z").replace("  note:   {type: string}\n", "")
    (lake.project / "sources" / "orders.yml").write_text(source)
    assert lake.plan()["units"] == []

    lake.land("orders", "2026-11-30-02", "p.jsonl",
              [order("new", "2026-11-30T02:00:00Z"), order("late", "2026-11-30T00:10:00Z"), order("0-1", "2026-11-30T00:01:00Z")])
    report = lake.run()
    (ingest,) = [unit for unit in report["units"] if unit["table"] == "shop.orders"]
    assert (ingest["counts"]["rows_published"], ingest["counts"]["rows_duplicate"]) == (2, 1), "the duplicate is in a partition of the old spec"
    assert windows(report, "shop.orders_hourly") == [hour_text(0), hour_text(2)]
    assert lake.query("select orders from shop.orders_hourly order by hour") == [(5,), (4,), (1,)]
    assert lake.duckdb_rows("shop.orders") == lake.pyiceberg_rows("shop.orders")
    assert lake.plan()["units"] == [] and lake.fsck() == []


def test_null_and_the_text_null_are_two_partitions_under_position_deletes(tmp_path):  # C071
    model = HOURLY.replace("time: hour\n", "time: hour\npartition: [day(hour), note]\n").replace("count(*) as orders, sum(amount) as amount", "note, id")
    lake = shop(tmp_path, hourly=model, rolling=None)
    notes = [None, "null", "None", "", None, "null"]
    for hour in (0, 1):
        lake.land("orders", f"2026-11-30-{hour:02}", "p.jsonl",
                  [order(f"{hour}-{i}", f"2026-11-30T{hour:02}:{i:02}:00Z", note=note) for i, note in enumerate(notes)])
    lake.run()
    # Both hours in one file a note: replacing one hour then needs position deletes in each partition.
    table = lake.table("shop.orders_hourly")
    table.overwrite(table.scan().to_arrow())
    lake.rename_foreign_operation("shop.orders_hourly", "replace")
    lake.land("orders", "2026-11-30-01", "late.jsonl", [order("late", "2026-11-30T00:30:00Z", note="null")])
    assert windows(lake.run(), "shop.orders_hourly") == [hour_text(0)]

    assert sorted(lake.query("select note, count(*) from shop.orders_hourly group by note"), key=str) == [
        ("", 2), ("None", 2), ("null", 5), (None, 4)]
    files = {}
    for task in lake.table("shop.orders_hourly").scan().plan_files():
        assert {deletes.partition[1] for deletes in task.delete_files} <= {task.file.partition[1]}
        files.setdefault(task.file.partition[1], []).append(len(task.delete_files))
    assert {note: sorted(deletes) for note, deletes in files.items()} == {note: [0, 1] for note in (None, "null", "None", "")}
    assert lake.duckdb_rows("shop.orders_hourly") == lake.pyiceberg_rows("shop.orders_hourly")
    assert lake.plan()["units"] == [] and lake.fsck() == []


@pytest.mark.parametrize("what", ["query", "model", "fsck"])
def test_a_table_that_duckdb_wrote_is_read(tmp_path, what):  # C101
    """DuckDB's `copy ... (format iceberg)` writes version 2 without last-sequence-number; PyIceberg takes it for 0."""
    copied = """/* strandline
table: shop.orders_hourly
window: hour
time: hour
inputs:
  other.events: {as_of: restate}
*/
select $window_start as hour, e.id, e.name from other.events e where exists (select 1 from shop.orders)
"""
    lake = shop(tmp_path, hourly=copied, rolling=None)
    land_hours(lake, [0])
    (tmp_path / "lake").mkdir()
    folder = tmp_path / "lake" / "other" / "events"
    folder.parent.mkdir()
    duckdb_iceberg().execute(f"""copy (select i as id, 'n' || (i % 3) as name, i / 2.0::double as score, (i * 1.5)::decimal(9, 2) as price,
        {{'a': i, 'b': ['x', null]}} as nested, nullif(i, 3)::int as n from range(50) r(i)) to '{folder}' (format iceberg)""")
    catalog = lake.catalog()
    catalog.create_namespace("other")
    (metadata,) = (folder / "metadata").glob("*.metadata.json")
    catalog.register_table("other.events", f"file://{metadata}")
    assert sum(lake.pyiceberg_rows("other.events").values()) == 50
    if what == "query":
        assert lake.query("select count(*), sum(id), sum(price), count(n), max(nested.a) from other.events") == [(50, 1225, "1837.50", 49, 49)]
        assert lake.query("select id from other.events where n is null or id = 7 order by 1") == [(3,), (7,)]
    elif what == "fsck":
        assert lake.fsck() == []
    else:
        lake.run()
        assert lake.query("select count(*) from shop.orders_hourly") == [(50,)]
        assert lake.plan()["units"] == []


def test_the_partitions_table_tells_null_from_the_text_null(tmp_path):  # C071
    lake = shop(tmp_path, orders=ORDERS.replace("[hour(at)]", "[hour(at), note]"), rolling=None, hourly=None)
    lake.land("orders", "2026-11-30-00", "p.jsonl", [order(i, "2026-11-30T00:00:00Z", note=note) for i, note in enumerate([None, "null", "null"])])
    lake.run()
    assert len(list(lake.table("shop.orders").scan().plan_files())) == 2
    assert sorted(lake.query("select record_count from shop.orders.partitions")) == [(1,), (2,)]

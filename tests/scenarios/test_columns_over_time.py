"""Columns that a model's SELECT or a source's files reorder, rename, retype, add or leave out between two runs."""
import datetime

import pyarrow as pa
import pytest
from pyiceberg.types import LongType

from lake import Lake
from shop import HOURLY, ORDERS, hour_text, land_hours, order, shop


def set_model(lake, text):
    """The changed model, deployed."""
    (lake.project / "models" / "orders_hourly.sql").write_text(text)
    result = lake.call("deploy", "--on-change", "forward")
    assert result.code == 0, result


def test_reordered_columns_are_matched_by_name(tmp_path):  # C152
    lake = shop(tmp_path)
    land_hours(lake, [0])
    lake.run()
    set_model(lake, HOURLY.replace("$window_start as hour, count(*) as orders, sum(amount) as amount",
                                    "sum(amount) * 7 as amount, count(*) as orders, $window_start as hour"))
    land_hours(lake, [1])
    lake.run()
    assert lake.query("select * from shop.orders_hourly order by hour") == [(hour_text(0), 3, 3), (hour_text(1), 3, 21)]
    assert lake.pyiceberg_rows("shop.orders_hourly") == lake.duckdb_rows("shop.orders_hourly")


def test_a_renamed_column_is_a_missing_one(tmp_path):  # C152
    lake = shop(tmp_path)
    land_hours(lake, [0])
    lake.run()
    before = lake.pyiceberg_rows("shop.orders_hourly")
    set_model(lake, HOURLY.replace("as orders,", "as number,"))
    land_hours(lake, [1])
    (failed,) = [unit for unit in lake.run(code=1)["units"] if unit["outcome"] == "failed"]
    assert "no longer gives column orders" in failed["error"]
    assert lake.pyiceberg_rows("shop.orders_hourly") == before, "no column `number` was added either"


def test_a_wider_type_is_refused_and_a_narrower_one_is_stored_in_the_wider_column(tmp_path):  # C152
    narrow = HOURLY.replace("count(*) as orders", "cast(count(*) as integer) as orders")
    for first, second in ((narrow, HOURLY), (HOURLY, narrow)):
        lake = shop(tmp_path / str(first is narrow), hourly=first)
        land_hours(lake, [0])
        lake.run()
        before = lake.pyiceberg_rows("shop.orders_hourly")
        schema = lake.table("shop.orders_hourly").schema()
        set_model(lake, second)
        land_hours(lake, [1])
        if first is narrow:
            (failed,) = [unit for unit in lake.run(code=1)["units"] if unit["outcome"] == "failed"]
            assert "gives column orders as long, its table has it as int" in failed["error"]
            assert lake.pyiceberg_rows("shop.orders_hourly") == before
        else:
            lake.run()
            assert lake.query("select hour, orders from shop.orders_hourly order by 1") == [(hour_text(0), 3), (hour_text(1), 3)]
        assert lake.table("shop.orders_hourly").schema() == schema
        assert lake.pyiceberg_rows("shop.orders_hourly") == lake.duckdb_rows("shop.orders_hourly")


# What a source delivers.

def declare(lake, old, new):
    (lake.project / "sources" / "orders.yml").write_text(ORDERS.replace("START", "2026-11-30T00Z").replace(old, new))


def test_a_column_declared_later_is_added_to_the_table_on_purpose(tmp_path):  # C152
    lake = shop(tmp_path, rolling=None)
    land_hours(lake, [0])
    lake.run()
    declare(lake, "  note:   {type: string}", "  note:   {type: string}\n  extra:  {type: long}")
    lake.land("orders", "2026-11-30-01", "p.jsonl", [order("x", "2026-11-30T01:00:00Z", extra=5)])
    (failed,) = lake.run(code=1)["units"]
    assert failed["error"] == "source orders has column extra, which its table shop.orders lacks: add it to the table first"
    assert lake.query("select count(*) from shop.orders") == [(3,)], "it is not published without the column"

    with lake.table("shop.orders").update_schema() as update:
        update.add_column("extra", LongType())
    lake.run()
    assert sorted(lake.query("select extra, count(*) from shop.orders group by extra"), key=str) == [(5, 1), (None, 3)]
    assert lake.pyiceberg_rows("shop.orders") == lake.duckdb_rows("shop.orders")
    assert lake.plan()["units"] == []


def parquet_hour(lake, hour, name="p.parquet", **more):
    at = pa.array([datetime.datetime(2026, 11, 30, hour, tzinfo=datetime.timezone.utc)], pa.timestamp("us", "UTC"))
    lake.land_table("orders", f"2026-11-30-{hour:02}", name, pa.table({"id": [f"{hour}-{name}"], "at": at} | more))


def test_a_parquet_column_that_is_gone_later_is_null_and_a_retyped_one_is_refused(tmp_path):  # C152
    lake = Lake.of_files(tmp_path, {"sources/orders.yml": ORDERS.replace("START", "2026-11-30T00Z").replace("jsonl", "parquet")})
    parquet_hour(lake, 0, amount=pa.array([1], pa.int32()), country=["DE"])
    lake.run()
    parquet_hour(lake, 1)
    lake.run()
    assert lake.query("select id, amount, country from shop.orders order by 1") == [("0-p.parquet", 1, "DE"), ("1-p.parquet", None, None)]
    parquet_hour(lake, 2, country=pa.array([49], pa.int64()))
    (failed,) = lake.run(code=1)["units"]
    assert "column country of" in failed["error"] and "2026-11-30-02/p.parquet" in failed["error"]
    assert lake.query("select count(*) from shop.orders") == [(2,)]


def parquet_hour(lake, hour, name="p.parquet", **more):
    at = pa.array([datetime.datetime(2026, 11, 30, hour, tzinfo=datetime.timezone.utc)], pa.timestamp("us", "UTC"))
    lake.land_table("orders", f"2026-11-30-{hour:02}", name, pa.table({"id": [f"{hour}-{name}"], "at": at} | more))


def said(lake, name):
    """Whether a run names the column, wherever: in its answer or on standard error."""
    result = lake.call("run")
    return name in result.out + result.err


def test_an_undeclared_column_in_a_later_file_is_never_dropped_in_silence(tmp_path):  # C152
    lake = Lake.of_files(tmp_path, {"sources/orders.yml": ORDERS.replace("START", "2026-11-30T00Z").replace("jsonl", "parquet")})
    parquet_hour(lake, 0)
    lake.run()
    parquet_hour(lake, 1, country=["DE"])
    assert said(lake, "country")


def test_an_undeclared_column_in_the_second_file_of_the_first_unit_is_not_dropped(tmp_path):  # C152
    lake = Lake.of_files(tmp_path, {"sources/orders.yml": ORDERS.replace("START", "2026-11-30T00Z").replace("jsonl", "parquet")})
    parquet_hour(lake, 0, "a.parquet")
    parquet_hour(lake, 0, "b.parquet", country=["DE"])
    assert said(lake, "country"), "another order of the same files would have given a column"


@pytest.mark.parametrize("first, second, value", [("int", "long", 2**40), ("long", "string", "abc"), ("long", "decimal(18,2)", "1.25"), ("long", "int", 1)])
def test_a_declared_type_that_is_not_the_tables_is_said(tmp_path, first, second, value):  # C152
    """The table's type decides, and rows that fit the declared one go to the quarantine as `not an int`."""
    typed = ORDERS.replace("amount: {type: long}", 'amount: {type: "TYPE"}')
    lake = shop(tmp_path, orders=typed.replace("TYPE", first), rolling=None, hourly=None)
    land_hours(lake, [0])
    lake.run()
    (lake.project / "sources" / "orders.yml").write_text(typed.replace("TYPE", second).replace("START", "2026-11-30T00Z"))
    lake.land("orders", "2026-11-30-01", "p.jsonl", [order("x", "2026-11-30T01:00:00Z", amount=value)])
    assert said(lake, "amount")


def test_a_declared_partition_that_is_not_the_tables_is_said(tmp_path):
    """Changing `partition:` of a table that exists does nothing, and nothing says so."""
    lake = shop(tmp_path, rolling=None, hourly=None)
    land_hours(lake, [0])
    lake.run()
    (lake.project / "sources" / "orders.yml").write_text(ORDERS.replace("START", "2026-11-30T00Z").replace("[hour(at)]", "[hour(at), note]"))
    land_hours(lake, [1])
    assert said(lake, "partition") or len(lake.table("shop.orders").spec().fields) == 2

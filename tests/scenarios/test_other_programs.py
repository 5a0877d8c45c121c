"""What other programs do to the tables between two runs: expiry, compaction, rewrites, appends."""
import sqlite3

import pyarrow as pa
import pytest

from lake import Lake
from shop import hour_text, land_hours, order, shop, windows


def expire_all_but_last(lake, name):
    table = lake.table(name)
    table.maintenance.expire_snapshots().by_ids(
        [snapshot.snapshot_id for snapshot in table.metadata.snapshots if snapshot.snapshot_id != table.current_snapshot().snapshot_id]).commit()
    assert len(lake.snapshots(name)) == 1


def rewrite(lake, name, overwrite_filter):
    """PyIceberg reads rows (bookkeeping columns too) and overwrites them with themselves."""
    from pyiceberg.expressions import AlwaysTrue
    table = lake.table(name)
    rows = table.scan(row_filter=overwrite_filter or AlwaysTrue()).to_arrow()
    table.overwrite(rows, overwrite_filter=overwrite_filter or AlwaysTrue())


@pytest.fixture(scope="module")
def ads_run(tmp_path_factory):
    lake = Lake.of_ads(tmp_path_factory.mktemp("ads"))
    lake.land_ads("--first-hour", "2026-11-30T05Z", "--hours", 3)
    lake.run()
    return lake


def test_expiring_all_snapshots_but_the_last_changes_no_plan(ads_run):  # C150
    for name in ads_run.tables():
        if ads_run.table(name).current_snapshot() is not None:
            expire_all_but_last(ads_run, name)
    assert ads_run.plan()["units"] == []
    assert ads_run.run()["units"] == []


def test_a_unit_of_duplicates_is_compared_again_after_expiry(tmp_path):
    lake = shop(tmp_path)
    land_hours(lake, [0, 1])
    lake.run()
    lake.land("orders", "2026-11-30-01", "again.jsonl", [order("2026-11-30-1-0", "2026-11-30T01:00:00Z")])
    lake.run()
    land_hours(lake, [2])
    lake.run()
    expire_all_but_last(lake, "shop.orders")
    assert windows(lake.plan(), "shop.orders") == [hour_text(1)]
    before = lake.snapshots("shop.orders")
    lake.run()
    assert lake.snapshots("shop.orders") == before, "it is compared, and nothing is written"
    assert lake.plan()["units"] == []


def test_a_compaction_changes_no_plan(tmp_path):
    lake = shop(tmp_path)
    land_hours(lake, range(4))
    lake.run()
    rows = lake.pyiceberg_rows("shop.orders")
    rewrite(lake, "shop.orders", None)
    lake.rename_foreign_operation("shop.orders", "replace")
    assert lake.plan()["units"] == []
    assert lake.run()["units"] == []
    assert lake.pyiceberg_rows("shop.orders") == rows
    lake.land("orders", "2026-11-30-04", "p.jsonl", [order("2026-11-30-3-0", "2026-11-30T03:00:00Z"), order("n", "2026-11-30T04:00:00Z")])
    report = lake.run()
    (ingest,) = [unit for unit in report["units"] if unit["table"] == "shop.orders"]
    assert (ingest["counts"]["rows_duplicate"], ingest["counts"]["rows_published"]) == (1, 1), "deduplicated against compacted files"


def test_an_overwrite_with_the_same_rows_restates_the_windows_it_touched_once(tmp_path):
    lake = shop(tmp_path)
    land_hours(lake, range(6))
    lake.run()
    before = lake.all_rows()
    rewrite(lake, "shop.orders", "at >= '2026-11-30T02:00:00+00:00' and at < '2026-11-30T03:00:00+00:00'")
    report = lake.run()
    assert windows(report, "shop.orders") == []
    assert windows(report, "shop.orders_hourly") == [hour_text(2)]
    assert windows(report, "shop.orders_rolling") == [hour_text(h) for h in (2, 3, 4, 5)]
    assert lake.all_rows() == before
    assert lake.run()["units"] == [], "once"


def test_a_model_table_changed_by_others_is_restated_and_named(tmp_path):
    lake = shop(tmp_path)
    land_hours(lake, range(3))
    lake.run()
    before = lake.pyiceberg_rows("shop.orders_hourly")
    lake.table("shop.orders_hourly").delete("hour = '2026-11-30T01:00:00+00:00'")
    foreign = lake.table("shop.orders_hourly").current_snapshot().snapshot_id
    plan = lake.plan()
    assert windows(plan, "shop.orders_hourly") == [hour_text(1)]
    report = lake.run()
    assert lake.pyiceberg_rows("shop.orders_hourly") == before
    assert lake.run()["units"] == []
    assert foreign != lake.table("shop.orders_hourly").current_snapshot().snapshot_id and report["units"]


def test_rows_appended_by_others_are_not_deduplicated_away(tmp_path):
    lake = shop(tmp_path)
    land_hours(lake, [0])
    lake.run()
    table = lake.table("shop.orders")
    rows = table.scan().to_arrow().slice(0, 1)
    foreign = rows.set_column(rows.schema.get_field_index("id"), rows.schema.field("id"), pa.array(["foreign"], rows.schema.field("id").type))
    for name in ("_strand_unit", "_strand_stamp", "_strand_seq"):
        foreign = foreign.set_column(foreign.schema.get_field_index(name), foreign.schema.field(name), pa.array([None], pa.int64()))
    table.append(foreign)
    report = lake.run()
    assert windows(report, "shop.orders_hourly") == [hour_text(0)]
    assert lake.query("select orders from shop.orders_hourly") == [(4,)]
    assert lake.run()["units"] == []


def test_a_view_in_the_catalog_is_no_table(tmp_path):  # C124
    lake = shop(tmp_path)
    land_hours(lake, [0])
    lake.run()
    with sqlite3.connect(lake.folder / "catalog.db") as database:
        database.execute("insert into iceberg_tables (catalog_name, table_namespace, table_name, metadata_location, iceberg_type) "
                         "values ('ads', 'shop', 'v', 'file:///nowhere', 'VIEW')")
    assert lake.fsck() == []
    assert lake.run()["units"] == []

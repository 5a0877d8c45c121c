"""The hour, end to end: what landed is in the tables once, and every reader agrees on it."""
import pytest

from lake import Lake

MODELS = ["advertiser_country", "advertiser", "attribution", "browser", "campaign_device", "campaign", "country", "creative",
          "device", "placement", "publisher", "reach"]
TABLES = sorted([f"ads.{name}_hourly" for name in MODELS] +
                ["ads.impressions", "ads.conversions", "ads.impressions__quarantine", "ads.conversions__quarantine"])


def assert_readers_agree(lake):
    """PyIceberg, DuckDB and we see the same rows, and the snapshot's total is their number."""
    for name in lake.tables():
        rows = lake.pyiceberg_rows(name)
        total = sum(rows.values())
        assert lake.duckdb_rows(name) == rows, name
        assert lake.query(f"select count(*) from {name}") == [(total,)], name
        snapshot = lake.table(name).current_snapshot()
        if snapshot is not None:
            recorded = int(snapshot.summary["total-records"]) - int(snapshot.summary["total-position-deletes"])
            assert recorded == total, name


def counts(report, table):
    return [unit["counts"] for unit in report["units"] if unit["table"] == table]


@pytest.fixture(scope="module")
def three_hours(tmp_path_factory):
    lake = Lake.of_ads(tmp_path_factory.mktemp("ads"))
    meta = lake.land_ads("--first-hour", "2026-11-30T05Z", "--hours", 3)
    return lake, meta, lake.run()


def test_fourteen_tables_and_their_quarantines_are_there(three_hours):
    lake, _, _ = three_hours
    assert lake.tables() == TABLES


def test_every_unit_is_published_and_nothing_waits(three_hours):
    _, _, report = three_hours
    assert {unit["outcome"] for unit in report["units"]} == {"published"}
    assert report["waiting"] == []


def test_rows_in_are_all_accounted_for(three_hours):
    _, _, report = three_hours
    for table in ("ads.impressions", "ads.conversions"):
        units = counts(report, table)
        assert len(units) == 3
        for unit in units:
            assert unit["rows_in"] > 0
            assert unit["rows_in"] == (unit["rows_published"] + unit["rows_duplicate"] + unit["rows_suppressed"] +
                                       unit["rows_quarantined"])


def test_each_event_is_published_once(three_hours):
    lake, _, _ = three_hours
    for table, key in (("ads.impressions", "impression_id"), ("ads.conversions", "conversion_id")):
        ((rows, keys, nulls),) = lake.query(
            f"select count(*), count(distinct {key}), count(*) filter (where {key} is null) from {table}")
        assert rows == keys and nulls == 0


def test_all_readers_see_the_same_rows(three_hours):
    lake, _, _ = three_hours
    assert_readers_agree(lake)


def test_the_tables_are_sound(three_hours):
    lake, _, _ = three_hours
    assert lake.fsck() == []


def test_sums_reconcile_with_their_source(three_hours):
    lake, _, _ = three_hours
    ((rows, cost),) = lake.query("select count(*), sum(cost_micros) from ads.impressions where event_time >= '2026-11-30 05:00:00+00'")
    for model in ("campaign", "advertiser", "creative", "placement", "publisher", "country", "device", "browser",
                  "advertiser_country", "campaign_device"):
        assert lake.query(f"select sum(impressions), sum(cost_micros) from ads.{model}_hourly") == [(rows, cost)], model


def test_running_twice_is_running_once(three_hours):
    lake, _, _ = three_hours
    before = {name: lake.snapshots(name) for name in lake.tables()}
    report = lake.run()
    assert report["units"] == []
    assert {name: lake.snapshots(name) for name in lake.tables()} == before
    assert lake.plan()["units"] == []


def test_pruning_and_filters_change_no_answer(three_hours):
    lake, _, _ = three_hours
    sql = ("select count(*), sum(cost_micros) from ads.impressions where event_time >= timestamptz '2026-11-30 06:00:00+00' "
           "and country = 'DE'")
    assert lake.query(sql) == lake.query(sql, "--no-prune")
    assert lake.query(sql)[0][0] > 0

"""Which windows run, and which wait: partitions of every shape, parts of a project, odd folders, older history."""
import shutil

import pyarrow as pa
import pytest

from lake import Lake
from shop import HOURLY, ORDERS, hour_text, land_hours, order, shop, windows

DAILY = """/* strandline
table: shop.orders_daily
window: day
time: day
*/
select $window_start as day, count(*) as orders
from shop.orders
"""


def counts(lake, table, column="hour"):
    return dict(lake.query(f"select {column}, orders from {table}"))


def assert_settled(lake):
    """Another run does nothing, and no window is there twice."""
    assert lake.plan()["units"] == []
    assert lake.run()["units"] == []


# Partitions that are not the window's.

@pytest.mark.parametrize("partition", ["day(seen)", "note", '"bucket(4, note)"', 'day(hour), "bucket(2, note)"', "month(hour)"])
def test_a_model_may_be_partitioned_by_anything(tmp_path, partition):
    model = HOURLY.replace("time: hour", f"time: hour\npartition: [{partition}]").replace(
        "select $window_start as hour, count(*) as orders",
        'select $window_start as hour, min("at") + interval 40 hours as seen, note, count(*) as orders').replace(", sum(amount) as amount", "") + "group by note"
    lake = shop(tmp_path, hourly=model, rolling=None)
    for hour in range(3):
        lake.land("orders", f"2026-11-30-{hour:02}", "p.jsonl",
                  [order(f"{hour}-{i}", f"2026-11-30T{hour:02}:{i:02}:00Z", note=f"n{i % 2}") for i in range(4)])
    lake.run()
    assert_settled(lake)
    lake.land("orders", "2026-11-30-01", "late.jsonl", [order("late", "2026-11-30T01:30:00Z", note="n0")])
    assert windows(lake.run(), "shop.orders_hourly") == [hour_text(1)]
    assert_settled(lake)
    assert sorted(lake.query("select hour, note, orders from shop.orders_hourly")) == [
        (hour_text(0), "n0", 2), (hour_text(0), "n1", 2), (hour_text(1), "n0", 3), (hour_text(1), "n1", 2),
        (hour_text(2), "n0", 2), (hour_text(2), "n1", 2)]
    assert lake.pyiceberg_rows("shop.orders_hourly") == lake.duckdb_rows("shop.orders_hourly")
    assert lake.fsck() == []


@pytest.mark.parametrize("window", ["cast($window_start as date)", "cast($window_start as timestamp)"])
def test_a_window_may_be_named_by_a_date_or_a_time_without_zone(tmp_path, window):
    lake = shop(tmp_path, hourly=DAILY.replace("$window_start as day", f"{window} as day"), rolling=None)
    land_hours(lake, range(24))
    lake.run()
    land_hours(lake, range(24), day="2026-12-01")
    lake.run()
    lake.land("orders", "2026-11-30-01", "late.jsonl", [order("late", "2026-11-30T01:30:00Z")])
    assert windows(lake.run(), "shop.orders_daily") == [hour_text(0)]
    assert_settled(lake)
    assert [orders for _, orders in lake.query("select day, orders from shop.orders_daily order by day")] == [73, 72]


def test_a_source_is_cut_by_its_event_time_however_it_is_partitioned(tmp_path):
    columns = ORDERS.replace("  note:   {type: string}", "  note:   {type: string}\n  created: {type: timestamptz}")
    lake = shop(tmp_path, orders=columns.replace("[hour(at)]", "[day(created), hour(at)]"), rolling=None)
    for hour in range(3):
        lake.land("orders", f"2026-11-30-{hour:02}", "p.jsonl",
                  [order(f"{hour}-{i}", f"2026-11-30T{hour:02}:{i:02}:00Z", created=f"2026-11-2{i}T12:00:00Z") for i in range(3)])
    lake.run()
    assert counts(lake, "shop.orders_hourly") == {hour_text(h): 3 for h in range(3)}
    lake.land("orders", "2026-11-30-02", "late.jsonl", [order("late", "2026-11-30T01:30:00Z", created="2026-11-30T12:00:00Z")])
    assert windows(lake.run(), "shop.orders_hourly") == [hour_text(1)]
    assert_settled(lake)


def test_an_input_may_be_cut_by_another_column_than_its_table_is_divided_by(tmp_path):
    columns = ORDERS.replace("  note:   {type: string}", "  note:   {type: string}\n  received: {type: timestamptz}")
    by_arrival = HOURLY.replace("time: hour\n", "time: hour\ninputs:\n  shop.orders: {time: received}\n")
    lake = shop(tmp_path, orders=columns, hourly=by_arrival, rolling=None)
    for hour in range(3):
        lake.land("orders", f"2026-11-30-{hour:02}", "p.jsonl",
                  [order(f"{hour}-{i}", f"2026-11-30T{hour:02}:{i:02}:00Z", received=f"2026-11-30T{hour:02}:30:00Z") for i in range(2)])
    lake.run()
    lake.land("orders", "2026-11-30-02", "late.jsonl", [order("late", "2026-11-30T00:10:00Z", received="2026-11-30T02:20:00Z")])
    lake.run()
    assert counts(lake, "shop.orders_hourly") == {hour_text(0): 2, hour_text(1): 2, hour_text(2): 3}
    assert_settled(lake)


def test_a_coarse_partition_has_one_version_whoever_asks(tmp_path):
    lake = shop(tmp_path, orders=ORDERS.replace("hour(at)", "day(at)"), rolling=None)
    for hour in range(4):
        land_hours(lake, [hour])
        lake.run()
    assert_settled(lake)
    for hour in range(4):
        interval = ["--start", hour_text(hour), "--end", hour_text(hour + 1)]
        assert lake.plan(*interval)["units"] == [], hour
    lake.land("orders", "2026-11-30-03", "late.jsonl", [order("late", "2026-11-30T00:10:00Z")])
    lake.run("--start", hour_text(3), "--end", hour_text(4))
    lake.run()
    assert_settled(lake)
    assert counts(lake, "shop.orders_hourly") == {hour_text(0): 4, hour_text(1): 3, hour_text(2): 3, hour_text(3): 3}


# Parts of a project, and of time.

def test_a_selected_model_waits_for_what_is_not_selected(tmp_path):
    lake = shop(tmp_path, rolling=None)
    land_hours(lake, [0])
    lake.run()
    land_hours(lake, [1])
    report = lake.run("--select", "orders_hourly", code=4)
    assert report["units"] == []
    assert [(w["table"], w["window"], w["reason"]) for w in report["waiting"]] == [
        ("shop.orders_hourly", hour_text(1), "shop.orders 2026-11-30T01:00Z is missing, and is not selected")]
    lake.run()
    assert counts(lake, "shop.orders_hourly") == {hour_text(0): 3, hour_text(1): 3}


def test_a_model_waits_for_a_model_that_is_not_selected(tmp_path):
    second = "/* strandline\ntable: shop.second\nwindow: hour\ntime: hour\n*/\nselect hour, orders from shop.orders_hourly\n"
    lake = shop(tmp_path, rolling=second)
    land_hours(lake, [0])
    lake.run()
    land_hours(lake, [1])
    lake.run("--select", "shop.orders")
    report = lake.run("--select", "shop.second", code=4)
    assert report["units"] == []
    lake.run()
    assert counts(lake, "shop.second") == {hour_text(0): 3, hour_text(1): 3}


def test_a_day_is_not_published_from_some_of_its_hours(tmp_path):
    lake = shop(tmp_path, hourly=DAILY, rolling=None)
    land_hours(lake, range(24))
    report = lake.run("--start", hour_text(5), "--end", hour_text(7), code=4)
    assert windows(report, "shop.orders") == [hour_text(5), hour_text(6)]
    assert [w["table"] for w in report["waiting"]] == ["shop.orders_daily"]
    assert "shop.orders_daily" not in lake.tables()
    lake.run()
    assert lake.query("select orders from shop.orders_daily") == [(72,)]
    assert_settled(lake)


def test_an_hour_waits_for_late_arrivals_also_when_asked_for_by_time(tmp_path):
    lake = shop(tmp_path, orders=ORDERS + "arrives_within: 1h\n", rolling=None)
    land_hours(lake, [0, 1])
    report = lake.run("--start", hour_text(0), "--end", hour_text(1), code=4)
    assert windows(report, "shop.orders") == [hour_text(0)] and windows(report, "shop.orders_hourly") == []
    assert windows(lake.run(), "shop.orders_hourly") == [hour_text(0)]


def test_what_was_asked_for_by_time_and_is_not_there_exits_4(tmp_path):
    lake = shop(tmp_path, rolling=None)
    land_hours(lake, [0])
    lake.run()
    lake.land("orders", "2026-11-30-01", "p.jsonl", [order("x", "2026-11-30T01:00:00Z")], marker=False)
    not_marked = lake.run("--select", "orders_hourly", "--start", hour_text(1), "--end", hour_text(2), code=4)
    assert "has no _SUCCESS yet" in not_marked["waiting"][0]["reason"]
    not_landed = lake.run("--select", "orders_hourly", "--start", hour_text(5), "--end", hour_text(6), code=4)
    assert not_landed["waiting"][0]["reason"] == \
        "shop.orders has landed up to 2026-11-30T02:00Z and is needed up to 2026-11-30T06:00Z"
    assert lake.run("--select", "shop.orders", "--start", hour_text(5), "--end", hour_text(6), code=4)["waiting"][0]["reason"] == "has not landed"


# Landing folders.

@pytest.mark.parametrize("folder", ["2031-11-30-05", "9999-12-31-23", "2126-11-30-00"])
def test_a_folder_far_in_the_future_is_named_and_left_out(tmp_path, folder):
    lake = shop(tmp_path)
    land_hours(lake, [0, 1])
    (tmp_path / "landing" / "orders" / folder).mkdir()
    report = lake.run(code=1)
    assert sorted(counts(lake, "shop.orders_hourly")) == [hour_text(0), hour_text(1)]
    (problem,) = report["problems"]
    assert folder[:4] in problem and "more than a year" in problem
    (tmp_path / "landing" / "orders" / folder).rmdir()
    assert_settled(lake)


def test_landed_files_may_be_cleared_away(tmp_path):
    overdue = ORDERS.replace("lateness: 72h", "lateness: 72h\nabsent: {error_after: 1h}")
    lake = shop(tmp_path, orders=overdue)
    land_hours(lake, range(4))
    lake.run()
    for hour in (0, 2):
        shutil.rmtree(tmp_path / "landing" / "orders" / f"2026-11-30-{hour:02}")
    assert lake.run()["problems"] == []
    lake.land("orders", "2026-11-30-03", "late.jsonl", [order("late", "2026-11-30T02:30:00Z")])
    assert windows(lake.run(), "shop.orders_hourly") == [hour_text(2)]
    shutil.rmtree(tmp_path / "landing" / "orders")
    (tmp_path / "landing" / "orders").mkdir()
    assert_settled(lake)
    assert sum(counts(lake, "shop.orders_hourly").values()) == 13


def test_an_empty_first_hour_does_not_decide_which_columns_there_are(tmp_path):
    parquet = """source: orders
table: shop.orders
path: ../landing/orders/{unit:%Y-%m-%d-%H}/*.parquet
format: parquet
unit: hour
start: 2026-11-30T00Z
complete: {marker: _SUCCESS}
time: at
partition: [hour(at)]
key: [id]
lateness: 72h
columns:
  id: {type: string, required: true}
  at: {type: timestamptz, required: true}
"""
    lake = Lake.of_files(tmp_path, {"sources/orders.yml": parquet})
    (tmp_path / "landing" / "orders" / "2026-11-30-00").mkdir(parents=True)
    (tmp_path / "landing" / "orders" / "2026-11-30-00" / "_SUCCESS").touch()
    lake.land_table("orders", "2026-11-30-01", "p.parquet", pa.table({
        "id": ["a"], "at": pa.array([1796007600_000_000 - 3600_000_000 * 2], pa.timestamp("us", "UTC")), "country": ["DE"]}))
    lake.run()
    assert lake.query("select id, country from shop.orders") == [("a", "DE")]


# Older history.

def short_lateness(tmp_path, lateness="1h", **changes):
    return shop(tmp_path, orders=ORDERS.replace("lateness: 72h", f"lateness: {lateness}"), rolling=None, **changes)


def test_units_before_the_horizon_are_not_looked_at(tmp_path):
    lake = short_lateness(tmp_path)
    land_hours(lake, range(10))
    lake.run()
    assert_settled(lake)
    lake.land("orders", "2026-11-30-02", "late.jsonl", [order("late", "2026-11-30T02:30:00Z")])
    assert lake.plan()["units"] == [], "older than the lateness of one hour"
    assert windows(lake.plan("--all"), "shop.orders") == [hour_text(2)]
    lake.run("--start", hour_text(2), "--end", hour_text(3))
    assert counts(lake, "shop.orders_hourly")[hour_text(2)] == 4


def test_empty_units_before_the_horizon_stay_done(tmp_path):
    lake = short_lateness(tmp_path, hourly=HOURLY.replace("from shop.orders\n", "from shop.orders having count(*) > 1\n"))
    for hour in range(8):
        land_hours(lake, [hour], per_hour=0 if hour % 2 else 2)
        lake.run()
        assert_settled(lake)
    kept = [key for key in lake.table("shop.orders_hourly").properties if key.startswith("strandline.empty.")]
    assert 1 <= len(kept) <= 2, kept


def test_catching_up_leaves_no_late_row_behind(tmp_path):
    """Ten hours land at once, each with a late row for the hour before: windows older than the newest unit's horizon are restated."""
    lake = short_lateness(tmp_path, "2h")
    land_hours(lake, [0])
    lake.run()
    for hour in range(1, 10):
        lake.land("orders", f"2026-11-30-{hour:02}", "p.jsonl",
                  [order(f"{hour}", f"2026-11-30T{hour:02}:10:00Z"), order(f"late-{hour}", f"2026-11-30T{hour - 1:02}:59:00Z")])
    lake.run()
    assert counts(lake, "shop.orders_hourly") == {hour_text(0): 4} | {hour_text(h): 2 for h in range(1, 9)} | {hour_text(9): 1}
    assert_settled(lake)


def test_rows_accepted_beyond_lateness_reach_their_windows(tmp_path):
    accepting = ORDERS.replace("lateness: 72h", "lateness: 1h\nbeyond_lateness: accept")
    lake = shop(tmp_path, orders=accepting, rolling=None)
    land_hours(lake, range(8))
    lake.run()
    lake.land("orders", "2026-11-30-07", "late.jsonl", [order("late", "2026-11-30T01:30:00Z")])
    assert windows(lake.run(), "shop.orders_hourly") == [hour_text(1)]
    assert counts(lake, "shop.orders_hourly")[hour_text(1)] == 4
    assert_settled(lake)


# Tables that somebody else made or broke.

def test_a_table_that_another_program_made_is_refused_by_name(tmp_path):
    lake = shop(tmp_path, rolling=None)
    land_hours(lake, [0])
    lake.run("--select", "shop.orders")
    lake.catalog().create_table("shop.orders_hourly", pa.schema([("hour", pa.timestamp("us", "UTC")), ("orders", pa.int64()), ("amount", pa.int64())]))
    report = lake.run(code=1)
    assert any("shop.orders_hourly lacks bookkeeping columns" in problem for problem in report["problems"])
    assert lake.table("shop.orders_hourly").current_snapshot() is None


def test_dropping_a_bookkeeping_column_is_noticed(tmp_path):
    lake = shop(tmp_path)
    land_hours(lake, [0])
    lake.run()
    with lake.table("shop.orders_hourly").update_schema() as update:
        update.delete_column("_strand_unit")
    land_hours(lake, [1])
    report = lake.run(code=1)
    assert any("shop.orders_hourly lacks bookkeeping columns" in problem for problem in report["problems"])
    assert sorted(counts(lake, "shop.orders_rolling")) == [hour_text(0), hour_text(1)], "other tables go on"
    assert sorted(counts(lake, "shop.orders_hourly")) == [hour_text(0)]


def test_one_damaged_table_does_not_stop_the_others(tmp_path):
    lake = shop(tmp_path)
    land_hours(lake, [0])
    lake.run()
    manifest_list = lake.table("shop.orders_hourly").current_snapshot().manifest_list.removeprefix("file://")
    with open(manifest_list, "r+b") as file:
        file.write(b"broken!!")
    land_hours(lake, [1])
    report = lake.run(code=1)
    (problem,) = report["problems"]
    assert "shop.orders_hourly" in problem and manifest_list in problem
    assert sorted(counts(lake, "shop.orders_rolling")) == [hour_text(0), hour_text(1)]


@pytest.mark.parametrize("partition", ["[day(hour)]", '[hour(hour), "bucket(4, orders)"]'])
def test_a_row_of_others_beside_an_empty_window_restates_it_once(tmp_path, partition):  # Rule 9
    sparse = HOURLY.replace("time: hour\n", f"time: hour\npartition: {partition}\n").replace("from shop.orders\n", "from shop.orders having count(*) > 2\n")
    lake = shop(tmp_path, hourly=sparse, rolling=None)
    land_hours(lake, [0, 1], per_hour=3)
    land_hours(lake, [2], per_hour=1)
    lake.run()
    table = lake.table("shop.orders_hourly")
    row = {"hour": [1796004000_000_000], "orders": [99], "amount": [1]}
    table.append(pa.table(row, schema=pa.schema([("hour", pa.timestamp("us", "UTC")), ("orders", pa.int64()), ("amount", pa.int64())])).cast(
        pa.schema([table.schema().as_arrow().field(name) for name in row])))
    report = lake.run()
    assert hour_text(2) in windows(report, "shop.orders_hourly")
    assert all(windows(report, "shop.orders_hourly").count(window) == 1 for window in windows(report, "shop.orders_hourly"))
    assert_settled(lake)


def test_a_bucket_of_a_window_that_others_delete_is_written_again(tmp_path):  # Rule 9
    model = HOURLY.replace("time: hour\n", "time: hour\npartition: [hour(hour), note]\n").replace("as hour,", "as hour, note,") + "group by note"
    lake = shop(tmp_path, hourly=model, rolling=None)
    for hour in range(2):
        lake.land("orders", f"2026-11-30-{hour:02}", "p.jsonl",
                  [order(f"{hour}-{i}", f"2026-11-30T{hour:02}:{i:02}:00Z", note=f"n{i % 2}") for i in range(4)])
    lake.run()
    lake.table("shop.orders_hourly").delete("note = 'n1' and hour = '2026-11-30T01:00:00+00:00'")
    assert windows(lake.run(), "shop.orders_hourly") == [hour_text(1)]
    assert len(lake.query("select hour from shop.orders_hourly")) == 4
    assert_settled(lake)


# Code that is older than what is deployed.

def test_code_older_than_the_deployed_one_is_refused(tmp_path):  # Rule 8
    lake = shop(tmp_path, rolling=None)
    land_hours(lake, [0, 1])
    lake.run()
    model = lake.project / "models" / "orders_hourly.sql"
    old = model.read_text()
    model.write_text(old.replace("sum(amount)", "sum(amount) * 2"))
    assert lake.call("deploy", "--from", hour_text(1)).code == 0
    lake.run()
    model.write_text(old)
    lake.land("orders", "2026-11-30-01", "late.jsonl", [order("late", "2026-11-30T01:30:00Z")])
    report = lake.run(code=3)
    assert windows(report, "shop.orders_hourly") == []
    model.write_text(old.replace("sum(amount)", "sum(amount) * 2"))
    assert windows(lake.run(), "shop.orders_hourly") == [hour_text(1)]
    assert_settled(lake)
    assert lake.query("select amount from shop.orders_hourly order by hour") == [(3,), (8,)]


# Other kinds of input.

def test_a_model_over_a_quarantine_runs_with_the_first_run(tmp_path):
    rejects = """/* strandline
table: shop.rejects_hourly
window: hour
time: hour
*/
select $window_start as hour, (select count(*) from shop.orders__quarantine) as orders
from shop.orders group by all
"""
    lake = shop(tmp_path, rolling=rejects)
    lake.land("orders", "2026-11-30-00", "p.jsonl", b'{"id": "a", "at": "2026-11-30T00:10:00Z"}\nbroken\n')
    lake.run()
    assert counts(lake, "shop.rejects_hourly") == {hour_text(0): 1}


def test_restated_inputs_are_written_first_and_read_whole(tmp_path):
    totals = """/* strandline
table: shop.totals
window: hour
time: hour
inputs:
  shop.orders_hourly: {as_of: restate}
*/
select $window_start as hour, (select sum(orders) from shop.orders_hourly) as orders
from shop.orders group by all
"""
    lake = shop(tmp_path, rolling=totals)
    land_hours(lake, [0, 1])
    report = lake.run()
    assert windows(report, "shop.totals") == [hour_text(0), hour_text(1)], "once each, after what they read"
    assert counts(lake, "shop.totals") == {hour_text(0): 6, hour_text(1): 6}
    assert lake.plan("--start", hour_text(1), "--end", hour_text(2))["units"] == []
    land_hours(lake, [2])
    assert windows(lake.run(), "shop.totals") == [hour_text(0), hour_text(1), hour_text(2)]
    assert_settled(lake)


def test_the_latest_state_of_an_input_is_read_and_noted_but_makes_nothing_stale(tmp_path):
    priced = """/* strandline
table: shop.priced
window: hour
time: hour
inputs:
  shop.prices: {as_of: latest}
*/
select $window_start as hour, count(*) * (select max(price) from shop.prices) as orders
from shop.orders
"""
    lake = shop(tmp_path, rolling=priced)
    land_hours(lake, [0])
    lake.run("--select", "shop.orders")
    schema = pa.schema([("price", pa.int64())])
    prices = lake.catalog().create_table("shop.prices", schema)
    prices.append(pa.table({"price": [10]}, schema=schema))
    lake.run()
    assert counts(lake, "shop.priced") == {hour_text(0): 30}
    noted = lake.table("shop.priced").current_snapshot().summary["strandline.inputs"]
    assert str(lake.table("shop.prices").current_snapshot().snapshot_id) in noted
    lake.table("shop.prices").append(pa.table({"price": [20]}, schema=schema))
    assert_settled(lake)
    land_hours(lake, [1])
    lake.run()
    assert counts(lake, "shop.priced") == {hour_text(0): 30, hour_text(1): 60}


def test_a_model_without_any_input_by_time_is_refused(tmp_path):
    timeless = "/* strandline\ntable: shop.timeless\nwindow: hour\ntime: hour\ninputs:\n  shop.orders: {as_of: latest}\n*/\n" \
               "select $window_start as hour, count(*) as orders from shop.orders\n"
    lake = shop(tmp_path, rolling=timeless)
    result = lake.call("validate")
    assert result.code == 64 and "models/orders_rolling.sql" in result.out and "by time" in result.out, result


def test_files_that_the_path_does_not_match_are_named_and_not_published_as_an_empty_hour(tmp_path):
    lake = shop(tmp_path, rolling=None)
    land_hours(lake, [0])
    lake.land("orders", "2026-11-30-01", "part-0.json", [order("x", "2026-11-30T01:00:00Z")])
    report = lake.run(code=1)
    assert windows(report, "shop.orders") == [hour_text(0)]
    (problem,) = report["problems"]
    assert "2026-11-30-01 has 1 file, and none matches *.jsonl" in problem
    (tmp_path / "landing" / "orders" / "2026-11-30-01" / "part-0.json").rename(tmp_path / "landing" / "orders" / "2026-11-30-01" / "part-0.jsonl")
    lake.run()
    assert counts(lake, "shop.orders_hourly") == {hour_text(0): 3, hour_text(1): 1}


def test_a_place_where_nothing_landed_is_named(tmp_path):
    lake = shop(tmp_path, rolling=None)
    (waiting,) = lake.plan()["waiting"]
    assert "nothing has landed in" in waiting["reason"] and waiting["reason"].endswith("/landing/orders")


def test_code_in_force_for_some_windows_can_be_asked_to_restate_all(tmp_path):  # Rule 8
    lake = shop(tmp_path, rolling=None)
    land_hours(lake, [0, 1])
    lake.run()
    model = lake.project / "models" / "orders_hourly.sql"
    model.write_text(model.read_text().replace("sum(amount)", "sum(amount) * 2"))
    assert lake.call("deploy", "--on-change", "forward").code == 0
    assert lake.run()["units"] == []
    assert lake.call("deploy", "--on-change", "restate").code == 0
    assert windows(lake.run(), "shop.orders_hourly") == [hour_text(0), hour_text(1)]
    assert "Nothing to deploy" in lake.call("deploy", "--on-change", "restate").out

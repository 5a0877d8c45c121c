"""Hours, gaps, boundaries, late files: which windows run, and that each row is in exactly one."""
import json

from shop import HOURLY, ORDERS, hour_text, land_hours, order, shop, windows


def hourly(lake):
    return {row[0]: row[1:] for row in lake.query("select hour, orders, amount from shop.orders_hourly")}


def test_a_gap_is_listed_and_healed_when_it_lands(tmp_path):  # C135
    lake = shop(tmp_path)
    land_hours(lake, [0, 1, 2])
    lake.run()
    land_hours(lake, [6])
    plan = lake.plan()
    assert [(w["window"], w["reason"]) for w in plan["waiting"]] == [(hour_text(h), "has not landed") for h in (3, 4, 5)]
    lake.run()
    land_hours(lake, [3, 4, 5])
    assert windows(lake.plan(), "shop.orders") == [hour_text(h) for h in (3, 4, 5)]
    lake.run()
    assert sorted(hourly(lake)) == [hour_text(h) for h in range(7)]
    assert lake.plan()["units"] == []


def test_a_window_whose_query_fails_leaves_the_old_rows(tmp_path):  # C137
    failing = HOURLY.replace("sum(amount) as amount", "sum(case when note = 'boom' then cast(note as bigint) else amount end) as amount")
    lake = shop(tmp_path, hourly=failing)
    land_hours(lake, [4])
    lake.run()
    before = hourly(lake)
    lake.land("orders", "2026-11-30-04", "part-1.jsonl", [order("x", "2026-11-30T04:30:00Z", note="boom")])
    report = lake.run(code=1)
    failed = [unit for unit in report["units"] if unit["outcome"] == "failed"]
    assert [unit["table"] for unit in failed] == ["shop.orders_hourly"] and "boom" in failed[0]["error"]
    assert hourly(lake) == before
    assert lake.query("select orders from shop.orders_rolling order by 1 desc limit 1") == [(4,)], "others are not held up"


def test_rows_on_a_boundary_are_in_exactly_one_window(tmp_path):  # C138
    lake = shop(tmp_path, start="2026-10-31T22Z")
    times = ["2026-10-31T22:00:00.000000Z", "2026-10-31T22:59:59.999999Z", "2026-10-31T23:00:00Z", "2026-10-31T23:59:59.999999Z",
             "2026-11-01T00:00:00.000000Z"]
    lake.land("orders", "2026-10-31-22", "p.jsonl", [order(i, at) for i, at in enumerate(times[:2])])
    lake.land("orders", "2026-10-31-23", "p.jsonl", [order(i + 2, at) for i, at in enumerate(times[2:4])])
    lake.land("orders", "2026-11-01-00", "p.jsonl", [order(9, times[4])])
    lake.run()
    assert {hour: row[0] for hour, row in hourly(lake).items()} == {
        "2026-10-31T22:00Z": 2, "2026-10-31T23:00Z": 2, "2026-11-01T00:00Z": 1}
    partitions = lake.query("select partition, record_count from shop.orders.partitions order by 1")
    assert [row[1] for row in partitions] == [2, 2, 1]


def test_all_models_of_a_run_read_the_same_snapshot(tmp_path):  # C140
    lake = shop(tmp_path)
    land_hours(lake, [0, 1])
    lake.run()
    read = set()
    for table in ("shop.orders_hourly", "shop.orders_rolling"):
        summary = lake.table(table).current_snapshot().summary
        read.add(json.loads(summary["strandline.inputs"])[0]["snapshot"])
    assert len(read) == 1


def test_a_given_now_decides_grace_periods_everywhere(tmp_path):  # C142
    grace = ORDERS.replace("{marker: _SUCCESS}", "{grace: 20m}")
    lake = shop(tmp_path, orders=grace)
    lake.land("orders", "2026-11-30-00", "p.jsonl", [order(1, "2026-11-30T00:10:00Z")], marker=False)
    assert lake.plan("--now", "2026-11-30T01:19Z")["units"] == []
    early = lake.call("run", "--now", "2026-11-30T01:19Z", "--output", "json")
    assert early.json["units"] == []
    plan = lake.plan("--now", "2026-11-30T01:20Z")
    assert windows(plan, "shop.orders") == [hour_text(0)]
    assert plan == lake.plan("--now", "2026-11-30T01:20Z"), "the same lake and time give the same plan"


def test_a_retried_run_loads_nothing_twice(tmp_path):  # C148
    lake = shop(tmp_path)
    land_hours(lake, [0, 1])
    environment = {"STRANDLINE_TEST_POINTS": str(tmp_path / "points"), "STRANDLINE_TEST_PAUSE_AT": "committed, before the answer"}
    process = lake.start("run", environment=environment)
    while "committed" not in ((tmp_path / "points").read_text() if (tmp_path / "points").exists() else ""):
        assert process.poll() is None, process.communicate()
    process.kill()
    process.wait()
    for _ in range(3):
        lake.run()
    assert lake.query("select count(*), count(distinct id) from shop.orders") == [(6, 6)]
    assert {row[0] for row in hourly(lake).values()} == {3}


def test_moving_the_start_back_plans_only_the_new_windows(tmp_path):  # C151
    lake = shop(tmp_path)
    land_hours(lake, [0, 1])
    land_hours(lake, [22, 23], day="2026-11-29")
    lake.run()
    (lake.project / "sources" / "orders.yml").write_text(ORDERS.replace("START", "2026-11-29T22Z"))
    plan = lake.plan()
    assert windows(plan, "shop.orders") == [hour_text(h, "2026-11-29") for h in (22, 23)]
    assert windows(plan, "shop.orders_hourly") == [hour_text(h, "2026-11-29") for h in (22, 23)]
    lake.run()
    assert len(hourly(lake)) == 4


def test_a_late_file_restates_exactly_what_it_touches(tmp_path):
    lake = shop(tmp_path)
    land_hours(lake, range(8))
    lake.run()
    lake.land("orders", "2026-11-30-06", "late.jsonl", [order("late", "2026-11-30T03:30:00Z", amount=10)])
    report = lake.run()
    assert windows(report, "shop.orders") == [hour_text(6)]
    assert windows(report, "shop.orders_hourly") == [hour_text(3)]
    assert windows(report, "shop.orders_rolling") == [hour_text(h) for h in (3, 4, 5, 6)], "what looks back at it, too"
    (ingest,) = [unit for unit in report["units"] if unit["table"] == "shop.orders"]
    assert ingest["counts"]["rows_in"] == 1, "files read before are not read again"
    assert hourly(lake)[hour_text(3)] == (4, 13)
    assert lake.run()["units"] == []


def test_a_late_file_of_duplicates_changes_nothing_but_is_remembered(tmp_path):
    lake = shop(tmp_path)
    land_hours(lake, [0, 1])
    lake.run()
    before = lake.snapshots("shop.orders")
    lake.land("orders", "2026-11-30-01", "again.jsonl", [order("2026-11-30-1-0", "2026-11-30T01:00:00Z")])
    report = lake.run()
    assert [unit["counts"]["rows_duplicate"] for unit in report["units"]] == [1]
    assert lake.snapshots("shop.orders") == before
    assert lake.plan()["units"] == []


def test_an_hour_that_is_empty_stays_done(tmp_path):
    lake = shop(tmp_path)
    land_hours(lake, [0])
    lake.land("orders", "2026-11-30-01", "p.jsonl", b"")
    lake.run()
    assert lake.plan()["units"] == []
    assert hourly(lake)[hour_text(1)] == (0, None)


def test_times_before_1970_find_their_hour(tmp_path):  # C057
    lake = shop(tmp_path, start="1969-12-31T23Z")
    lake.land("orders", "1969-12-31-23", "p.jsonl", [order(1, "1969-12-31T23:30:00Z"), order(2, "1969-12-31T23:59:59.999999Z")])
    lake.land("orders", "1970-01-01-00", "p.jsonl", [order(3, "1970-01-01T00:00:00Z")])
    lake.run()
    assert {hour: row[0] for hour, row in hourly(lake).items()} == {"1969-12-31T23:00Z": 2, "1970-01-01T00:00Z": 1}
    assert lake.query("select count(*) from shop.orders where \"at\" < timestamptz '1970-01-01 00:00:00+00'") == [(2,)]


def test_rows_beyond_lateness_go_to_the_quarantine(tmp_path):
    lake = shop(tmp_path, orders=ORDERS.replace("lateness: 72h", "lateness: 2h"))
    land_hours(lake, range(4))
    lake.run()
    lake.land("orders", "2026-11-30-03", "old.jsonl", [order("old", "2026-11-30T01:59:59.999999Z"), order("ok", "2026-11-30T02:00:00Z")])
    report = lake.run()
    counts = [unit["counts"] for unit in report["units"] if unit["table"] == "shop.orders"]
    assert [(c["rows_published"], c["rows_quarantined"]) for c in counts] == [(1, 1)]
    ((reason,),) = lake.query("select reason from shop.orders__quarantine")
    assert "late" in reason


BUSY = """/* strandline
table: shop.busy_hours
window: hour
time: hour
partition: [day(hour)]
*/
select $window_start as hour, count(*) as orders from shop.orders having count(*) < 4
"""

AROUND = """/* strandline
table: shop.around
window: hour
time: hour
inputs:
  shop.busy_hours: {lookback: 1h}
*/
select $window_start as hour, sum(orders) as orders from shop.busy_hours having count(*) > 0
"""


def test_a_window_that_becomes_empty_inside_a_day_reaches_its_dependants(tmp_path):  # Rule 4
    lake = shop(tmp_path, hourly=BUSY, rolling=AROUND)
    land_hours(lake, [0, 1, 2])
    lake.run()
    totals = "select hour, orders from shop.around order by 1"
    assert lake.query(totals) == [(hour_text(0), 3), (hour_text(1), 6), (hour_text(2), 6)]
    before = lake.query("select hour, orders, _strand_stamp, _strand_unit from shop.busy_hours where hour <> timestamptz '2026-11-30 01:00:00Z' order by 1")
    lake.land("orders", "2026-11-30-01", "part-1.jsonl", [order("late", "2026-11-30T01:30:00Z")])

    report = lake.run()
    assert windows(report, "shop.busy_hours") == [hour_text(1)]
    assert lake.query(totals) == [(hour_text(0), 3), (hour_text(1), 3), (hour_text(2), 3)]
    assert lake.plan()["units"] == [], "the row that was written again is as fresh as it was"
    assert lake.query("select hour, orders, _strand_stamp, _strand_unit from shop.busy_hours order by 1") == before
    table = lake.table("shop.busy_hours")
    assert lake.pyiceberg_rows("shop.busy_hours") == lake.duckdb_rows("shop.busy_hours")
    assert table.current_snapshot().summary["total-records"] == "3", "two rows, and one of them again"
    assert lake.fsck() == []

    # All of the day goes: nothing survives that could be written again, and nothing has to.
    for hour in (0, 2):
        lake.land("orders", f"2026-11-30-{hour:02}", "part-1.jsonl", [order(f"late-{hour}", f"2026-11-30T{hour:02}:30:00Z")])
    lake.run()
    assert lake.query("select count(*) from shop.busy_hours") == [(0,)]
    assert lake.query(totals) == []
    assert lake.plan()["units"] == []

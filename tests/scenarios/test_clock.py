"""One clock and one view of the lake for a run: `--now` decides everywhere, and inputs do not change under a window."""
import json
import os

from lake import hour
from shop import HOURLY, ORDERS, hour_text, land_hours, order, shop, windows

MODELS = ("shop.orders_hourly", "shop.orders_rolling")


def versions(lake, table, window):
    """Of each version of a window, oldest first: the snapshot of orders that it was computed from."""
    summaries = [snapshot.summary for snapshot in lake.table(table).metadata.snapshots]
    return [json.loads(summary["strandline.inputs"])[0]["snapshot"] for summary in summaries
            if json.loads(summary["strandline.units"])[0]["unit"] == window]


def timestamps(lake, table):
    return [snapshot.timestamp_ms for snapshot in lake.table(table).metadata.snapshots]


def test_models_of_a_window_read_one_snapshot_while_another_process_ingests(tmp_path):  # C140
    lake = shop(tmp_path)
    land_hours(lake, [0, 1])
    lake.run("--select", "shop.orders")
    first = str(lake.table("shop.orders").current_snapshot().snapshot_id)
    # Nobody reads the pipe between two looks at it, so the process waits at its next point.
    points = tmp_path / "points"
    os.mkfifo(points)
    process = lake.start("run", environment={"STRANDLINE_TEST_POINTS": str(points)})
    while "in a data file" not in points.read_text(encoding="utf-8"):
        assert process.poll() is None, process.communicate()
    lake.land("orders", "2026-11-30-01", "late.jsonl", [order("late", "2026-11-30T00:30:00Z")])
    assert windows(lake.run("--select", "shop.orders"), "shop.orders") == [hour_text(1)]
    second = str(lake.table("shop.orders").current_snapshot().snapshot_id)
    going_on = os.open(points, os.O_RDWR)
    out, err = process.communicate(timeout=60)
    os.close(going_on)
    assert process.returncode == 0, out + err

    for table in MODELS:
        assert versions(lake, table, hour_text(0)) == [first, second], "as it was planned, then restated"
        assert versions(lake, table, hour_text(1)) in ([second], [first, second])
    assert versions(lake, MODELS[0], hour_text(1))[0] == versions(lake, MODELS[1], hour_text(1))[0]
    assert lake.query("select orders from shop.orders_hourly order by hour") == [(4,), (3,)]
    assert lake.plan()["units"] == [] and lake.fsck() == []


def test_a_past_now_publishes_and_no_timestamp_goes_back(tmp_path):  # C142
    lake = shop(tmp_path)
    land_hours(lake, range(3))
    lake.run("--now", "2026-11-30T12:00Z")
    noon = hour("2026-11-30T12Z").timestamp() * 1000
    land_hours(lake, [3])
    report = lake.run("--now", "2026-11-30T04:10Z")
    assert windows(report, "shop.orders_hourly") == [hour_text(3)]
    for table in ("shop.orders", *MODELS):
        times = timestamps(lake, table)
        assert times == sorted(set(times)) and times[-1] < noon + 1000, "a millisecond after the last, not the wall clock"
        assert times[0] >= noon
        metadata = lake.table(table).metadata
        assert [entry.timestamp_ms for entry in metadata.snapshot_log] == times
        assert metadata.last_updated_ms >= times[-1]
        logged = [entry.timestamp_ms for entry in metadata.metadata_log]
        assert logged == sorted(logged)
    assert lake.duckdb_rows("shop.orders") == lake.pyiceberg_rows("shop.orders")
    assert lake.fsck() == []


def test_status_and_explain_are_asked_as_of_a_time(tmp_path):  # C142
    grace = ORDERS.replace("{marker: _SUCCESS}", "{grace: 20m}")
    lake = shop(tmp_path, orders=grace)
    lake.land("orders", "2026-11-30-00", "p.jsonl", [order(1, "2026-11-30T00:10:00Z")], marker=False)
    states = {}
    for now in ("2026-11-30T01:19:59Z", "2026-11-30T01:20Z"):
        status = lake.call("status", "--output", "json", "--now", now)
        explain = lake.call("explain", "shop.orders", hour_text(0), "--output", "json", "--now", now)
        assert status.code == explain.code == 0, (status, explain)
        (orders,) = [table for table in status.json["tables"] if table["table"] == "shop.orders"]
        assert orders["windows"][hour_text(0)]["state"] == explain.json["state"]
        states[now] = explain.json["state"]
    assert list(states.values()) == ["waiting", "missing"]
    assert lake.call("status", "--now", "yesterday").code == 64


def test_an_absent_unit_counts_as_empty_from_its_time_on(tmp_path):  # C142
    lake = shop(tmp_path, orders=ORDERS + "absent: {empty_after: 1h}\n")
    land_hours(lake, [0, 2])
    early = lake.plan("--now", "2026-11-30T02:59:59Z")
    assert [(w["window"], w["reason"]) for w in early["waiting"]] == [
        (hour_text(1), "has not landed; counts as empty from 2026-11-30T03:00Z on")]
    assert windows(early, "shop.orders") == [hour_text(0), hour_text(2)]
    assert windows(lake.plan("--now", "2026-11-30T03:00Z"), "shop.orders") == [hour_text(h) for h in range(3)]
    lake.run("--now", "2026-11-30T02:59:59Z")
    assert [start for start, in lake.query("select hour from shop.orders_hourly order by 1")] == [hour_text(0), hour_text(2)]
    lake.run("--now", "2026-11-30T03:00Z")
    assert lake.query("select orders from shop.orders_hourly order by hour") == [(3,), (0,), (3,)]
    assert lake.plan("--now", "2026-11-30T02:00Z")["units"] == [], "what was taken for empty stays done"


def test_an_absent_unit_is_an_error_from_its_time_on(tmp_path):  # C142
    lake = shop(tmp_path, orders=ORDERS + "absent: {error_after: 1h}\n")
    land_hours(lake, [0, 2])
    assert lake.run("--now", "2026-11-30T02:59:59Z")["problems"] == []
    due = "source orders: unit 2026-11-30T01:00Z has not landed, and was due at 2026-11-30T03:00Z"
    assert lake.run("--now", "2026-11-30T03:00Z", code=1)["problems"] == [due]
    assert lake.plan("--now", "2026-11-30T03:00Z", code=1)["problems"] == [due]
    land_hours(lake, [1])
    assert lake.run("--now", "2026-11-30T03:00Z")["problems"] == []


def test_models_take_no_clock_but_their_window(tmp_path):  # C142
    for clock in ("now()", "current_timestamp", "today()"):
        lake = shop(tmp_path / clock.strip("()"), hourly=HOURLY.replace("count(*) as orders", f"{clock} as at_run, count(*) as orders"))
        result = lake.call("validate")
        assert result.code == 64 and "$window" in result.out, result

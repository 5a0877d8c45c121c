"""What happens when a model's SELECT or its logic changes between two runs."""
from shop import HOURLY, ORDERS, hour_text, land_hours, order, shop, windows


def set_hourly(lake, text):
    (lake.project / "models" / "orders_hourly.sql").write_text(text)


def deploy(lake, *arguments):
    result = lake.call("deploy", *arguments)
    assert result.code == 0, result
    return result.out


def test_a_changed_model_is_refused_until_it_is_deployed(tmp_path):
    lake = shop(tmp_path)
    land_hours(lake, [0])
    lake.run()
    set_hourly(lake, HOURLY.replace("count(*) as orders", "count(*) * 10 as orders"))
    assert lake.plan()["units"] == [], "what is fresh under the deployed logic stays"
    land_hours(lake, [1])
    report = lake.run(code=3)
    assert windows(report, "shop.orders_rolling") == [hour_text(1)]
    assert [unit["table"] for unit in report["refused"]] == ["shop.orders_hourly"]
    deploy(lake, "--on-change", "forward")
    lake.run()
    assert lake.query("select hour, orders from shop.orders_hourly order by 1") == [(hour_text(0), 3), (hour_text(1), 30)]
    assert lake.plan()["units"] == []


def test_restate_recomputes_every_window(tmp_path):
    lake = shop(tmp_path)
    land_hours(lake, [0, 1])
    lake.run()
    set_hourly(lake, HOURLY.replace("count(*) as orders", "count(*) * 10 as orders"))
    deploy(lake, "--select", "orders_hourly", "--on-change", "restate")
    report = lake.run()
    assert {unit["was"] for unit in report["units"]} == {"stale: logic"}
    assert lake.query("select orders from shop.orders_hourly") == [(30,), (30,)]
    assert lake.plan()["units"] == []


def test_from_a_date_keeps_what_is_older(tmp_path):
    lake = shop(tmp_path)
    land_hours(lake, [0, 1, 2])
    lake.run()
    set_hourly(lake, HOURLY.replace("count(*) as orders", "count(*) * 10 as orders"))
    deploy(lake, "--from", "2026-11-30T01Z")
    report = lake.run()
    assert windows(report, "shop.orders_hourly") == [hour_text(1), hour_text(2)]
    assert lake.query("select orders from shop.orders_hourly order by hour") == [(3,), (30,), (30,)]


def land_whole_hours(lake, hours):
    """Two orders an hour, at both of its ends."""
    for hour in hours:
        rows = [order(f"{hour}-first", f"{hour_text(hour)[:-1]}:00Z"), order(f"{hour}-last", f"{hour_text(hour)[:-3]}59:59.999999Z")]
        lake.land("orders", f"2026-11-30-{hour:02}", "part-0.jsonl", rows)


LAST = HOURLY.replace("$window_start as hour", 'max("at") as hour')
TENFOLD = LAST.replace("count(*) as orders", "count(*) * 10 as orders")


def test_forward_begins_after_windows_that_were_published_empty(tmp_path):
    only_even = HOURLY.replace("from shop.orders", "from shop.orders where hour(\"at\") % 2 = 0 having count(*) > 0")
    lake = shop(tmp_path, hourly=only_even, rolling=None)
    land_hours(lake, [0, 1])
    lake.run()
    assert lake.query("select count(*) from shop.orders_hourly") == [(1,)]
    set_hourly(lake, only_even.replace("count(*) as orders", "count(*) * 10 as orders"))
    assert f"windows from {hour_text(2)} on" in deploy(lake, "--on-change", "forward")
    assert lake.run()["units"] == [], "the empty window is published"


def test_forward_knows_what_is_published_before_the_horizon(tmp_path):
    """The newest hours have landed and not been computed; everything published is older than the plan looks."""
    lake = shop(tmp_path, orders=ORDERS.replace("lateness: 72h", "lateness: 1h"), hourly=LAST, rolling=None)
    land_whole_hours(lake, [0, 1, 2])
    lake.run()
    set_hourly(lake, TENFOLD)
    land_whole_hours(lake, [3, 4])
    lake.run("--select", "orders")
    assert f"windows from {hour_text(3)} on" in deploy(lake, "--on-change", "forward")
    assert windows(lake.run(), "shop.orders_hourly") == [hour_text(3), hour_text(4)]
    assert lake.query("select orders from shop.orders_hourly order by hour") == [(2,), (2,), (2,), (20,), (20,)]
    assert lake.plan("--all")["units"] == []


def test_deploy_says_what_the_next_run_restates(tmp_path):
    lake = shop(tmp_path, orders=ORDERS.replace("lateness: 72h", "lateness: 1h"), hourly=LAST, rolling=None)
    land_whole_hours(lake, range(6))
    lake.run()
    set_hourly(lake, TENFOLD)

    said = deploy(lake, "--on-change", "restate")
    (command,) = [line.split("strandline ", 1)[1] for line in said.splitlines() if "Older ones: " in line]
    assert command == f"run --select shop.orders_hourly --start {hour_text(0)} --end {hour_text(4)}"
    assert f"The next run restates the windows from {hour_text(4)} on." in said
    assert windows(lake.run(), "shop.orders_hourly") == [hour_text(4), hour_text(5)]
    assert windows(lake.run(*command.split()[1:]), "shop.orders_hourly") == [hour_text(hour) for hour in range(4)]
    assert lake.query("select distinct orders from shop.orders_hourly") == [(20,)]


def test_deploy_from_a_date_says_the_same_of_what_is_newer(tmp_path):
    lake = shop(tmp_path, orders=ORDERS.replace("lateness: 72h", "lateness: 1h"), hourly=LAST, rolling=None)
    land_whole_hours(lake, range(6))
    lake.run()
    set_hourly(lake, TENFOLD)
    said = deploy(lake, "--from", hour_text(3), "--dry-run")
    assert f"run --select shop.orders_hourly --start {hour_text(3)} --end {hour_text(4)}" in said


def test_a_new_column_is_added_and_a_removed_one_is_an_error(tmp_path):  # C152
    lake = shop(tmp_path)
    land_hours(lake, [0])
    lake.run()
    set_hourly(lake, HOURLY.replace("count(*) as orders", "count(*) as orders, max(amount) as highest"))
    deploy(lake, "--on-change", "forward")
    land_hours(lake, [1])
    lake.run()
    assert lake.query("select hour, highest from shop.orders_hourly order by 1") == [(hour_text(0), None), (hour_text(1), 1)]
    assert lake.pyiceberg_rows("shop.orders_hourly") == lake.duckdb_rows("shop.orders_hourly")

    set_hourly(lake, HOURLY)
    deploy(lake, "--on-change", "forward")
    land_hours(lake, [2])
    report = lake.run(code=1)
    (failed,) = [unit for unit in report["units"] if unit["outcome"] == "failed"]
    assert "highest" in failed["error"] and "nothing was changed" in failed["error"]
    assert lake.query("select count(*) from shop.orders_hourly") == [(2,)]


def test_a_retyped_column_is_an_error(tmp_path):  # C152
    lake = shop(tmp_path)
    land_hours(lake, [0])
    lake.run()
    set_hourly(lake, HOURLY.replace("count(*) as orders", "cast(count(*) as varchar) as orders"))
    deploy(lake, "--on-change", "forward")
    land_hours(lake, [1])
    (failed,) = [unit for unit in lake.run(code=1)["units"] if unit["outcome"] == "failed"]
    assert "orders" in failed["error"] and "string" in failed["error"] and "long" in failed["error"]


def test_on_schema_change_fail_refuses_a_new_column(tmp_path):
    fixed = HOURLY.replace("time: hour", "time: hour\non_schema_change: fail")
    lake = shop(tmp_path, hourly=fixed)
    land_hours(lake, [0])
    lake.run()
    set_hourly(lake, fixed.replace("count(*) as orders", "count(*) as orders, max(amount) as highest"))
    deploy(lake, "--on-change", "forward")
    land_hours(lake, [1])
    (failed,) = [unit for unit in lake.run(code=1)["units"] if unit["outcome"] == "failed"]
    assert "on_schema_change" in failed["error"]

"""Severities, verdicts, and what a blocked audit leaves behind: nothing."""
import json

import pyarrow as pa

from shop import HOURLY, ORDERS, hour_text, land_hours, order, shop

CHECKED = ORDERS.replace("  - unique: [id]", """  - unique: [id]
  - expression: amount >= 0
    severity: {severity}
    owner: shop-billing
    id: no-refunds""")


def checked(folder, severity):
    return shop(folder, orders=CHECKED.replace("{severity}", severity))


def land_refunds(lake, hour, count):
    rows = [order(f"r{i}", f"2026-11-30T{hour:02}:30:0{i}Z", amount=-1) for i in range(count)]
    return lake.land("orders", f"2026-11-30-{hour:02}", "refunds.jsonl", rows)


def test_a_blocked_unit_publishes_nothing_and_says_why(tmp_path):
    lake = checked(tmp_path, "block")
    land_hours(lake, [0, 1])
    lake.run()
    before = lake.all_rows()
    snapshots = {name: lake.snapshots(name) for name in lake.tables()}
    land_hours(lake, [2])
    bad = land_refunds(lake, 2, 7)

    report = lake.run(code=3)
    (unit,) = report["units"]
    assert unit["outcome"] == "blocked" and unit["table"] == "shop.orders"
    (check,) = [check for check in unit["checks"] if check["result"] != "passed"]
    assert (check["id"], check["severity"], check["owner"], check["violating"]) == ("no-refunds", "block", "shop-billing", 7)
    assert len(check["samples"]) == 5 and set(check["samples"]) <= {f"or{i}" for i in range(7)}
    assert lake.all_rows() == before
    assert {name: lake.snapshots(name) for name in lake.tables()} == snapshots
    text = lake.call("run")
    assert text.code == 3 and "no-refunds (block, owner shop-billing): 7 of" in text.out and "Nothing was published" in text.out

    bad.unlink()
    lake.run()
    assert lake.query("select orders from shop.orders_hourly order by hour desc limit 1") == [(3,)]


def test_what_depends_on_a_blocked_unit_does_not_run(tmp_path):
    lake = checked(tmp_path, "block")
    land_hours(lake, [0, 1])
    lake.run()
    land_hours(lake, [2])
    land_refunds(lake, 2, 1)
    report = lake.run(code=3)
    assert [unit["table"] for unit in report["units"]] == ["shop.orders"]
    assert lake.query("select count(*) from shop.orders_hourly") == [(2,)]


def test_warn_and_info_publish_and_are_recorded(tmp_path):
    for severity in ("warn", "info"):
        lake = checked(tmp_path / severity, severity)
        land_hours(lake, [0])
        land_refunds(lake, 0, 2)
        lake.run()
        summary = lake.table("shop.orders").current_snapshot().summary
        (check,) = [check for check in json.loads(summary["strandline.checks"]) if check["id"] == "no-refunds"]
        assert check == {"id": "no-refunds", "severity": severity, "owner": "shop-billing", "result": "failed", "checked": 5, "violating": 2}


def test_each_kind_of_check_can_fail_and_pass(tmp_path):
    def model(checks):
        text = "\n".join(f"  - {check}\n    severity: warn" for check in checks)
        return f"""/* strandline
table: shop.orders_hourly
window: hour
time: hour
checks:
{text}
*/
select $window_start as hour, note, count(*) as orders, sum(amount) as amount from shop.orders group by note
"""
    good = ["not_null: [orders]", "unique: [hour, note]", "accepted_values: {column: note, values: [a, b]}", "row_count: {min: 1, max: 2}",
            "expression: orders > 0", "reconcile: {with: shop.orders, theirs: count(*), ours: sum(orders), tolerance: 0}"]
    bad = ["not_null: [amount]", "unique: [hour]", "accepted_values: {column: note, values: [a]}", "row_count: {min: 3}",
           "expression: orders > 1", "reconcile: {with: shop.orders, theirs: count(*) + 1, ours: sum(orders), tolerance: 0}"]
    for checks, outcome in ((good, "passed"), (bad, "failed")):
        lake = shop(tmp_path / outcome, hourly=model(checks), rolling=None)
        rows = [order(1, "2026-11-30T00:00:00Z", note="a", amount=1), order(2, "2026-11-30T00:00:01Z", note="b", amount=None)]
        lake.land("orders", "2026-11-30-00", "p.jsonl", rows)
        (unit,) = [unit for unit in lake.run()["units"] if unit["table"] == "shop.orders_hourly"]
        assert {check["id"]: check["result"] for check in unit["checks"]} == {check["id"]: outcome for check in unit["checks"]}
        assert len(unit["checks"]) == 6


def test_sql_of_users_may_end_in_a_comment(tmp_path):
    """Whatever is put around it begins on a new line."""
    hourly = """/* strandline
table: shop.orders_hourly
window: hour
time: hour
columns: {orders: int}
checks:
  - expression: "orders > 0 -- never empty"
  - reconcile: {with: shop.orders, theirs: "count(*) -- theirs", ours: "sum(orders) -- ours"}
*/
select $window_start as hour, count(*) as orders from shop.orders -- all of them"""
    orders = ORDERS + "  - expression: \"amount >= 0 -- never negative\"\n"
    lake = shop(tmp_path, orders=orders, hourly=hourly, rolling=None)
    land_hours(lake, [0])
    assert {check["result"] for unit in lake.run()["units"] for check in unit["checks"]} == {"passed"}
    assert lake.query("select sum(orders) from shop.orders_hourly -- all") == [(3,)]
    lake.land("orders", "2026-11-30-01", "p.jsonl", [order("bad", "2026-11-30T01:00:00Z", amount=-1)])
    (unit,) = lake.run(code=3)["units"]
    assert [check["samples"] for check in unit["checks"] if check["result"] != "passed"] == [["obad"]]


def test_one_impossible_check_does_not_hide_the_others(tmp_path):
    hourly = HOURLY.replace("*/", "checks:\n  - expression: hour > orders\n    severity: warn\n  - row_count: {min: 1}\n*/", 1)
    lake = shop(tmp_path, hourly=hourly)
    land_hours(lake, [0])
    (unit,) = [unit for unit in lake.run()["units"] if unit["table"] == "shop.orders_hourly"]
    assert [check["result"] for check in unit["checks"]] == ["error", "passed"]
    assert unit["checks"][0]["detail"]


def test_checks_on_an_empty_window_have_a_stated_result(tmp_path):
    hourly = """/* strandline
table: shop.orders_hourly
window: hour
time: hour
checks:
  - not_null: [note]
  - unique: [note]
  - expression: orders > 0
  - row_count: {min: 1}
    severity: warn
*/
select $window_start as hour, note, count(*) as orders from shop.orders group by note
"""
    lake = shop(tmp_path, hourly=hourly, rolling=None)
    lake.land("orders", "2026-11-30-00", "p.jsonl", [order(1, "2026-11-29T23:59:00Z")])
    (unit,) = [unit for unit in lake.run()["units"] if unit["table"] == "shop.orders_hourly"]
    assert [(check["result"], check["checked"]) for check in unit["checks"]] == [("passed", 0)] * 3 + [("failed", 0)]
    assert lake.plan()["units"] == []


def test_uniqueness_is_checked_apart_from_deduplication(tmp_path):
    """Another program appends a copy of a row: the next unit's audit of that partition sees it and blocks."""
    lake = shop(tmp_path)
    land_hours(lake, [0])
    lake.run()
    table = lake.table("shop.orders")
    rows = table.scan().to_arrow()
    table.append(pa.Table.from_batches(rows.slice(0, 1).to_batches(), rows.schema))
    lake.land("orders", "2026-11-30-00", "late.jsonl", [order("new", "2026-11-30T00:59:00Z")])
    report = lake.run(code=3)
    blocked = [unit for unit in report["units"] if unit["outcome"] == "blocked"]
    assert [check["violating"] for check in blocked[0]["checks"] if check["id"] == "unique:id"] == [1]

"""What `status` and `explain` say: by table and window, in words and in JSON."""
import json

from shop import ORDERS, hour_text, land_hours, order, shop

SYMBOLS = {"published": "●", "missing": "○", "stale": "▲", "not deployed": "✗", "waiting": "·"}


def grid_of(text):
    """{table: [symbols, oldest window first]} and the headings."""
    heading, *rows = [line for line in text.splitlines() if not line.startswith(("waiting:", "shop.orders is"))]
    columns = heading.split("  ●")[0].split()
    cells = {row.split()[0]: row.split()[1:] for row in rows}
    return columns, cells


def test_status_before_anything_has_landed(tmp_path):
    lake = shop(tmp_path)
    first, waiting = lake.call("status").out.splitlines()
    assert first == "Nothing has landed yet."
    assert waiting.startswith("waiting: shop.orders") and waiting.endswith("/landing/orders"), "where it was looked for"
    status = lake.call("status", "--output", "json").json
    assert [table["table"] for table in status["tables"]] == ["shop.orders", "shop.orders_hourly", "shop.orders_rolling"]
    assert all(table["windows"] == {} for table in status["tables"]) and len(status["waiting"]) == 1


def test_status_shows_every_table_up_to_its_newest_window(tmp_path):
    lake = shop(tmp_path, rolling=None)
    land_hours(lake, [0, 1])
    lake.run()
    lake.land("orders", "2026-11-30-00", "late.jsonl", [order("late", "2026-11-30T00:30:00Z")])
    lake.run("--select", "orders")
    land_hours(lake, [2])
    lake.land("orders", "2026-11-30-03", "part-0.jsonl", [order("x", "2026-11-30T03:00:00Z")], marker=False)

    text = lake.call("status").out
    columns, cells = grid_of(text)
    assert columns == ["11-30T00", "01", "02", "03"]
    assert cells["shop.orders"] == [SYMBOLS[state] for state in ("published", "published", "missing", "waiting")]
    assert cells["shop.orders_hourly"] == [SYMBOLS[state] for state in ("stale", "published", "missing", "waiting")]
    assert text.splitlines()[-1] == f"waiting: shop.orders {hour_text(3)} has no _SUCCESS yet"

    status = lake.call("status", "--output", "json").json
    windows = {table["table"]: {start: window["state"] for start, window in table["windows"].items()} for table in status["tables"]}
    assert windows["shop.orders"] == {hour_text(0): "fresh", hour_text(1): "fresh", hour_text(2): "missing", hour_text(3): "waiting"}
    assert windows["shop.orders_hourly"] == {hour_text(0): "stale: input", hour_text(1): "fresh", hour_text(2): "pending", hour_text(3): "waiting"}
    assert status["waiting"] == [{"table": "shop.orders", "window": hour_text(3), "reason": "has no _SUCCESS yet"}]


def test_status_keeps_to_the_tables_and_columns_asked_for(tmp_path):
    lake = shop(tmp_path)
    land_hours(lake, range(5))
    lake.run()
    columns, cells = grid_of(lake.call("status", "--windows", "2").out)
    assert columns == ["11-30T03", "04"] and all(len(row) == 2 for row in cells.values())
    assert "shop.orders_hourly" in cells


def test_explain_says_which_rows_were_quarantined_and_why(tmp_path):
    lake = shop(tmp_path)
    rows = [order(1, "2026-11-30T00:00:00Z"), {"id": None, "at": "2026-11-30T00:00:01Z"}, {"id": "a", "at": "noon"}, {"id": "b", "at": "midnight"},
            order(1, "2026-11-30T00:00:00Z")]
    lake.land("orders", "2026-11-30-00", "part-0.jsonl", b"".join(json.dumps(row).encode() + b"\n" for row in rows) + b"{broken\n")
    land_hours(lake, [1])
    lake.run()

    explained = lake.call("explain", "shop.orders", hour_text(0), "--output", "json").json
    assert (explained["table"], explained["window"], explained["state"]) == ("shop.orders", hour_text(0), "fresh")
    assert "6 rows in = 1 published + 1 duplicate + 0 suppressed + 4 quarantined" in explained["details"]
    quarantined = [line for line in explained["details"] if line.startswith("quarantined: ")]
    assert [line.split(",")[0] for line in quarantined] == ["quarantined: 2 rows", "quarantined: 1 row", "quarantined: 1 row"]
    assert "(column at), first in part-0.jsonl at " in quarantined[0]
    assert any("(column id), first in part-0.jsonl at " in line for line in quarantined)
    text = lake.call("explain", "shop.orders", "2026-11-30T00:59Z").out
    assert text.splitlines()[0] == f"shop.orders {hour_text(0)} is fresh" and all(f"    {line}" in text for line in quarantined)
    assert "quarantined: " not in lake.call("explain", "shop.orders", hour_text(1)).out, "another unit's"


def test_explain_says_what_is_not_there_yet(tmp_path):
    lake = shop(tmp_path, orders=ORDERS)
    land_hours(lake, [0])
    lake.land("orders", "2026-11-30-01", "part-0.jsonl", [order("x", "2026-11-30T01:00:00Z")], marker=False)
    lake.run()
    assert lake.call("explain", "shop.orders", hour_text(1)).out.startswith(f"shop.orders {hour_text(1)} is waiting: has no _SUCCESS yet\n")
    assert "nothing of it has landed" in lake.call("explain", "shop.orders", "2026-12-24T00Z").out
    unknown = lake.call("explain", "shop.ordres", hour_text(0))
    assert unknown.code == 1 and "shop.ordres" in unknown.err

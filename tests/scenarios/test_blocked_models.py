"""A window whose audit fails: readers keep what they saw, nothing that depends on it runs, and people are told which rows."""
import json

import pytest

from shop import hour_text, order, shop

MODEL = """/* strandline
table: shop.orders_hourly
window: hour
time: hour
checks:
  - CHECK
    severity: SEVERITY
    id: gate
*/
select $window_start as hour, note, amount, count(*) as orders from shop.orders group by note, amount
"""

DEPENDANT = """/* strandline
table: shop.notes
window: hour
time: hour
*/
select $window_start as hour, count(distinct note) as notes from shop.orders_hourly
"""

# A check; what the late rows of the window have that fails it, how many rows that are, and what is shown of them.
START = "2026-11-30 00:00:00+00"
GOOD = [("a", 1), ("b", 2)]
CHECKS = {
    "not_null": ("not_null: [note]", [(None, i) for i in range(3, 10)], 7, [f"{START}, null, {i}" for i in range(3, 8)]),
    "unique": ("unique: [hour, note]", [("a", 5), ("a", 6), ("b", 7)], 3, None),
    "accepted_values": ("accepted_values: {column: note, values: [a, b]}", [("c", 3), ("d", 4)], 2, [f"{START}, c, 3", f"{START}, d, 4"]),
    "row_count": ("row_count: {max: 2}", [("c", 3)], 1, []),
    "expression": ("expression: amount > 0", [("c", -1)], 1, [f"{START}, c, -1"]),
    "reconcile": ("reconcile: {with: shop.orders, theirs: count(amount), ours: sum(orders)}", [("c", None)], 1, ["ours 3, theirs 2"]),
}


def lake_of(folder, check, severity):
    """With one good window published, and its dependant."""
    lake = shop(folder, hourly=MODEL.replace("CHECK", check).replace("SEVERITY", severity), rolling=None)
    (lake.project / "models" / "notes.sql").write_text(DEPENDANT)
    land(lake, "good.jsonl", GOOD)
    assert {unit["outcome"] for unit in lake.run()["units"]} == {"published"}
    return lake


def land(lake, name, rows):
    lake.land("orders", "2026-11-30-00", name,
              [order(f"{name}-{i}", f"2026-11-30T00:10:{i:02}Z", note=note, amount=amount) for i, (note, amount) in enumerate(rows)])


def verdict_of(unit):
    (check,) = unit["checks"]
    return check


@pytest.mark.parametrize("kind", CHECKS)
def test_a_blocked_window_keeps_its_rows_and_stops_its_dependants(tmp_path, kind):
    check, late, violating, samples = CHECKS[kind]
    lake = lake_of(tmp_path, check, "block")
    before = {name: lake.pyiceberg_rows(name) for name in ("shop.orders_hourly", "shop.notes")}
    snapshots = {name: lake.snapshots(name) for name in before}
    land(lake, "late.jsonl", late)

    report = lake.run(code=3)
    assert [(unit["table"], unit["window"], unit["outcome"]) for unit in report["units"]] == [
        ("shop.orders", hour_text(0), "published"), ("shop.orders_hourly", hour_text(0), "blocked")]
    verdict = verdict_of(report["units"][1])
    assert (verdict["id"], verdict["result"], verdict["violating"]) == ("gate", "failed", violating), verdict
    if samples is None:
        assert len(verdict["samples"]) == 2 and {sample.rsplit(", ", 1)[1] for sample in verdict["samples"]} == {"a", "b"}
    else:
        assert verdict["samples"] == samples
    assert {name: lake.pyiceberg_rows(name) for name in before} == before
    assert {name: lake.snapshots(name) for name in before} == snapshots
    assert lake.fsck() == []

    text = lake.call("run")
    assert text.code == 3 and "gate (block, owner shop-data): " in text.out and "Nothing was published" in text.out
    for sample in samples or []:
        assert sample in text.out


@pytest.mark.parametrize("severity", ["warn", "info"])
@pytest.mark.parametrize("kind", CHECKS)
def test_warn_and_info_publish_and_are_recorded(tmp_path, kind, severity):
    check, late, violating, _ = CHECKS[kind]
    lake = lake_of(tmp_path, check, severity)
    land(lake, "late.jsonl", late)

    report = lake.run()
    assert [(unit["table"], unit["outcome"]) for unit in report["units"]] == [
        ("shop.orders", "published"), ("shop.orders_hourly", "published"), ("shop.notes", "published")]
    assert verdict_of(report["units"][1])["result"] == "failed"
    recorded = json.loads(lake.table("shop.orders_hourly").current_snapshot().summary["strandline.checks"])
    assert [(entry["id"], entry["severity"], entry["result"], entry["violating"]) for entry in recorded] == [("gate", severity, "failed", violating)]
    assert f"check gate ({severity}): failed, {violating} of" in lake.call("explain", "shop.orders_hourly", hour_text(0)).out


@pytest.mark.parametrize("checks, shown", [
    ("  - expression: amount > 0", f"{START}, c, -1"),  # The window's time and the first columns beside it.
    ("  - expression: amount > 0\n  - unique: [note, amount]", "c, -1"),  # What the model says a row's key is.
])
def test_rows_are_shown_by_their_key(tmp_path, checks, shown):
    model = MODEL.replace("  - CHECK\n    severity: SEVERITY\n    id: gate", checks)
    lake = shop(tmp_path, hourly=model, rolling=None)
    land(lake, "p.jsonl", [("c", -1)])
    (blocked,) = [unit for unit in lake.run(code=3)["units"] if unit["outcome"] == "blocked"]
    assert blocked["checks"][0]["samples"] == [shown]

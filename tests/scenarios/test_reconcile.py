"""Reconciliation of a model with what it reads: in one number, by groups, with nulls, within a tolerance, over no rows."""
import pytest

from shop import order, shop

MODEL = """/* strandline
table: shop.orders_hourly
window: hour
time: hour
checks:
  - reconcile: {RECONCILE}
    id: agrees
*/
select $window_start as hour, note, count(*) as orders, sum(amount) as amount from shop.orders SELECTION group by note
"""


def verdict(folder, reconcile, rows, selection="", code=0):
    """The check's entry of a run over one hour of `rows`."""
    model = MODEL.replace("RECONCILE", f"with: shop.orders, {reconcile}").replace("SELECTION", selection)
    lake = shop(folder, hourly=model, rolling=None)
    lake.land("orders", "2026-11-30-00", "p.jsonl", rows)
    (unit,) = [unit for unit in lake.run(code=code)["units"] if unit["table"] == "shop.orders_hourly"]
    (check,) = unit["checks"]
    return check


def orders(*rows):
    """One order for each (note, amount)."""
    return [order(i, f"2026-11-30T00:00:{i:02}Z", note=note, amount=amount) for i, (note, amount) in enumerate(rows)]


COUNTS = "theirs: count(*), ours: sum(orders)"
AMOUNTS = "theirs: sum(amount), ours: sum(amount)"
THREE_GROUPS = orders(("a", 1), ("a", 2), ("b", 3), (None, None))


@pytest.mark.parametrize("reconcile", [COUNTS, AMOUNTS, AMOUNTS + ", tolerance: 0.01"])
def test_groups_with_equal_keys_agree_and_nulls_are_equal(tmp_path, reconcile):
    check = verdict(tmp_path, reconcile + ", by: [note]", THREE_GROUPS)
    assert (check["result"], check["checked"], check["violating"]) == ("passed", 3, 0), check


def test_each_group_that_differs_is_counted_and_shown(tmp_path):
    check = verdict(tmp_path, "theirs: count(*) + count(note), ours: sum(orders), by: [note]", THREE_GROUPS, code=3)
    assert (check["result"], check["checked"], check["violating"]) == ("failed", 3, 2), check
    assert check["samples"] == ["a: ours 2, theirs 4", "b: ours 1, theirs 2"]


@pytest.mark.parametrize("selection, missing", [("where note = 'a'", ["b: ours none, theirs 1", "null: ours none, theirs 1"]),
                                                ("where note is not null", ["null: ours none, theirs 1"])])
def test_a_group_that_one_side_lacks_violates(tmp_path, selection, missing):
    check = verdict(tmp_path, COUNTS + ", by: [note]", THREE_GROUPS, selection, code=3)
    assert (check["checked"], check["samples"]) == (3, missing)


@pytest.mark.parametrize("theirs, result", [("sum(amount)", "passed"), ("sum(amount) + 1", "passed"), ("sum(amount) - 1", "passed"),
                                            ("sum(amount) + 2", "failed"), ("sum(amount) - 2", "failed"), ("max(note)", "error")])
def test_a_tolerance_is_a_share_of_their_value(tmp_path, theirs, result):
    rows = orders(("a", 60), ("b", 40))
    check = verdict(tmp_path, f"theirs: {theirs}, ours: sum(amount), tolerance: 0.011", rows, code=0 if result == "passed" else 3)
    assert check["result"] == result, check


@pytest.mark.parametrize("tolerance", ["", ", tolerance: 0.5"])
@pytest.mark.parametrize("reconcile, rows, result", [
    # No row of either side: the window is empty, and sum(x) over nothing is null.
    (COUNTS, [], "passed"),
    (AMOUNTS, [], "passed"),
    ("theirs: count(*) + 1, ours: sum(orders)", [], "failed"),
    # Rows whose amounts are all null: that is no 0.
    (AMOUNTS, orders(("a", None)), "passed"),
    ("theirs: count(amount), ours: sum(amount)", orders(("a", None)), "failed"),
])
def test_a_null_over_no_rows_counts_as_zero(tmp_path, reconcile, rows, result, tolerance):
    elsewhere = [order("x", "2026-11-29T23:59:00Z")]  # Not in the window: the unit has landed all the same.
    check = verdict(tmp_path, reconcile + tolerance, rows + elsewhere, code=0 if result == "passed" else 3)
    assert check["result"] == result, check


def test_rows_that_only_one_side_has_block(tmp_path):
    check = verdict(tmp_path, COUNTS, THREE_GROUPS, "where false", code=3)
    assert check["samples"] == ["ours none, theirs 4"]


def test_columns_may_have_the_names_of_the_comparison(tmp_path):
    model = MODEL.replace("RECONCILE", "with: shop.orders_hourly, theirs: sum(value), ours: sum(row_count), by: [key_0]")
    model = model.replace("shop.orders_hourly\n", "shop.copied\n", 1).replace(
        "select $window_start as hour, note, count(*) as orders, sum(amount) as amount from shop.orders SELECTION group by note",
        "select hour, key_0, value as row_count from shop.orders_hourly")
    hourly = """/* strandline
table: shop.orders_hourly
window: hour
time: hour
*/
select $window_start as hour, note as key_0, count(*) as value from shop.orders group by note
"""
    lake = shop(tmp_path, hourly=hourly, rolling=None)
    (lake.project / "models" / "copied.sql").write_text(model)
    lake.land("orders", "2026-11-30-00", "p.jsonl", THREE_GROUPS)
    (unit,) = [unit for unit in lake.run()["units"] if unit["table"] == "shop.copied"]
    assert [check["result"] for check in unit["checks"]] == ["passed"]

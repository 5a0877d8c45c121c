"""Where every landed row went: the counts of each snapshot and of each record of a unit that left none."""
import json

from shop import ORDERS, land_hours, order, shop

KINDS = ("published", "duplicate", "suppressed", "quarantined")


def recorded(lake):
    """The counts of every publish of shop.orders, in order: from snapshots, and from records of units without a row."""
    metadata = lake.table("shop.orders").metadata
    counts = []
    for snapshot in metadata.snapshots:
        summary = snapshot.summary.additional_properties
        counts.append({kind: int(summary[f"strandline.rows-{kind}"]) for kind in ("in", *KINDS)})
    for name, value in metadata.properties.items():
        if name.startswith("strandline.empty."):
            record = json.loads(value)["counts"]
            counts.append({kind: record[f"rows-{kind}"] for kind in ("in", *KINDS)})
    return counts


def test_rows_in_are_published_duplicate_suppressed_or_quarantined(tmp_path):
    lake = shop(tmp_path, orders=ORDERS.replace("lateness: 72h", "lateness: 2h"))
    landed = 0

    def land(hour, name, rows):
        nonlocal landed
        lake.land("orders", f"2026-11-30-{hour:02}", name, rows)
        landed += len(rows) if isinstance(rows, list) else rows.count(b"\n")
        lake.run()

    for hour in range(4):
        land(hour, "p.jsonl", [order(f"{hour}-{i}", f"2026-11-30T{hour:02}:{i:02}:00Z") for i in range(3)])
    land(3, "late.jsonl", [order("late", "2026-11-30T02:30:00Z"), order("too-late", "2026-11-30T00:30:00Z"), order("2-0", "2026-11-30T02:00:00Z")])
    land(3, "twice.jsonl", [order("twice", "2026-11-30T03:40:00Z")] * 3 + [order("3-0", "2026-11-30T03:00:00Z")])
    land(4, "broken.jsonl", b'not json\n{"id": null, "at": "2026-11-30T04:00:00Z"}\n{"id": "x", "at": "soon"}\n'
                            b'{"id": "y", "at": "2026-11-30T04:00:00Z", "amount": "many"}\n{"id": "oz", "at": "2026-11-30T04:00:00Z"}\n')
    land(4, "again.jsonl", [order("z", "2026-11-30T04:00:00Z")])
    land(5, "all-bad.jsonl", b"{}\n{}\n")

    counts = recorded(lake)
    for count in counts:
        assert count["in"] == sum(count[kind] for kind in KINDS), count
    assert sum(count["in"] for count in counts) == landed == 27
    assert {kind: sum(count[kind] for count in counts) for kind in KINDS} == {
        "published": 15, "duplicate": 5, "suppressed": 0, "quarantined": 7}
    assert lake.query("select count(*), count(distinct id) from shop.orders") == [(15, 15)]
    assert lake.query("select count(*) from shop.orders__quarantine") == [(7,)]


def test_a_unit_that_is_read_again_counts_what_it_read(tmp_path):
    lake = shop(tmp_path)
    land_hours(lake, [0])
    lake.run()
    # The file was replaced by a longer one with the same rows and one more: all of it is read again.
    land_hours(lake, [0], per_hour=4)
    (unit,) = [unit for unit in lake.run()["units"] if unit["table"] == "shop.orders"]
    assert {kind: unit["counts"][f"rows_{kind}"] for kind in ("in", *KINDS)} == {
        "in": 4, "published": 1, "duplicate": 3, "suppressed": 0, "quarantined": 0}
    assert recorded(lake)[-1] == {"in": 4, "published": 1, "duplicate": 3, "suppressed": 0, "quarantined": 0}

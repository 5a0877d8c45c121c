"""Partition values of every kind: in paths, in manifests, in filters, read back by others."""
import pytest
from pyiceberg.expressions import EqualTo, IsNull

from lake import Lake
from shop import order

SOURCE = """source: orders
table: shop.orders
path: ../landing/orders/{unit:%Y-%m-%d-%H}/*.jsonl
format: jsonl
unit: hour
start: 2026-11-30T00Z
complete: {marker: _SUCCESS}
time: ordered_at
partition: [PARTITION]
key: [id]
lateness: 72h
columns:
  id:         {type: string, required: true}
  ordered_at: {type: timestamptz, required: true}
  value:      {type: "TYPE"}
"""

ODD_TEXTS = ["11/12/13", "a=b", "50%", "a b", "#", "?", "..", ".", "", "😀", "a+b", "a%20b", "ünï", "null", "'quoted'", '"double"']


def lake_of(folder, partition, kind):
    return Lake.of_files(folder, {"sources/orders.yml": SOURCE.replace("PARTITION", partition).replace("TYPE", kind)})


def land(lake, values, hour=0):
    rows = [{"id": f"o{i}", "ordered_at": f"2026-11-30T{hour:02}:00:{i:02}Z", "value": value} for i, value in enumerate(values)]
    lake.land("orders", f"2026-11-30-{hour:02}", "p.jsonl", rows)


def assert_readable(lake, count):
    rows = lake.pyiceberg_rows("shop.orders")
    assert sum(rows.values()) == count
    assert lake.duckdb_rows("shop.orders") == rows
    assert lake.query("select count(*) from shop.orders") == [(count,)]
    assert lake.fsck() == []


def test_texts_of_every_kind_are_escaped_in_paths_and_raw_in_manifests(tmp_path):  # C064, C066, C067
    lake = lake_of(tmp_path, "hour(ordered_at), value", "string")
    land(lake, ODD_TEXTS + [None])
    lake.run()
    assert_readable(lake, len(ODD_TEXTS) + 1)
    for text in ODD_TEXTS:
        quoted = text.replace("'", "''")
        assert lake.query(f"select count(*) from shop.orders where value = '{quoted}'") == [(1,)], text
    assert lake.query("select count(*) from shop.orders where value is null") == [(1,)]
    table = lake.table("shop.orders")
    assert {task.file.partition[1] for task in table.scan().plan_files()} == {*ODD_TEXTS, None}
    data = tmp_path / "lake" / "shop" / "orders" / "data"
    for path in data.rglob("*.parquet"):
        assert len(path.relative_to(data).parts) == 3, "one folder a field"
        assert data in path.resolve().parents


def as_pyiceberg_has_it(value):
    return value.replace("Z", "+00:00") if isinstance(value, str) and value.endswith("Z") else value


@pytest.mark.parametrize("partition, kind, values", [
    ("bucket(16, value)", "string", ["a", "b", "", "😀", None]),
    ("bucket(4, value)", "long", [0, -1, 9223372036854775807, -9223372036854775808, None]),
    ("bucket(8, value)", "decimal(18,4)", ["0.0000", "-1.5000", "99999999999999.9999", None]),
    ("truncate(10, value)", "long", [-1, -10, -11, 0, 9, None]),
    ("truncate(2, value)", "string", ["", "a", "abc", "😀😀😀", None]),
    ("truncate(50, value)", "decimal(9,2)", ["10.65", "-0.01", "-10.65", None]),
    ("value", "boolean", [True, False, None]),
    ("value", "date", ["1969-12-31", "1970-01-01", "0001-01-01", "9999-12-31", None]),
    ("day(value)", "date", ["1969-12-31", "2024-02-29", None]),
    ("month(value)", "date", ["1969-12-31", "1970-01-01", "1900-02-28", None]),
    ("year(value)", "timestamptz", ["1969-12-31T23:59:59.999999Z", "1970-01-01T00:00:00Z", "1900-02-28T00:00:00Z", None]),
    ("hour(value)", "timestamptz", ["1969-12-31T23:30:00Z", "1969-12-31T22:59:59.999999Z", "1969-12-31T23:00:00Z", None]),
    ("value", "double", [0.5, -0.5, 1e300, None]),
])
def test_each_transform_is_found_by_filter_and_by_other_readers(tmp_path, partition, kind, values):  # C057, C060, C062, C067
    lake = lake_of(tmp_path, f'hour(ordered_at), "{partition}"', kind)
    land(lake, values)
    lake.run()
    assert_readable(lake, len(values))
    table = lake.table("shop.orders")
    for value in values:
        if value != 1e300:  # PyIceberg 0.12 reads partition values of type double as floats.
            by_pyiceberg = table.scan(row_filter=IsNull("value") if value is None else EqualTo("value", as_pyiceberg_has_it(value)))
            assert by_pyiceberg.to_arrow().num_rows == 1, value
        if value is None:
            condition = "value is null"
        elif isinstance(value, str):
            condition = f"value = cast('{value}' as {'varchar' if kind == 'string' else 'timestamptz' if kind == 'timestamptz' else kind})"
        else:
            condition = f"value = {value}"
        pruned = lake.query(f"select id from shop.orders where {condition}")
        assert len(pruned) == 1, condition
        assert pruned == lake.query(f"select id from shop.orders where {condition}", "--no-prune")


def test_running_an_hour_again_leaves_exactly_its_rows(tmp_path):  # C071
    model = """/* strandline
table: shop.by_value
window: hour
time: hour
partition: [hour(hour), "bucket(4, value)"]
*/
select $window_start as hour, value, count(*) as orders from shop.orders group by value
"""
    lake = lake_of(tmp_path, "hour(ordered_at)", "string")
    (lake.project / "models").mkdir()
    (lake.project / "models" / "by_value.sql").write_text(model)
    for hour in (0, 1):
        land(lake, ["a", "b", "c", None], hour)
    # Both hours hold the same ids; each is asked for in its own partition only.
    lake.run()
    of_other_hour = "select value, orders from shop.by_value where hour >= timestamptz '2026-11-30 01:00:00+00' order by value"
    other_hour = lake.query(of_other_hour)
    for attempt in range(3):
        lake.land("orders", "2026-11-30-00", f"late{attempt}.jsonl",
                  [{"id": f"n{attempt}", "ordered_at": "2026-11-30T00:30:00Z", "value": "a"}])
        lake.run()
        rows = {row[0]: row[1] for row in lake.query("select value, orders from shop.by_value where hour < timestamptz '2026-11-30 01:00:00+00'")}
        assert rows == {"a": 2 + attempt, "b": 1, "c": 1, None: 1}
    assert lake.query(of_other_hour) == other_hour and len(other_hour) == 4
    assert lake.fsck() == []


def test_many_partitions_need_few_open_files(tmp_path):
    """600 countries an hour, and a system that gives a process 256 descriptors."""
    source = SOURCE.replace("PARTITION", "hour(ordered_at), value").replace("TYPE", "string")
    model = """/* strandline
table: shop.by_country
window: hour
time: hour
partition: [hour(hour), country]
checks:
  - unique: [hour, country]
*/
select $window_start as hour, value as country, count(*) as orders from shop.orders group by value
"""
    lake = Lake.of_files(tmp_path, {"sources/orders.yml": source, "models/by_country.sql": model})
    rows = [{"id": f"o{i}", "ordered_at": "2026-11-30T00:00:00Z", "value": f"c{i % 600}"} for i in range(1800)]
    lake.land("orders", "2026-11-30-00", "p.jsonl", rows)

    report = lake.run(open_files_max=256)
    assert [(unit["table"], unit["outcome"]) for unit in report["units"]] == [("shop.orders", "published"), ("shop.by_country", "published")]
    assert lake.query("select count(*), count(distinct value) from shop.orders") == [(1800, 600)]
    assert lake.query("select count(*), min(orders), max(orders) from shop.by_country") == [(600, 3, 3)]
    assert lake.query("select count(*) from shop.orders.files") == [(600,)]
    assert lake.query("select count(*) from shop.by_country.files") == [(600,)]
    assert lake.run(open_files_max=256)["units"] == []

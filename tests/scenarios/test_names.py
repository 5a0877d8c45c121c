"""Columns with names that paths, Avro, SQL and YAML each have trouble with: written, checked, computed from, read by others."""
import json

import pytest

from lake import Lake
from shop import ORDERS, order, shop

NAMES = ["da#a", "x/y", "p=q", "815d", "a.b", "😀", "x-y", "A:B.C-1/x", "select", "50%", 'quo"ted', "trailing "]

SOURCE = """source: orders
table: shop.orders
path: ../landing/orders/{unit:%Y-%m-%d-%H}/*.jsonl
format: jsonl
unit: hour
start: 2026-11-30T00Z
complete: {marker: _SUCCESS}
time: at
partition: PARTITION
key: KEY
columns:
  at: {type: timestamptz, required: true}
COLUMNS
checks:
  - not_null: KEY
  - unique: KEY
  - accepted_values: {column: CHECKED, values: [v0, v1, v2]}
"""

MODEL = """/* strandline
table: shop.copied
window: hour
time: hour
partition: PARTITION
*/
select $window_start as hour, COLUMNS from shop.orders
"""


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def yaml(value):
    """JSON is YAML."""
    return json.dumps(value, ensure_ascii=False)


def lake_of(folder, names, key, partition):
    columns = "\n".join(f"  {yaml(name)}: {{type: string}}" for name in names)
    source = SOURCE.replace("COLUMNS", columns).replace("KEY", yaml(key)).replace("CHECKED", yaml(names[0]))
    model = MODEL.replace("COLUMNS", ", ".join(map(quoted, names)))
    return Lake.of_files(folder, {"sources/orders.yml": source.replace("PARTITION", yaml(["hour(at)", *partition])),
                                  "models/copied.sql": model.replace("PARTITION", yaml(["hour(hour)", *partition]))})


def land(lake, names, values, hour=0):
    rows = [{"at": f"2026-11-30T{hour:02}:00:00Z"} | {name: value for name in names} for value in values]
    lake.land("orders", f"2026-11-30-{hour:02}", "p.jsonl", rows)


def assert_readable(lake, table, count):
    rows = lake.pyiceberg_rows(table)
    assert sum(rows.values()) == count
    assert lake.duckdb_rows(table) == rows
    assert lake.fsck() == []


def test_every_name_as_column_partition_and_key(tmp_path):  # C065, C097, C098
    partition = [name for name in NAMES if name == name.strip()]
    lake = lake_of(tmp_path, NAMES, NAMES, partition)
    land(lake, NAMES, ["v0", "v1"])
    lake.run()
    land(lake, NAMES, ["v1", "v2"], hour=1)
    lake.run()
    for table in ("shop.orders", "shop.copied"):
        assert_readable(lake, table, 4)
        assert [field.name for field in lake.table(table).spec().fields][1:] == partition
        data = tmp_path / "lake" / table.replace(".", "/") / "data"
        for path in data.rglob("*.parquet"):
            assert len(path.relative_to(data).parts) == 1 + 1 + len(partition), "one folder a field"
    all_of_them = " and ".join(f"{quoted(name)} = 'v2'" for name in NAMES)
    assert lake.query(f"select count(*) from shop.copied where {all_of_them}") == [(1,)]


def test_each_name_is_found_by_a_filter(tmp_path):  # C065, C097, C098
    from pyiceberg.expressions import EqualTo
    lake = lake_of(tmp_path, NAMES, NAMES, ["select"])
    land(lake, NAMES, ["v0", "v1"])
    lake.run()
    table = lake.table("shop.copied")
    for name in NAMES:
        assert lake.query(f"select {quoted(name)} from shop.copied where {quoted(name)} = 'v1'") == [("v1",)]
        # PyIceberg prunes by the bounds. It does not ask pyarrow for the rows: that takes a dot for a path.
        (task,) = table.scan(row_filter=EqualTo(name, "v1")).plan_files()
        assert task.file.partition[1] == "v1", name


@pytest.mark.parametrize("transform", ["bucket(4, NAME)", "truncate(1, NAME)"])
def test_a_transform_of_an_odd_name(tmp_path, transform):  # C065, C097
    names = [name for name in NAMES if name == name.strip()]
    lake = lake_of(tmp_path, names, names, [transform.replace("NAME", name) for name in names])
    land(lake, names, ["v0", "v1"])
    lake.run()
    assert_readable(lake, "shop.copied", 2)
    for name in names:
        assert lake.query(f"select {quoted(name)} from shop.copied where {quoted(name)} = 'v1'") == [("v1",)]


def test_a_failed_check_names_the_column_and_shows_the_key(tmp_path):  # C098
    for name in ("A:B.C-1/x", 'quo"ted', "trailing "):
        lake = lake_of(tmp_path / str(NAMES.index(name)), [name], [name], [])
        land(lake, [name], ["v0", "bad", "v1"])
        (unit,) = lake.run(code=3)["units"]
        (failed,) = [check for check in unit["checks"] if check["result"] != "passed"]
        assert failed["id"] == f"accepted_values:{name}"
        assert (failed["violating"], failed["samples"]) == (1, ["bad"])


def test_a_row_without_an_oddly_named_key_goes_to_the_quarantine(tmp_path):  # C098
    lake = lake_of(tmp_path, NAMES, NAMES, [])
    row = {"at": "2026-11-30T00:00:00Z"} | {name: "v0" for name in NAMES}
    lake.land("orders", "2026-11-30-00", "p.jsonl", [{key: value for key, value in row.items() if key != name} for name in ["", *NAMES]])
    lake.run()
    assert lake.query("select count(*) from shop.orders") == [(1,)]
    assert lake.query("select count(*), min(reason) from shop.orders__quarantine") == [(len(NAMES), "null key")]
    assert lake.fsck() == []


def test_a_partition_by_a_column_whose_name_ends_in_a_space(tmp_path):  # C098
    source = ORDERS.replace("  note:   {type: string}", '  "trailing ": {type: string}').replace("[hour(at)]", json.dumps(["hour(at)", "trailing "]))
    lake = shop(tmp_path, orders=source, rolling=None)
    lake.land("orders", "2026-11-30-00", "p.jsonl", [order(0, "2026-11-30T00:00:00Z") | {"trailing ": "v"}])
    lake.run()
    assert lake.query('select count(*) from shop.orders where "trailing " = \'v\'') == [(1,)]
    assert lake.pyiceberg_rows("shop.orders") == lake.duckdb_rows("shop.orders")

"""`accepted_values` compares what values mean, for each primitive type that a source can have."""
import datetime
from decimal import Decimal

import pyarrow as pa
import pytest

from lake import Lake

SOURCE = """source: orders
table: shop.orders
path: ../landing/orders/{unit:%Y-%m-%d-%H}/*.parquet
format: parquet
unit: hour
start: 2026-11-30T00Z
complete: {marker: _SUCCESS}
time: at
partition: [hour(at)]
key: [id]
columns:
  id:    {type: string, required: true}
  at:    {type: timestamptz, required: true}
  value: {type: "TYPE"}
checks:
  - accepted_values: {column: value, values: [VALUES]}
    id: known
"""

UTC = datetime.timezone.utc
NOON = datetime.datetime(2026, 11, 30, 12)

# Type, as it lands, a value as people write it, the value, another value.
TYPES = [
    ("boolean", pa.bool_(), ["true", "TRUE"], True, False),
    ("int", pa.int32(), ["-7"], -7, 7),
    ("long", pa.int64(), ["-9223372036854775808"], -2**63, 2**63 - 1),
    ("float", pa.float32(), ["0.1", "1e-1"], 0.1, 0.2),
    ("double", pa.float64(), ["1", "1.0", "1e0"], 1.0, 1.0000000000000002),
    ("decimal(9,2)", pa.decimal128(9, 2), ["1.5", "1.50", "01.5"], Decimal("1.50"), Decimal("1.51")),
    ("decimal(38,0)", pa.decimal128(38, 0), ["9" * 38], Decimal("9" * 38), Decimal("9" * 37 + "8")),
    ("date", pa.date32(), ["2026-11-30"], NOON.date(), datetime.date(1969, 12, 31)),
    ("time", pa.time64("us"), ["'12:00'", "'12:00:00.000000'"], NOON.time(), datetime.time(12, 0, 0, 1)),
    ("timestamp", pa.timestamp("us"), ["2026-11-30T12:00", "2026-11-30 12:00:00"], NOON, NOON.replace(microsecond=1)),
    ("timestamptz", pa.timestamp("us", "UTC"), ["2026-11-30T12Z", "2026-11-30T14:00+02:00"], NOON.replace(tzinfo=UTC),
     NOON.replace(tzinfo=UTC, microsecond=1)),
    ("string", pa.string(), ["\"it's ü\""], "it's ü", "IT'S Ü"),
    ("uuid", pa.binary(16), ["F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6"], bytes.fromhex("f81d4fae7dec11d0a76500a0c91e6bf6"), bytes(16)),
    ("fixed[2]", pa.binary(2), ["0x00ff", "00FF"], b"\x00\xff", b"\x00\xfe"),
    ("binary", pa.binary(), ["00ff"], b"\x00\xff", b"\x00\xff\x00"),
]


def lake_of(folder, kind, arrow, accepted, rows):
    lake = Lake.of_files(folder, {"sources/orders.yml": SOURCE.replace("TYPE", kind).replace("VALUES", ", ".join(accepted))})
    table = pa.table({"id": [f"o{i}" for i in range(len(rows))], "at": pa.array([NOON.replace(hour=0)] * len(rows), pa.timestamp("us", "UTC")),
                      "value": pa.array(rows, arrow)})
    lake.land_table("orders", "2026-11-30-00", "p.parquet", table)
    return lake


def verdict(lake, code):
    (unit,) = lake.run(code=code)["units"]
    (check,) = unit["checks"]
    return check


@pytest.mark.parametrize("kind, arrow, accepted, good, bad", TYPES, ids=[case[0] for case in TYPES])
def test_each_type(tmp_path, kind, arrow, accepted, good, bad):
    for text in accepted:
        check = verdict(lake_of(tmp_path / text.strip("'").replace("/", "_"), kind, arrow, [text], [good, None]), 0)
        assert (check["result"], check["checked"], check["violating"]) == ("passed", 2, 0), (text, check)
    check = verdict(lake_of(tmp_path / "bad", kind, arrow, accepted, [good, bad, bad]), 3)
    assert (check["result"], check["violating"]) == ("failed", 2), check
    assert [sample.split(", ")[0] for sample in check["samples"]] == ["o1", "o2"]


@pytest.mark.parametrize("kind, arrow, text", [
    ("int", pa.int32(), "one"), ("int", pa.int32(), "1.5"), ("int", pa.int32(), "3000000000"), ("boolean", pa.bool_(), "maybe"),
    ("decimal(9,2)", pa.decimal128(9, 2), "1.555"), ("date", pa.date32(), "2026-02-30"), ("timestamp", pa.timestamp("us"), "2026-11-30T12Z"),
    ("uuid", pa.binary(16), "f81d4fae"), ("binary", pa.binary(), "xyz")])
def test_a_value_that_is_none_of_the_type_is_named_with_its_check(tmp_path, kind, arrow, text):
    check = verdict(lake_of(tmp_path, kind, arrow, [text], [None]), 3)
    assert check["result"] == "error"
    assert f"check known lists `{text}`, which is no value of column value: " in check["detail"]

"""Bucket partitions of every type: each row is where the spec's hash says, so that others find it by their own hash."""
import datetime
import decimal
import uuid

import pyarrow as pa
import pyarrow.parquet as pq
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
partition: [hour(at), "bucket(16, value)"]
key: [id]
columns:
  id:    {type: long, required: true}
  at:    {type: timestamptz, required: true}
  value: {type: "TYPE"}
"""

START = datetime.datetime(2026, 11, 30, tzinfo=datetime.timezone.utc)
UUIDS = [uuid.UUID("f79c3e09-677c-4bbd-a479-3f349cb785e7"), uuid.UUID(int=0), uuid.UUID(int=2**128 - 1)]


def decimals(*texts):
    return [decimal.Decimal(text) for text in texts]


def quoted(text):
    return f"'{text}'"


def blob(value):
    return "'" + "".join(f"\\x{byte:02X}" for byte in value) + "'::blob"


# The first value of each type is that of the spec's table of hashes: appendix B.
CASES = {
    "int": (pa.int32(), [34, -1, 2**31 - 1], str),
    "long": (pa.int64(), [34, -1, 2**63 - 1], str),
    "decimal(9,2)": (pa.decimal128(9, 2), decimals("14.20", "-0.01", "9999999.99"), str),
    "decimal(38,10)": (pa.decimal128(38, 10), decimals("14.2000000000", "-0.0000000001", "1234567890123456789012345678.0123456789"), str),
    "date": (pa.date32(), [datetime.date(2017, 11, 16), datetime.date(1969, 12, 31), datetime.date(1, 1, 1)], quoted),
    "time": (pa.time64("us"), [datetime.time(22, 31, 8), datetime.time(0), datetime.time(23, 59, 59, 999999)], quoted),
    "timestamp": (pa.timestamp("us"), [datetime.datetime(2017, 11, 16, 22, 31, 8), datetime.datetime(1969, 12, 31, 23, 59, 59, 999999),
                                       datetime.datetime(1, 1, 1)], quoted),
    "timestamptz": (pa.timestamp("us", "UTC"), [datetime.datetime(2017, 11, 16, 22, 31, 8, tzinfo=datetime.timezone.utc),
                                                datetime.datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=datetime.timezone.utc)], quoted),
    "string": (pa.string(), ["iceberg", "", "😀"], quoted),
    "uuid": (pa.binary(16), UUIDS, quoted),
    "fixed[4]": (pa.binary(4), [b"\x00\x01\x02\x03", b"abcd", b"\xff" * 4], blob),
    "binary": (pa.binary(), [b"\x00\x01\x02\x03", b"", b"\xff" * 20], blob),
}
SPEC_HASHES = {"int": 2017239379, "long": 2017239379, "decimal(9,2)": -500754589, "date": -653330422, "time": -662762989,
               "timestamp": -2047944441, "timestamptz": -2047944441, "string": 1210000089, "uuid": 1488055340,
               "fixed[4]": -188683207, "binary": -188683207}


def text(value):
    """A UUID is an object to one reader, a text to another and 16 bytes to a third."""
    return str(uuid.UUID(bytes=value)) if isinstance(value, bytes) and len(value) == 16 else str(value)


def numbers_in(path):
    return pq.ParquetFile(path.removeprefix("file://")).read(["id"]).column("id").to_pylist()


@pytest.mark.parametrize("kind", CASES)
def test_a_row_is_found_in_its_bucket_by_others(tmp_path, kind):  # C062
    from pyiceberg.expressions import EqualTo
    arrow, values, literal = CASES[kind]
    lake = Lake.of_files(tmp_path, {"sources/orders.yml": SOURCE.replace("TYPE", kind)})
    landed = [value.bytes if kind == "uuid" else value for value in values] + [None]
    numbers = list(range(len(landed)))
    lake.land_table("orders", "2026-11-30-00", "p.parquet", pa.table({
        "id": numbers, "at": pa.array([START] * len(landed), pa.timestamp("us", "UTC")), "value": pa.array(landed, arrow)}))
    lake.run()
    table = lake.table("shop.orders")
    for number, value in enumerate(values):
        found = table.scan(row_filter=EqualTo("value", value)).to_arrow()
        assert found.column("id").to_pylist() == [number], value
        assert lake.query(f"select id from shop.orders where value = {literal(value)}") == [(number,)]
    assert lake.query("select id from shop.orders where value is null") == [(numbers[-1],)]

    buckets = {number: task.file.partition[1] for task in table.scan().plan_files() for number in numbers_in(task.file.file_path)}
    assert buckets[numbers[-1]] is None
    if kind in SPEC_HASHES:
        assert buckets[0] == (SPEC_HASHES[kind] & 0x7FFFFFFF) % 16
    by_duckdb = {(row[1], text(row[2])) for row in lake.duckdb_rows("shop.orders")}
    assert by_duckdb == {(row[1], text(row[2])) for row in lake.pyiceberg_rows("shop.orders")}
    assert lake.fsck() == []

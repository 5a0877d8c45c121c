"""Data files of ours under other programs: the same rows, and the metrics that PyIceberg makes of the same footer."""
import datetime
import decimal
import json
import math
import os
import pathlib
import random
import subprocess
import uuid

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.conversions import from_bytes
from pyiceberg.io.pyarrow import (
    compute_statistics_plan,
    data_file_statistics_from_parquet_metadata,
    parquet_path_to_id_mapping,
    schema_to_pyarrow,
)
from pyiceberg.schema import Schema
from pyiceberg.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    IntegerType,
    ListType,
    LongType,
    MapType,
    NestedField,
    StringType,
    StructType,
    TimestamptzType,
    TimestampType,
    TimeType,
    UUIDType,
)

BUILD = os.environ.get("STRANDLINE_BUILD", str(pathlib.Path(__file__).resolve().parents[2] / "build"))
TOOL = pathlib.Path(BUILD) / "tests" / "sl_parquet_tool"
UTC = datetime.timezone.utc
EPOCH = datetime.datetime(1970, 1, 1)

# Each primitive type with values at its edges.
PRIMITIVES = [
    (BooleanType(), [True, False]),
    (IntegerType(), [-(2**31), -1, 0, 7, 2**31 - 1]),
    (LongType(), [-(2**63), -1, 0, 7, 2**63 - 1]),
    (FloatType(), [-1.5, 0.0, -0.0, 2.5, math.inf, math.nan]),
    (DoubleType(), [-1.5, 0.0, -0.0, 2.5, -math.inf, math.nan]),
    (DecimalType(4, 2), [decimal.Decimal(x) for x in ("-99.99", "0.00", "0.01", "99.99")]),
    (DecimalType(18, 4), [decimal.Decimal(x) for x in ("-99999999999999.9999", "-0.0001", "1.0000")]),
    (DecimalType(38, 0), [decimal.Decimal(x) for x in ("-" + "9" * 38, "-1", "0", "9" * 38)]),
    (DateType(), [datetime.date(1969, 12, 31), datetime.date(1970, 1, 1), datetime.date(9999, 12, 31)]),
    (TimeType(), [datetime.time(0, 0), datetime.time(23, 59, 59, 999999)]),
    (TimestampType(), [EPOCH - datetime.timedelta(microseconds=1), EPOCH, datetime.datetime(2026, 11, 30, 5)]),
    (TimestamptzType(), [(EPOCH - datetime.timedelta(microseconds=1)).replace(tzinfo=UTC), EPOCH.replace(tzinfo=UTC)]),
    (StringType(), ["", "a", "é", "•" * 20, "😀" * 20, "a" * 15 + "\ud7ff" + "b", "x" * 40]),
    (UUIDType(), [uuid.UUID(int=0).bytes, uuid.UUID(int=2**127 + 5).bytes, uuid.UUID(int=2**128 - 1).bytes]),
    (FixedType(3), [b"abc", b"\x00\x00\x00", b"\xff\xff\xff"]),
    (BinaryType(), [b"", b"\x00", b"\xff" * 15 + b"\x01", b"y" * 30]),
]


def columns_and_values():
    """Fields of every kind, each with a function that makes one value of it."""
    rng = random.Random(20261130)

    def maybe(value, share=0.2):
        return None if rng.random() < share else value

    columns = [(NestedField(i + 1, f"c{i + 1}", type_, required=False), lambda v=values: maybe(rng.choice(v)))
               for i, (type_, values) in enumerate(PRIMITIVES)]
    columns += [
        (NestedField(100, "before", StructType(NestedField(101, "a", LongType(), required=False),
                                               NestedField(102, "b", StringType(), required=False)), required=False),
         lambda: maybe({"a": maybe(rng.randrange(100)), "b": maybe(rng.choice("xyz"))})),
        (NestedField(110, "plain", IntegerType(), required=False), lambda: rng.randrange(1000)),
        (NestedField(120, "list", ListType(121, StructType(NestedField(122, "x", LongType(), required=False)),
                                           element_required=False), required=False),
         lambda: maybe([maybe({"x": maybe(rng.randrange(9))}) for _ in range(rng.randrange(4))])),
        (NestedField(130, "map", MapType(131, StringType(), 132, LongType(), value_required=False), required=False),
         lambda: maybe([(key, maybe(rng.randrange(9))) for key in "kl"[:rng.randrange(3)]])),
    ]
    return columns


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The rows, their schema, our file of them, and what we say of it."""
    folder = tmp_path_factory.mktemp("parquet")
    columns = columns_and_values()
    schema = Schema(*[field for field, _ in columns])
    arrow_schema = schema_to_pyarrow(schema)
    arrays = [array_of(field.type, [make() for _ in range(500)]) for field, (_, make) in zip(arrow_schema, columns)]
    rows = pa.Table.from_arrays(arrays, schema=arrow_schema)
    theirs, ours = folder / "theirs.parquet", folder / "ours.parquet"
    pq.write_table(rows, theirs, store_schema=False)
    done = subprocess.run([TOOL, f"file://{theirs}", f"file://{ours}", "write.parquet.row-group-limit=128",
                           "write.parquet.bloom-filter-enabled.column.plain=true"],
                          capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return rows, schema, ours, json.loads(done.stdout)


def array_of(type_, values):
    """Large strings and extension types, which PyIceberg asks for, are filled through what they store."""
    return pa.array(values, type_.storage_type).cast(type_) if isinstance(type_, pa.ExtensionType) \
        else pa.array(values, type_)


def bits(rows):
    """Rows so that NaN equals itself and zeros differ by their sign."""
    return [{name: repr(value) for name, value in row.items()} for row in rows]


def test_pyarrow_reads_the_same_rows(written):
    rows, _, ours, said = written
    read = pq.read_table(ours)
    assert said["record_count"] == rows.num_rows
    assert bits(read.cast(rows.schema).to_pylist() if read.schema != rows.schema else read.to_pylist()) == \
        bits(rows.to_pylist())


def test_the_file_has_field_ids_and_its_row_groups_start_where_we_say(written):
    _, schema, ours, said = written
    footer = pq.read_metadata(ours)
    assert footer.num_row_groups == 4
    assert len(said["split_offsets"]) == 4
    assert said["split_offsets"] == sorted(said["split_offsets"])
    assert said["file_size_bytes"] == ours.stat().st_size
    ids = {column: int(field_id) for column, field_id in parquet_path_to_id_mapping(schema).items()}
    assert {footer.schema.column(i).path for i in range(footer.num_columns)} == set(ids)
    assert {int(field_id) for field_id in said["column_sizes"]} == set(ids.values())


def test_duckdb_reads_the_same_rows(written):
    rows, _, ours, _ = written
    question = "select count(*), count(c13), max(c3), min(c8), sum(plain), max(c12::varchar), count(map) from {}"
    connection = duckdb.connect()
    connection.execute("set TimeZone='UTC'")
    theirs = rows.select(["c13", "c3", "c8", "plain", "c12", "map"])
    connection.register("theirs", theirs)
    assert connection.execute(question.format(f"read_parquet('{ours}')")).fetchall() == \
        connection.execute(question.format("theirs")).fetchall()


def test_the_counts_are_those_pyiceberg_makes_of_the_footer(written):
    _, schema, ours, said = written
    theirs = statistics_of(schema, ours)
    assert {int(k): v for k, v in said["value_counts"].items()} == theirs.value_counts
    assert {int(k): v for k, v in said["null_value_counts"].items()} == theirs.null_value_counts
    assert {int(k): v for k, v in said["column_sizes"].items()} == theirs.column_sizes


def test_pyiceberg_decodes_our_bounds_to_the_least_and_greatest_value(written):
    rows, schema, _, said = written
    for position, (type_, _) in enumerate(PRIMITIVES):
        values = [value for value in rows.column(position).to_pylist() if value is not None]
        values = [value.bytes if isinstance(value, uuid.UUID) else value for value in values]
        values = [value for value in values if not (isinstance(value, float) and math.isnan(value))]
        lower, upper = (as_python(type_, from_bytes(type_, bytes.fromhex(said[side][str(position + 1)])))
                        for side in ("lower_bounds", "upper_bounds"))
        least, greatest = min(values, key=comparable), max(values, key=comparable)
        if isinstance(type_, (StringType, BinaryType)):
            assert lower == least[:16] and comparable(upper) >= comparable(greatest) and len(upper) <= 16
        else:
            assert (lower, upper) == (least, greatest), type_


def test_nothing_inside_lists_and_maps_has_bounds(written):
    _, _, _, said = written
    assert {"122", "131", "132"} & set(said["lower_bounds"]) == set()
    assert {"101", "102", "110"} <= set(said["lower_bounds"])


def test_nan_counts_are_true(written):
    rows, _, _, said = written
    for position, (type_, _) in enumerate(PRIMITIVES):
        if isinstance(type_, (FloatType, DoubleType)):
            nans = sum(1 for value in rows.column(position).to_pylist() if value is not None and math.isnan(value))
            assert said["nan_value_counts"][str(position + 1)] == nans > 0
    assert len(said["nan_value_counts"]) == 2


def statistics_of(schema, path):
    return data_file_statistics_from_parquet_metadata(
        parquet_metadata=pq.read_metadata(path), stats_columns=compute_statistics_plan(schema, {}),
        parquet_column_mapping=parquet_path_to_id_mapping(schema))


def comparable(value):
    """Strings are ordered by their UTF-8 bytes."""
    return value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value


def as_python(type_, value):
    """What PyIceberg decodes, as pyarrow gives it."""
    if isinstance(type_, DateType):
        return datetime.date(1970, 1, 1) + datetime.timedelta(days=value)
    if isinstance(type_, TimeType):
        return (EPOCH + datetime.timedelta(microseconds=value)).time()
    if isinstance(type_, TimestampType):
        return EPOCH + datetime.timedelta(microseconds=value)
    if isinstance(type_, TimestamptzType):
        return (EPOCH + datetime.timedelta(microseconds=value)).replace(tzinfo=UTC)
    if isinstance(value, uuid.UUID):
        return value.bytes
    return value

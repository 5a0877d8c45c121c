"""One SQLite catalog, shared with PyIceberg: what either writes, the other reads with the same rows."""
import datetime
import json
import os
import pathlib
import sqlite3
import subprocess
import time

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import NoSuchTableError
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import BucketTransform, HourTransform, IdentityTransform
from pyiceberg.types import DoubleType, LongType, NestedField, StringType, TimestamptzType

BUILD = os.environ.get("STRANDLINE_BUILD", str(pathlib.Path(__file__).resolve().parents[2] / "build"))
TOOL = pathlib.Path(BUILD) / "tests" / "sl_table_tool"
UTC = datetime.timezone.utc


class ToolError(Exception):
    pass


class Shared:
    """One database and warehouse with both programs on it."""

    def __init__(self, folder, name="ads"):
        self.name = name
        self.database = str(folder / "catalog.db")
        self.warehouse = f"file://{folder}/lake"

    def pyiceberg(self, name=None):
        return SqlCatalog(name or self.name, uri=f"sqlite:///{self.database}", warehouse=self.warehouse)

    def ours(self, command, table="ads.orders", **arguments):
        request = {"database": self.database, "catalog": self.name, "warehouse": self.warehouse,
                   "command": command, "table": table, **arguments}
        done = subprocess.run([TOOL], input=json.dumps(request), capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            raise ToolError(done.stdout or done.stderr)
        return json.loads(done.stdout)

    def load(self, table="ads.orders"):
        return self.pyiceberg().load_table(table)

    def agree(self, table="ads.orders"):
        """The rows, if both programs read the same ones and the table is sound."""
        theirs = sorted(" ".join(text(value) for value in row.values())
                        for row in self.load(table).scan().to_arrow().to_pylist())
        answer = self.ours("scan", table)
        assert answer["rows"] == theirs
        assert self.ours("fsck", table)["findings"] == []
        assert_totals_are_true(self.load(table))
        return theirs


def text(value):
    if value is None:
        return "null"
    if isinstance(value, datetime.datetime):
        shown = value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S").removesuffix(":00")
        return f"{shown}Z"
    return str(value)


def assert_totals_are_true(table):
    """Totals of the current snapshot equal a count over its manifests, by PyIceberg's reading."""
    snapshot = table.current_snapshot()
    if snapshot is None:
        return
    files = table.inspect.files().to_pylist()
    data = [file for file in files if file["content"] == 0]
    deletes = [file for file in files if file["content"] == 1]
    counted = {
        "total-data-files": len(data),
        "total-records": sum(file["record_count"] for file in data),
        "total-delete-files": len(deletes),
        "total-position-deletes": sum(file["record_count"] for file in deletes),
        "total-files-size": sum(file["file_size_in_bytes"] for file in files),
    }
    summary = snapshot.summary
    for key, value in counted.items():
        if summary[key] is not None:
            assert (key, summary[key]) == (key, str(value))


@pytest.fixture
def shared(tmp_path):
    return Shared(tmp_path)


def orders(*ids, country="DE"):
    return [{"id": id_, "country": country} for id_ in ids]


def arrow_orders(*ids, country="FR"):
    return pa.table({"id": pa.array(ids, pa.int64()), "country": pa.array([country] * len(ids), pa.string())})


def test_pyiceberg_reads_and_appends_to_our_table(shared):
    shared.ours("create", columns="id long, country string")
    shared.ours("append", rows=orders(1, 2, 3))
    assert shared.agree() == ["1 DE", "2 DE", "3 DE"]

    shared.load().append(arrow_orders(4, 5))
    assert shared.agree() == ["1 DE", "2 DE", "3 DE", "4 FR", "5 FR"]

    shared.ours("append", rows=orders(6))
    assert shared.agree() == ["1 DE", "2 DE", "3 DE", "4 FR", "5 FR", "6 DE"]
    assert [entry["parent_id"] is None for entry in shared.load().inspect.snapshots().to_pylist()] == [
        True, False, False]


@pytest.mark.parametrize("partitioned_by", ["country", "bucket[4](id)", "truncate[2](country)", "hour(at)",
                                            "day(at), country", "month(at)", "year(at)", "void(country)"])
def test_partitions_are_the_same_for_both(shared, partitioned_by):
    shared.ours("create", columns="id long, country string, at timestamptz", partitioned_by=partitioned_by)
    times = ["1969-12-31 23:30:00", "1970-01-01 00:00:00", "2026-11-30 05:17:00"]
    rows = [{"id": i, "country": c, "at": t} for i, (c, t) in enumerate(
        [("DE", times[0]), ("Köln/Süd & co", times[1]), (None, times[2]), ("", times[2])])]
    shared.ours("append", rows=rows)
    assert len(shared.agree()) == 4

    at = [datetime.datetime(1900, 2, 28, 1, 2, 3, tzinfo=UTC), None]
    shared.load().append(pa.table({"id": pa.array([7, 8], pa.int64()), "country": ["DE", "a=b"],
                                   "at": pa.array(at, pa.timestamp("us", tz="UTC"))}))
    assert len(shared.agree()) == 6
    for partition in shared.load().inspect.partitions().to_pylist():
        assert partition["record_count"] > 0


def test_we_read_and_append_to_pyicebergs_table(shared):
    catalog = shared.pyiceberg()
    catalog.create_namespace("ads")
    schema = Schema(NestedField(1, "id", LongType(), required=False), NestedField(2, "country", StringType(), required=False),
                    NestedField(3, "at", TimestamptzType(), required=False),
                    NestedField(4, "price", DoubleType(), required=False))
    spec = PartitionSpec(PartitionField(3, 1000, HourTransform(), "at_hour"),
                         PartitionField(1, 1001, BucketTransform(4), "id_bucket"),
                         PartitionField(2, 1002, IdentityTransform(), "country"))
    table = catalog.create_table("ads.orders", schema, partition_spec=spec)
    at = datetime.datetime(2026, 11, 30, 5, tzinfo=UTC)
    table.append(pa.table({
        "id": pa.array(range(10), pa.int64()), "country": ["DE", "FR"] * 5,
        "at": pa.array([at + datetime.timedelta(minutes=20 * i) for i in range(10)], pa.timestamp("us", tz="UTC")),
        "price": pa.array([float("nan"), -0.0, 1.5, None, float("inf")] * 2, pa.float64())}))
    assert shared.ours("scan")["summary"]["total-records"] == "10"
    assert shared.ours("fsck")["findings"] == []

    shared.ours("append", rows=[{"id": 100, "country": "IT", "at": "2026-11-30 09:00:00", "price": 2.5}])
    assert shared.ours("fsck")["findings"] == []
    ids = sorted(row["id"] for row in shared.load().scan().to_arrow().to_pylist())
    assert ids == [*range(10), 100]
    assert_totals_are_true(shared.load())


def test_pyiceberg_applies_our_position_deletes(shared):
    shared.ours("create", columns="id long, country string")
    shared.ours("append", rows=orders(*range(10)))
    path = shared.ours("scan")["files"][0]

    shared.ours("delete_rows", positions={path: [0, 4, 9]})
    assert shared.agree() == [f"{i} DE" for i in (1, 2, 3, 5, 6, 7, 8)]
    assert shared.load().current_snapshot().summary["total-position-deletes"] == "3"

    shared.load().append(arrow_orders(50))
    shared.ours("remove_files", paths=[path])
    assert shared.agree() == ["50 FR"]
    assert shared.load().current_snapshot().summary["total-delete-files"] == "0"


def test_we_read_pyicebergs_overwrites_and_deletes(shared):
    shared.ours("create", columns="id long, country string")
    shared.ours("append", rows=orders(*range(10)))

    shared.load().delete("id >= 5")
    assert shared.agree() == [f"{i} DE" for i in range(5)]

    shared.load().overwrite(arrow_orders(70, 71))
    assert shared.agree() == ["70 FR", "71 FR"]

    with shared.load().update_schema() as update:
        update.rename_column("country", "land")
        update.add_column("price", DoubleType())
    shared.ours("append", rows=[{"id": 1, "land": "DE", "price": 1.5}])
    assert shared.agree() == ["1 DE 1.5", "70 FR null", "71 FR null"]


def test_both_list_the_same(shared):
    shared.ours("create", columns="id long", table="eu.ads.orders")
    shared.ours("create", columns="id long", table="eu.clicks")
    catalog = shared.pyiceberg()
    catalog.create_namespace("empty")

    answer = shared.ours("list")
    assert answer["namespaces"] == [["empty"], ["eu"], ["eu", "ads"]]
    assert answer["tables"] == ["eu.clicks", "eu.ads.orders"]
    assert sorted(catalog.list_namespaces()) == [("empty",), ("eu",)]
    assert catalog.list_tables("eu.ads") == [("eu", "ads", "orders")]
    assert catalog.load_table("eu.clicks").location() == f"{shared.warehouse}/eu/clicks"


def test_pyiceberg_and_we_use_one_default_location(shared):
    shared.ours("create", columns="id long", table="ads.ours")
    table = shared.pyiceberg().create_table("ads.theirs", Schema(NestedField(1, "id", LongType(), required=False)))

    assert shared.load("ads.ours").location() == table.location().replace("theirs", "ours")


def test_database_of_the_first_schema(shared):
    shared.ours("create", columns="id long, country string")
    with sqlite3.connect(shared.database) as database:
        database.execute("ALTER TABLE iceberg_tables DROP COLUMN iceberg_type")

    assert shared.ours("list")["tables"] == ["ads.orders"]
    shared.ours("append", rows=orders(1))
    shared.load().append(arrow_orders(2))
    assert shared.agree() == ["1 DE", "2 FR"]


def test_views_are_not_tables(shared):
    shared.ours("create", columns="id long")
    with sqlite3.connect(shared.database) as database:
        database.execute("INSERT INTO iceberg_tables VALUES ('ads', 'ads', 'v', 'file:///v.json', NULL, 'VIEW')")

    assert shared.ours("list")["tables"] == ["ads.orders"]
    with pytest.raises(NoSuchTableError):
        shared.load("ads.v")


def test_another_catalogs_name_is_named(shared):
    shared.pyiceberg("prod").create_namespace("ads")

    with pytest.raises(ToolError, match="named: prod"):
        shared.ours("scan")


def test_writers_of_both_kinds_take_turns(shared):
    shared.ours("create", columns="id long, country string", properties={"commit.manifest.min-count-to-merge": "4"})
    for round_ in range(8):
        shared.ours("append", rows=orders(2 * round_))
        shared.load().append(arrow_orders(2 * round_ + 1))
    assert len(shared.agree()) == 16
    assert len(shared.load().current_snapshot().manifests(shared.load().io)) < 8


@pytest.mark.parametrize("ahead_seconds", [30, 601])
def test_clocks_that_disagree_do_not_stop_commits(shared, ahead_seconds):
    shared.ours("create", columns="id long, country string", now_ms=int((time.time() + ahead_seconds) * 1000))
    shared.ours("append", rows=orders(1))
    shared.ours("append", rows=orders(2))

    assert shared.agree() == ["1 DE", "2 DE"]
    log = shared.load().metadata.snapshot_log
    assert log[0].timestamp_ms < log[1].timestamp_ms == shared.load().metadata.last_updated_ms
    if ahead_seconds < 60:
        shared.load().append(arrow_orders(3))
        assert shared.agree() == ["1 DE", "2 DE", "3 FR"]

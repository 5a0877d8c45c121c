"""Table metadata as other writers store it: compressed, under each name that readers accept."""
import gzip
import json
import pathlib
import sqlite3

import pytest

from shop import land_hours, shop

GZIP_MAGIC = b"\x1f\x8b"


def local(location):
    return pathlib.Path(location.removeprefix("file://"))


def store_compressed(lake, name, suffix):
    """Replaces the metadata file by a compressed one with another name, and tells the catalog."""
    path = local(lake.table(name).metadata_location)
    compressed = path.with_name(path.name.removesuffix(".metadata.json") + suffix)
    data = gzip.compress(path.read_bytes())
    path.unlink()
    compressed.write_bytes(data)
    with sqlite3.connect(lake.folder / "catalog.db") as database:
        database.execute("update iceberg_tables set metadata_location = ? where table_name = ?",
                         (f"file://{compressed}", name.split(".")[1]))
    return compressed


@pytest.mark.parametrize("suffix", [".gz.metadata.json", ".metadata.json.gz", ".metadata.json"])
def test_compressed_metadata_is_read_and_committed_on(tmp_path, suffix):  # C111
    lake = shop(tmp_path, rolling=None)
    land_hours(lake, [0])
    lake.run()
    before = lake.snapshots("shop.orders")
    compressed = store_compressed(lake, "shop.orders", suffix)
    assert lake.plan()["units"] == []

    land_hours(lake, [1])
    lake.run()
    table = lake.table("shop.orders")
    assert [snapshot.snapshot_id for snapshot in table.metadata.snapshots][:1] == before
    assert [entry.metadata_file for entry in table.metadata.metadata_log] == [f"file://{compressed}"]
    # Nobody asked for gzip, so the next is plain, and its name says so.
    assert table.metadata_location.endswith(".metadata.json") and ".gz" not in local(table.metadata_location).name
    assert json.loads(local(table.metadata_location).read_bytes())
    assert lake.duckdb_rows("shop.orders") == lake.pyiceberg_rows("shop.orders")
    assert sum(lake.pyiceberg_rows("shop.orders").values()) == 6
    assert lake.fsck() == []


def test_a_table_that_asks_for_gzip_gets_it(tmp_path):  # C111
    lake = shop(tmp_path, rolling=None)
    land_hours(lake, [0])
    lake.run()
    with lake.table("shop.orders").transaction() as transaction:
        transaction.set_properties({"write.metadata.compression-codec": "gzip"})
    for hour in (1, 2):
        land_hours(lake, [hour])
        lake.run()
        location = lake.table("shop.orders").metadata_location
        assert location.endswith(".gz.metadata.json")
        assert local(location).read_bytes().startswith(GZIP_MAGIC)
    assert lake.duckdb_rows("shop.orders") == lake.pyiceberg_rows("shop.orders")
    assert sum(lake.pyiceberg_rows("shop.orders").values()) == 9
    assert lake.fsck() == []


def test_cut_gzip_metadata_is_named_and_nothing_is_done(tmp_path):  # C111
    lake = shop(tmp_path, rolling=None)
    land_hours(lake, [0])
    lake.run()
    compressed = store_compressed(lake, "shop.orders", ".gz.metadata.json")
    compressed.write_bytes(compressed.read_bytes()[:-20])
    land_hours(lake, [1])
    report = lake.run(code=1)
    (problem,) = report["problems"]
    assert str(compressed) in problem and "gzip" in problem
    assert report["units"] == []

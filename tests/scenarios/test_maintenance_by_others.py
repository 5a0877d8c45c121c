"""Other programs compact, expire, sweep and describe the tables; the pipeline goes on as if they had not."""
import json
import pathlib
import shutil

import pytest

from lake import Lake
from shop import hour_text, land_hours, shop, windows


def compact(lake, name):
    """One file a partition instead of many, committed as a compaction."""
    table = lake.table(name)
    table.overwrite(table.scan().to_arrow())
    lake.rename_foreign_operation(name, "replace")


def expire_all_but_last(lake, name):
    table = lake.table(name)
    old = [snapshot.snapshot_id for snapshot in table.metadata.snapshots if snapshot.snapshot_id != table.current_snapshot().snapshot_id]
    table.maintenance.expire_snapshots().by_ids(old).commit()


def delete_orphans(lake, name):
    """Deletes every file of the table that its metadata no longer names; returns how many."""
    table = lake.table(name)
    used = {table.metadata_location} | {entry.metadata_file for entry in table.metadata.metadata_log}
    for snapshot in table.metadata.snapshots:
        used.add(snapshot.manifest_list)
        for manifest in snapshot.manifests(table.io):
            used.add(manifest.manifest_path)
            used |= {entry.data_file.file_path for entry in manifest.fetch_manifest_entry(table.io)}
    folder = pathlib.Path(table.location().removeprefix("file://"))
    orphans = [path for path in folder.rglob("*") if path.is_file() and f"file://{path}" not in used]
    for path in orphans:
        path.unlink()
    return len(orphans)


def test_after_all_maintenance_the_next_hour_runs_and_only_that(tmp_path):  # C150
    undisturbed, lake = shop(tmp_path / "undisturbed"), shop(tmp_path / "maintained")
    for each in (undisturbed, lake):
        for hour in range(5):
            land_hours(each, [hour])
            each.run()
    deleted = 0
    for name in ("shop.orders", "shop.orders_hourly", "shop.orders_rolling"):
        compact(lake, name)
        expire_all_but_last(lake, name)
        deleted += delete_orphans(lake, name)
    assert deleted > 20
    shutil.rmtree(lake.project / ".strandline", ignore_errors=True)

    assert lake.plan()["units"] == []
    for each in (undisturbed, lake):
        land_hours(each, [5])
    report = lake.run()
    assert [(unit["table"], unit["window"], unit["was"]) for unit in report["units"]] == [
        (f"shop.{name}", hour_text(5), "missing") for name in ("orders", "orders_hourly", "orders_rolling")]
    undisturbed.run()
    assert lake.all_rows() == undisturbed.all_rows()
    assert lake.duckdb_rows("shop.orders") == lake.pyiceberg_rows("shop.orders")
    assert lake.plan()["units"] == [] and lake.fsck() == []


def test_a_late_file_after_all_maintenance_is_deduplicated_and_restates_its_windows(tmp_path):  # C150
    undisturbed, lake = shop(tmp_path / "undisturbed"), shop(tmp_path / "maintained")
    for each in (undisturbed, lake):
        land_hours(each, range(3))
        each.run()
    for name in ("shop.orders", "shop.orders_hourly", "shop.orders_rolling"):
        compact(lake, name)
        expire_all_but_last(lake, name)
        delete_orphans(lake, name)
    for each in (undisturbed, lake):
        land_hours(each, [1], per_hour=4)
    reports = [each.run() for each in (lake, undisturbed)]
    restated, expected = ([(unit["table"], unit["window"]) for unit in report["units"]] for report in reports)
    assert restated == expected
    assert windows(reports[0], "shop.orders_hourly") == [hour_text(1)]
    (ingest,) = [unit for unit in reports[0]["units"] if unit["table"] == "shop.orders"]
    assert (ingest["counts"]["rows_duplicate"], ingest["counts"]["rows_published"]) == (3, 1)
    assert lake.all_rows() == undisturbed.all_rows()


@pytest.mark.parametrize("kind", ["statistics", "partition-statistics"])
def test_statistics_files_of_others_stay_in_the_metadata(tmp_path, kind):
    lake = shop(tmp_path)
    land_hours(lake, [0])
    lake.run()
    snapshot = lake.table("shop.orders").current_snapshot().snapshot_id
    path = pathlib.Path(lake.table("shop.orders").metadata_location.removeprefix("file://"))
    statistics_file = path.parent / "of-others.puffin"
    statistics_file.write_bytes(b"PFA1PFA1")
    entry = {"snapshot-id": snapshot, "statistics-path": f"file://{statistics_file}", "file-size-in-bytes": 8}
    if kind == "statistics":
        blob = {"type": "apache-datasketches-theta-v1", "snapshot-id": snapshot, "sequence-number": 1, "fields": [1], "properties": {"ndv": "3"}}
        entry |= {"file-footer-size-in-bytes": 4, "blob-metadata": [blob]}
    metadata = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(metadata | {kind: [entry]}), encoding="utf-8")

    land_hours(lake, [1])
    lake.run()
    land_hours(lake, [2])
    lake.run()
    newest = pathlib.Path(lake.table("shop.orders").metadata_location.removeprefix("file://"))
    assert newest != path
    assert json.loads(newest.read_text(encoding="utf-8"))[kind] == [entry]
    assert lake.fsck() == []

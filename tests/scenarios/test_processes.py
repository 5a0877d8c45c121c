"""Real processes: two at once, one that is asked to stop, one with little memory, one that finds the catalog locked."""
import json
import os
import signal
import sqlite3
import threading
import time

import pytest

from lake import Lake
from shop import land_hours, order, shop

# What tables hold, without reading every row into Python.
SUM = "select count(*), count(distinct {key}), sum(hash({key}) % 1000003) from {table}"


def sums(lake):
    return [lake.query(SUM.format(table=f"ads.{name}", key=f"{name[:-1]}_id")) for name in ("impressions", "conversions")]


def test_two_runs_at_once_publish_everything_once(tmp_path):
    reference = shop(tmp_path / "one")
    both = shop(tmp_path / "two")
    for lake in (reference, both):
        land_hours(lake, range(5))
    reference.run()
    processes = [both.start("run") for _ in range(2)]
    codes = []
    for process in processes:
        out, err = process.communicate(timeout=120)
        codes.append(process.returncode)
        assert process.returncode in (0, 5), out + err
    assert 0 in codes
    both.run()
    assert both.all_rows() == reference.all_rows()
    assert both.fsck() == []
    assert both.plan()["units"] == []


def test_sigterm_stops_at_a_safe_point_and_the_next_run_goes_on(tmp_path):
    lake = Lake.of_ads(tmp_path)
    lake.land_ads("--first-hour", "2026-11-30T05Z", "--hours", 1, scale=0.02)
    points = tmp_path / "points"
    process = lake.start("run", environment={"STRANDLINE_TEST_POINTS": str(points), "STRANDLINE_TEST_PAUSE_AT": "in a data file"})
    while "in a data file" not in (points.read_text() if points.exists() else ""):
        assert process.poll() is None, process.communicate()
        time.sleep(0.005)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 143
    assert "goes on from there" in err
    lake.run()
    assert lake.plan()["units"] == []
    assert lake.fsck() == []
    ((rows, keys, _),) = sums(lake)[0]
    assert rows == keys > 0


def test_sigint_has_its_own_exit_code(tmp_path):
    lake = Lake.of_ads(tmp_path)
    lake.land_ads("--first-hour", "2026-11-30T05Z", "--hours", 1)
    points = tmp_path / "points"
    process = lake.start("run", environment={"STRANDLINE_TEST_POINTS": str(points), "STRANDLINE_TEST_PAUSE_AT": "after the last data file"})
    while "after the last data file" not in (points.read_text() if points.exists() else ""):
        assert process.poll() is None, process.communicate()
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    assert lake.run()["units"]


@pytest.fixture(scope="module")
def two_million(tmp_path_factory):
    """An hour of 2 million impressions, landed and run with the project's own limits."""
    lake = Lake.of_ads(tmp_path_factory.mktemp("big"))
    lake.land_ads("--first-hour", "2026-11-30T05Z", "--hours", 1, scale=0.16)
    lake.run("--select", "impressions", "conversions")
    return lake


def content(lake, name):
    """Every column of every row, whatever their order: a sum of hashes per column, and one over whole rows."""
    columns = [field.name for field in lake.table(name).schema().fields if not field.name.startswith("_strand_")]
    hashes = ", ".join(f"sum(hash({column}) % 1000003)" for column in [*columns, ", ".join(columns)])
    return lake.query(f"select count(*), {hashes} from {name}")


def test_little_memory_gives_the_same_rows(two_million, tmp_path):
    lake = Lake.of_ads(tmp_path)
    (tmp_path / "landing").symlink_to(two_million.folder / "landing")
    process = lake.start("run", "--output", "json", "--select", "impressions", "conversions", "--memory-limit", "256MiB")
    out, err = process.stdout.read(), process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0, err
    assert sum(unit["counts"]["rows_in"] for unit in json.loads(out)["units"]) > 2_000_000
    # The limit is the engine's and the deduplication's; the program, Parquet's buffers and the allocator come on top.
    assert used.ru_maxrss / 1024 < 256 + 200, f"a peak of {used.ru_maxrss / 1024:.0f} MiB"
    for name in ("ads.impressions", "ads.conversions"):
        assert content(lake, name) == content(two_million, name)


def test_sigterm_in_a_large_ingest_ends_soon_and_the_next_run_goes_on(two_million, tmp_path):
    lake = Lake.of_ads(tmp_path)
    (tmp_path / "landing").symlink_to(two_million.folder / "landing")
    points = tmp_path / "points"
    process = lake.start("run", "--select", "impressions", "conversions", environment={"STRANDLINE_TEST_POINTS": str(points)})
    while "in a data file" not in (points.read_text() if points.exists() else ""):
        assert process.poll() is None, process.communicate()
        time.sleep(0.005)
    asked = time.monotonic()
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=60)
    seconds = time.monotonic() - asked
    print(f"ended {seconds:.2f} s after SIGTERM")
    assert process.returncode == 143 and "goes on from there" in err
    assert seconds < 20

    lake.run("--select", "impressions", "conversions")
    for name in ("ads.impressions", "ads.conversions"):
        assert content(lake, name) == content(two_million, name)
    assert lake.plan("--select", "impressions", "conversions")["units"] == []


def test_without_bloom_filters_rows_are_equal_and_more_is_read(tmp_path):
    reports = {}
    for option in ("", "--no-bloom-filters"):
        lake = Lake.of_ads(tmp_path / f"lake{option}")
        lake.land_ads("--first-hour", "2026-11-30T05Z", "--hours", 2, scale=0.002)
        # Few rows ask, and they ask about few: an hour's own file is asked about what arrived late.
        # One thread: which of two gets which rows decides how many bytes a file has.
        units = lake.run("--select", "impressions", "--threads", "1", *option.split())["units"]
        reports[option] = (sums_of(lake), units[1]["counts"])
    (rows, asked), (rows_without, without) = reports.values()
    assert rows == rows_without
    assert asked["rows_duplicate"] == without["rows_duplicate"] > 0
    assert 0 < asked["filter_hits"] < asked["keys_asked"]
    assert asked["verify_bytes"] <= without["verify_bytes"]


def sums_of(lake):
    return lake.query(SUM.format(table="ads.impressions", key="impression_id"))


def test_filters_spare_files_that_hold_none_of_the_keys(tmp_path):
    """Twenty files of one hour, and a late file of new orders: filters answer for all of them; without, each is read."""
    reports = {}
    for option in ("", "--no-bloom-filters"):
        lake = shop(tmp_path / f"lake{option}", rolling=None, hourly=None)
        for number in range(6):
            lake.land("orders", "2026-11-30-00", f"p{number}.jsonl", [order(f"{number}-{i}", "2026-11-30T00:10:00Z") for i in range(50)])
            lake.run()
        lake.land("orders", "2026-11-30-00", "late.jsonl", [order(f"new-{i}", "2026-11-30T00:20:00Z") for i in range(20)])
        (unit,) = lake.run(*option.split())["units"]
        reports[option] = unit["counts"]
        assert lake.query("select count(*) from shop.orders") == [(320,)]
    assert reports[""]["verify_bytes"] < reports["--no-bloom-filters"]["verify_bytes"]


def test_a_locked_catalog_is_waited_for(tmp_path):  # C033
    lake = shop(tmp_path)
    land_hours(lake, [0])
    lake.run()
    land_hours(lake, [1])
    database = sqlite3.connect(tmp_path / "catalog.db", isolation_level=None, check_same_thread=False)
    database.execute("begin immediate")
    timer = threading.Timer(2, lambda: database.execute("rollback"))
    timer.start()
    report = lake.run()
    timer.join()
    assert {unit["outcome"] for unit in report["units"]} == {"published"}


def test_a_read_only_lake_changes_nothing_and_says_what_it_could_not_write(tmp_path):
    if os.geteuid() == 0:
        # Root may write everywhere: a file where the folder should be is refused to everyone.
        lake = shop(tmp_path)
        land_hours(lake, [0])
        (tmp_path / "lake").mkdir()
        (tmp_path / "lake" / "shop").write_bytes(b"")
    else:
        lake = shop(tmp_path)
        land_hours(lake, [0])
        (tmp_path / "lake").mkdir(mode=0o500)
    report = lake.run(code=1)
    assert {unit["outcome"] for unit in report["units"]} == {"failed"}
    assert all("shop" in unit["error"] for unit in report["units"])
    assert lake.tables() == []

"""The demo's story, step by step; after each step PyIceberg, DuckDB and we see the same rows in every table, and the tables are sound."""
from lake import Lake
from test_main_job import assert_readers_agree


def windows(report, table):
    return sorted(unit["window"][11:13] for unit in report["units"] if unit["table"] == table)


def test_the_story(tmp_path):
    lake = Lake.of_ads(tmp_path)
    lake.land_ads("--first-hour", "2026-11-30T05Z", "--hours", 3)
    lake.run()
    assert_readers_agree(lake)

    assert lake.run()["units"] == []
    assert_readers_agree(lake)

    # The next hour, killed in the middle, and gone on with.
    lake.land_ads("--first-hour", "2026-11-30T08Z", "--hours", 1)
    points = tmp_path / "points"
    process = lake.start("run", environment={"STRANDLINE_TEST_POINTS": str(points), "STRANDLINE_TEST_PAUSE_AT": "after the last data file"})
    while "after the last data file" not in (points.read_text() if points.exists() else ""):
        assert process.poll() is None, process.communicate()
    process.kill()
    process.communicate()
    assert_readers_agree(lake)
    lake.run()
    assert_readers_agree(lake)
    assert lake.plan()["units"] == []

    # A late file restates exactly the windows that read the hours its rows happened in.
    meta = lake.land_ads("--late-file", "2026-11-30T06Z")
    (late,) = meta["hours"]["2026-11-30-06"]["late_files"]
    before = lake.query("select count(*) from ads.impressions")[0][0]
    report = lake.run()
    (ingest,) = [unit for unit in report["units"] if unit["table"] == "ads.impressions"]
    assert ingest["counts"]["rows_in"] == late["rows"]
    published = ingest["counts"]["rows_published"]
    assert lake.query("select count(*) from ads.impressions")[0][0] == before + published
    new_hours = sorted({hour[11:13] for hour, count in late["new_ids_by_event_hour"].items() if count > 0 and hour[11:13] >= "05"})
    assert new_hours and windows(report, "ads.campaign_hourly") == new_hours
    assert windows(report, "ads.reach_hourly") == new_hours
    looking_back = [f"{hour:02}" for hour in range(int(new_hours[0]), 9)]
    assert windows(report, "ads.attribution_hourly") == looking_back, "a lookback of 24 hours sees all later windows"
    assert_readers_agree(lake)

    # A bad advertiser is blocked; without his file the hour is published.
    lake.land_ads("--first-hour", "2026-11-30T09Z", "--hours", 1, "--bad-advertiser", "2026-11-30T09Z")
    report = lake.run(code=3)
    (blocked,) = [unit for unit in report["units"] if unit["outcome"] == "blocked"]
    assert blocked["table"] == "ads.impressions"
    assert {check["owner"] for check in blocked["checks"] if check["result"] == "failed"} >= {"ads-billing"}
    assert_readers_agree(lake)
    (refunds,) = (tmp_path / "landing" / "impressions" / "2026-11-30-09").glob("refunds-*")
    refunds.unlink()
    lake.run()
    assert_readers_agree(lake)
    assert lake.fsck() == []
    assert lake.run()["units"] == []

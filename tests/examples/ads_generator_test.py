"""The generator of examples/ads lands what its meta.json says, and the same again."""

import filecmp
import gzip
import json
import pathlib
import subprocess
import sys

import duckdb
import pytest

GENERATE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "ads" / "generate.py"
KEYS = {"impressions": "impression_id", "conversions": "conversion_id"}


def generate(out, *options):
    done = subprocess.run(
        [sys.executable, GENERATE, "--out", out, "--scale", "0.0005", *options],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    meta = json.loads(done.stdout)
    assert meta == json.loads((out / "meta.json").read_text())
    return meta


def files(out):
    return sorted(str(path.relative_to(out)) for path in out.rglob("*") if path.is_file())


def impressions(folder):
    """(impression_id, microseconds since 1970, advertiser_id, cost_micros) of each landed row."""
    return duckdb.sql(
        "select impression_id, epoch_us(event_time), advertiser_id, cost_micros"
        f" from read_parquet('{folder}/*.parquet')"
    ).fetchall()


def conversions(folder):
    """The rows of good lines, and the lines that are no JSON."""
    rows, broken = [], []
    for path in sorted(folder.glob("*.jsonl.gz")):
        for line in gzip.open(path, "rt"):
            try:
                rows.append(json.loads(line))
            except ValueError:
                broken.append(line)
    return rows, broken


@pytest.fixture(scope="module")
def three_hours(tmp_path_factory):
    out = tmp_path_factory.mktemp("ads")
    return out, generate(out, "--first-hour", "2026-11-30T05Z", "--hours", "3")


def test_meta_counts_impressions_as_they_landed(three_hours):
    out, meta = three_hours
    seen = set()
    for hour, facts in sorted(meta["hours"].items()):
        rows = impressions(out / "landing" / "impressions" / hour)
        ids = [row[0] for row in rows if row[0] is not None]
        start = duckdb.sql(f"select epoch_us(strptime('{hour}', '%Y-%m-%d-%H'))").fetchone()[0]
        truth = facts["impressions"]

        assert len(rows) == truth["rows"] == 6250
        assert len(set(ids)) == truth["unique_ids"]
        assert len(set(ids) - seen) == truth["new_ids"]
        assert len(set(ids) & seen) == truth["duplicates_earlier_hour"]
        assert len(ids) - len(set(ids)) == truth["duplicates_same_hour"]
        assert len(rows) - len(ids) == truth["null_keys"] > 0
        assert sum(row[1] < start for row in rows if row[0] is not None) == truth["late"] > 0
        assert sum(truth["new_ids_by_event_hour"].values()) == truth["new_ids"]
        assert min(row[1] for row in rows) >= start - 3 * 3600 * 10**6
        assert max(row[1] for row in rows) < start + 3600 * 10**6
        seen |= set(ids)


def test_meta_counts_conversions_as_they_landed(three_hours):
    out, meta = three_hours
    seen = set()
    for hour, facts in sorted(meta["hours"].items()):
        rows, broken = conversions(out / "landing" / "conversions" / hour)
        good = [row for row in rows if not isinstance(row["value_micros"], str)]
        ids = [row["conversion_id"] for row in good if row["conversion_id"] is not None]
        truth = facts["conversions"]

        assert len(rows) + len(broken) == truth["rows"] == 625
        assert len(broken) == truth["malformed"] > 0
        assert len(rows) - len(good) == truth["wrong_type"] > 0
        assert len(good) - len(ids) == truth["null_keys"] > 0
        assert len(set(ids) - seen) == truth["new_ids"]
        assert len(set(ids) & seen) == truth["duplicates_earlier_hour"]
        assert len(ids) - len(set(ids)) == truth["duplicates_same_hour"]
        seen |= set(ids)


def test_one_advertiser_is_a_whale(three_hours):
    out, _ = three_hours
    rows = impressions(out / "landing" / "impressions" / "2026-11-30-05")
    assert sum(row[2] == 1 for row in rows) > 0.3 * len(rows)


def test_conversions_name_impressions_of_their_hour_or_the_one_before(three_hours):
    out, _ = three_hours
    shown = {
        hour: {row[0] for row in impressions(out / "landing" / "impressions" / f"2026-11-30-0{hour}")}
        for hour in (5, 6, 7)
    }
    rows, _ = conversions(out / "landing" / "conversions" / "2026-11-30-06")
    named = [row["impression_id"] for row in rows]
    assert all(name in shown[5] or name in shown[6] for name in named)
    assert any(name not in shown[6] for name in named)


def test_an_hour_is_the_same_however_it_was_made(three_hours, tmp_path):
    out, _ = three_hours
    for hour in ("2026-11-30T05Z", "2026-11-30T06Z", "2026-11-30-07"):
        generate(tmp_path, "--first-hour", hour, "--hours", "1", "--threads", "1")

    assert files(tmp_path) == files(out)
    different = [name for name in files(out) if not filecmp.cmp(out / name, tmp_path / name, shallow=False)]
    assert different == []


def test_an_hour_that_has_landed_is_left_alone(three_hours):
    out, meta = three_hours
    before = {name: (out / name).stat().st_mtime_ns for name in files(out) if name != "meta.json"}

    assert generate(out, "--hours", "3") == meta

    assert {name: (out / name).stat().st_mtime_ns for name in before} == before


def test_a_late_file_holds_new_rows_of_the_two_hours_before(tmp_path):
    generate(tmp_path, "--hours", "3")
    folder = tmp_path / "landing" / "impressions" / "2026-11-30-07"
    known = {row[0] for row in impressions(tmp_path / "landing" / "impressions" / "*")}

    meta = generate(tmp_path, "--late-file", "2026-11-30T07Z")

    [late] = meta["hours"]["2026-11-30-07"]["late_files"]
    ids = [row[0] for row in duckdb.sql(f"select impression_id from read_parquet('{folder / late['file']}')").fetchall()]
    assert len(ids) == len(set(ids)) == late["rows"]
    assert not known & set(ids)
    assert set(late["new_ids_by_event_hour"]) == {"2026-11-30-05", "2026-11-30-06"}

    again = generate(tmp_path, "--late-file", "2026-11-30T07Z")
    assert len(again["hours"]["2026-11-30-07"]["late_files"]) == 2


def test_a_bad_advertiser_lands_with_the_hour(tmp_path):
    meta = generate(tmp_path, "--hours", "2", "--bad-advertiser", "2026-11-30T06Z")

    bad = meta["hours"]["2026-11-30-06"]["bad_advertiser"]
    rows = impressions(tmp_path / "landing" / "impressions" / "2026-11-30-06")
    below_zero = [row for row in rows if row[3] < 0]
    assert len(below_zero) == bad["rows"]
    assert {row[2] for row in below_zero} == {bad["advertiser_id"]}
    assert "bad_advertiser" not in meta["hours"]["2026-11-30-05"]


def test_another_scale_is_refused_in_the_same_folder(tmp_path):
    generate(tmp_path, "--hours", "1")
    done = subprocess.run(
        [sys.executable, GENERATE, "--out", tmp_path, "--scale", "0.1"], capture_output=True, text=True
    )
    assert done.returncode != 0
    assert "holds events of seed 42 and scale 0.0005" in done.stderr

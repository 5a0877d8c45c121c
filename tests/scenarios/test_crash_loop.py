"""kill -9 of real processes, in every phase of a run and at random moments; then the next run goes on, and the tables are those of
an undisturbed run. Prints how many kills fell into each phase, and fails if one had none."""
import collections
import random
import shutil
import time

import pytest

from lake import Lake

# docs/ARCHITECTURE.md, "What a commit writes, in which order". Names are those of STRANDLINE_TEST_POINTS.
PHASES = ["after listing", "in a data file", "after the last data file", "in a manifest", "metadata written",
          "inside transaction", "committed, before the answer"]
RANDOM_KILLS = 12
WAIT_SECONDS = 60


def points_of(path):
    return path.read_text().splitlines() if path.exists() else []


def kill_at(lake, phase, occurrence):
    """Starts a run and kills it when it has passed `phase` for the nth time; returns the phase it died in, or None."""
    points = lake.folder / "points"
    points.unlink(missing_ok=True)
    process = lake.start("run", environment={"STRANDLINE_TEST_POINTS": str(points), "STRANDLINE_TEST_PAUSE_AT": phase})
    deadline = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        if points_of(points).count(phase) >= occurrence:
            process.kill()
            break
        time.sleep(0.002)
    process.communicate()
    if process.returncode == 0:
        return None
    assert process.returncode == -9
    return points_of(points)[-1]


def kill_after(lake, seconds):
    points = lake.folder / "points"
    points.unlink(missing_ok=True)
    process = lake.start("run", environment={"STRANDLINE_TEST_POINTS": str(points)})
    time.sleep(seconds)
    process.kill()
    process.communicate()
    passed = points_of(points)
    return passed[-1] if passed and process.returncode == -9 else None


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    lake = Lake.of_ads(tmp_path_factory.mktemp("undisturbed"))
    lake.land_ads("--first-hour", "2026-11-30T05Z", "--hours", 2)
    started = time.monotonic()
    lake.run()
    return lake, time.monotonic() - started


def fresh_copy(undisturbed, folder):
    lake = Lake.of_ads(folder)
    shutil.copytree(undisturbed.folder / "landing", folder / "landing", copy_function=shutil.copy2)
    return lake


def assert_same_as(lake, undisturbed):
    """The next run finishes the work; then nothing is left to do, and the rows are the same, once each."""
    lake.run()
    assert lake.plan()["units"] == []
    assert lake.all_rows() == undisturbed.all_rows()
    assert lake.fsck() == []


def test_killed_in_each_phase_and_at_random(undisturbed, tmp_path, capsys):
    reference, seconds = undisturbed
    kills = collections.Counter()
    # One lake a phase: killed there twice in a row, once early and once late in the run.
    for phase in PHASES:
        lake = fresh_copy(reference, tmp_path / phase.replace(" ", "-").replace(",", ""))
        for occurrence in (1, 3):
            died = kill_at(lake, phase, occurrence)
            kills[died] += died is not None
            assert lake.fsck() == [], f"after a kill in: {died}"
        assert_same_as(lake, reference)
    # One lake that is killed again and again at random.
    seed = random.randrange(1 << 32)
    rng = random.Random(seed)
    lake = fresh_copy(reference, tmp_path / "random")
    for _ in range(RANDOM_KILLS):
        died = kill_after(lake, rng.uniform(0.02, max(0.1, seconds)))
        kills[died] += died is not None
        assert lake.fsck() == [], f"seed {seed}, after a kill in: {died}"
    assert_same_as(lake, reference)

    del kills[None]
    with capsys.disabled():
        print(f"\nkills by phase (random part: seed {seed}): " + ", ".join(f"{phase}: {kills[phase]}" for phase in PHASES))
    assert all(kills[phase] > 0 for phase in PHASES), kills

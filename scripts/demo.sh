#!/usr/bin/env bash
# The main job on generated ad data, told step by step. Leaves its lake under BUILD/demo, where any engine can open it.
# DEMO_SCALE (default 0.002) is the share of a full hour of 12.5 million impressions.
set -euo pipefail
build=$1
cd "$(dirname "$0")/.."

demo=$PWD/$build/demo
scale=${DEMO_SCALE:-0.002}
strandline=$PWD/$build/strandline
python=.deps/venv/bin/python

step() { printf '\n\033[1m── %s\033[0m\n' "$*"; }
note() { printf '%s\n' "$*" | fold -s -w 100; }
land() { "$python" examples/ads/generate.py --out "$demo" --scale "$scale" "$@" > "$demo/landed.json"; }
call() { "$strandline" --project "$demo/project" "$@"; }
# What is typed, and the answer; of many lines about models the first two are shown.
run() {
  printf '$ strandline %s\n' "$*"
  set +e
  call "$@" 2>&1 | awk '
    / compute / { if (++models > 2) next }
    !/ compute / { if (models > 2) printf "  … and %d more windows of models\n", models - 2; models = 0 }
    { print }
    END { if (models > 2) printf "  … and %d more windows of models\n", models - 2 }'
  code=${PIPESTATUS[0]}
  set -e
}

rm -rf "$demo"
mkdir -p "$demo"
cp -r examples/ads "$demo/project"
rm -f "$demo/project/generate.py"

step "1. Three hours land: impressions as Parquet, conversions as gzipped JSON lines"
note "Delivered at least once: 2 % of the rows come twice, some an hour later, 1 % up to three hours late; a few lines are broken."
land --first-hour 2026-11-30T05Z --hours 3
run plan

step "2. The main job: deduplicate, audit, publish, and compute twelve tables"
run run

step "3. Running it again does nothing: what is done is read from the tables"
run run

step "4. The next hour lands, and the run dies in the middle of it (kill -9)"
land --first-hour 2026-11-30T08Z --hours 1
points=$demo/points.txt
STRANDLINE_TEST_POINTS=$points STRANDLINE_TEST_PAUSE_AT='after the last data file' \
  "$strandline" --project "$demo/project" run --quiet > "$demo/killed.txt" 2>&1 &
victim=$!
for _ in $(seq 200); do
  grep -qs 'after the last data file' "$points" && break
  sleep 0.05
done
kill -9 "$victim" 2>/dev/null || true
wait "$victim" 2>/dev/null || true
note "Killed after its data files were written and before anything named them. No reader saw a trace; no tracker table has to be repaired. The next run goes on:"
run run

step "5. A file arrives late for 06:00"
land --late-file 2026-11-30T06Z
run plan
note "Its rows belong to 06:00 and the hours before. After the ingest exactly the windows that read those partitions are restated:"
call run --output json > "$demo/late.json"
"$python" scripts/show_run.py "$demo/late.json" | tee "$demo/restated.txt"
run explain ads.campaign_hourly 2026-11-30T06Z

step "6. An advertiser books refunds as impressions: the audit blocks the hour"
land --first-hour 2026-11-30T09Z --hours 1 --bad-advertiser 2026-11-30T09Z
run run
note "Exit code $code: refused by a gate. Readers see the hours that were published before, and nothing of this one. The advertiser withdraws the file, and the next run publishes the hour:"
"$python" - "$demo" <<'PY'
import pathlib, sys
for path in pathlib.Path(sys.argv[1], "landing", "impressions", "2026-11-30-09").glob("refunds-*"):
    path.unlink()
PY
run run

step "7. What was not published, and why"
run explain ads.conversions 2026-11-30T05Z
run query "select reason, \"column\", count(*) as rows, min(raw) as example from ads.conversions__quarantine group by 1, 2 order by rows desc"

step "Where things stand"
run status
echo
run query "select campaign_id, sum(impressions) as impressions, max(reach) as best_hour_reach from ads.reach_hourly group by campaign_id order by best_hour_reach desc, campaign_id limit 5"
echo
echo "Windows that were restated, and why:"
cat "$demo/restated.txt"
echo
note "The lake is in $build/demo: catalog.db (SQLite) and lake/, which PyIceberg, DuckDB or Spark can open. The project is in $build/demo/project. Try: cd $build/demo/project && ../../strandline plan"

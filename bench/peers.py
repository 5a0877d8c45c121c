"""Other programs for `make bench PEERS=all`: each is a script in the folder BENCH_PEERS that does the same job on the same two hours and writes
its steps as JSON. Installing Spark, Comet and PyIceberg's own environment is theirs (docs/BENCH.md)."""
import json
import os
import pathlib
import shutil
import sys

from bench import HOURS, SOURCES, say, timed

# Program, script, arguments, and the Python of its environment below BENCH_PEERS_DIR.
PROGRAMS = [
    ("Spark 4.1", "spark_pipeline.py", []),
    ("Spark + Comet", "spark_pipeline.py", ["--comet", "readwrite", "--dedup", "distinct", "--jars", "{peers}/jars111"]),
    ("PyIceberg", "pyiceberg_pipeline.py", []),
]


def raw_folder(bench):
    """The same rows in the layout those scripts read: h0/ and h1/ with both sources, what they assert, and ids for their corrections. Their
    tables have prices as doubles."""
    import duckdb
    raw = bench.folder / "peers-raw"
    shutil.rmtree(raw, ignore_errors=True)
    con = duckdb.connect()
    con.execute("set threads=2; set TimeZone='UTC'")
    corrections = max(1, round(10_000 * bench.scale))
    meta = {"scale": bench.scale, "h0": f"{HOURS[0][:10]} {HOURS[0][11:]}:00:00+00", "hours": {}, "corrections": corrections}
    for number, hour in enumerate(HOURS):
        for source in SOURCES:
            target = raw / f"h{number}" / source
            target.mkdir(parents=True)
            for path in sorted((bench.data / "parquet" / source / hour).iterdir()):
                replaced = "replace (bid_price::double as bid_price)" if source == "impressions" else ""
                con.execute(f"copy (select * {replaced} from '{path}') to '{target / path.name}' (format parquet, compression zstd, row_group_size 122880)")
    for number in range(len(HOURS)):
        meta["hours"][f"h{number}"] = {}
        for source in SOURCES:
            key = f"{source[:-1]}_id"
            earlier = f"where {key} not in (select {key} from '{raw}/h0/{source}/*.parquet')" if number else ""
            (new,) = con.execute(f"select count(distinct {key}) from '{raw}/h{number}/{source}/*.parquet' {earlier}").fetchone()
            meta["hours"][f"h{number}"][source] = {"new_unique": new}
    con.execute(f"""copy (from (select distinct impression_id from '{raw}/h0/impressions/*.parquet' where event_time >= '{meta['h0']}') order by hash(impression_id) limit {corrections})
                    to '{raw}/corrections.parquet' (format parquet)""")
    (raw / "meta.json").write_text(json.dumps(meta, indent=1))
    return raw


def run_peers(bench):
    scripts, peers = os.environ.get("BENCH_PEERS"), os.environ.get("PEERS_DIR")
    if not scripts or not peers:
        sys.exit("PEERS=all needs BENCH_PEERS (the folder with the peers' scripts) and PEERS_DIR (their environment); docs/BENCH.md says how.")
    python = pathlib.Path(peers) / "venv" / "bin" / "python"
    raw = raw_folder(bench)
    for program, script, arguments in PROGRAMS:
        for number in range(bench.runs):
            say(f"{program}, run {number + 1} of {bench.runs}")
            out = bench.folder / "peer.json"
            timed([python, pathlib.Path(scripts) / script, "--raw", raw, "--wh", bench.folder / "peer-warehouse", "--out", out,
                   *[argument.format(peers=peers) for argument in arguments]])
            steps = json.loads(out.read_text())["steps"]
            for job, prefix in (("ingest", "h1_"), ("aggregate", "agg_")):
                chosen = [step for step in steps if step["step"].startswith(prefix)]
                bench.figure(job, program).add(sum(step["seconds"] for step in chosen), max(step["peak_rss_mib"] for step in chosen) / 1024)

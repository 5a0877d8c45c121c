#!/usr/bin/env python3
"""The hour, timed: ours and plain DuckDB (bench/duckdb_job.py) side by side in one run, on the same files.

    make bench                 full scale, medians of 3
    make bench SCALE=0.1       about a minute
    make bench PEERS=all       also PyIceberg, Spark and Spark with Comet, by the scripts in the folder BENCH_PEERS

Prints Markdown and writes BUILD/bench/results.json. What counts is the ratio within one run; figures of programs that did not run are
marked as recorded (docs/BENCH.md says on which machine).
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
HOURS = ["2026-11-30-10", "2026-11-30-11"]
LOOKBACK = [f"2026-11-30-{hour:02}" for hour in range(7, 12)]
LATE_HOURS = ["2026-11-30-08", "2026-11-30-09", "2026-11-30-10"]  # What hour 11's late rows touch.
SOURCES = ["impressions", "conversions"]
GIB = 1 << 20  # ru_maxrss is in KiB.

# Seconds and peak GiB that other programs took for this job at scale 1 on a 2-core machine (docs/BENCH.md).
RECORDED = {
    "ingest": {"Spark 4.1": (71, 4.7), "Spark + Comet": (30, 3.4), "PyIceberg": (26, 6.6)},
    "aggregate": {"Spark 4.1": (35, 4.7), "Spark + Comet": (15, 3.4), "PyIceberg": (8, 1.7)},
}


def timed(command):
    """(seconds, peak GiB of the process, standard output). Ends the benchmark when the command fails."""
    started = time.monotonic()
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    out = process.stdout.read()
    err = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - started
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"{' '.join(map(str, command))}\nfailed:\n{out}\n{err}")
    return seconds, usage.ru_maxrss / GIB, out


class Figures:
    """What one program took for one job, over several runs."""

    def __init__(self):
        self.seconds, self.peaks, self.notes = [], [], {}

    def add(self, seconds, peak, **notes):
        self.seconds.append(seconds)
        self.peaks.append(peak)
        self.notes.update(notes)

    @property
    def median(self):
        return statistics.median(self.seconds)

    def as_json(self):
        return {"seconds": [round(s, 3) for s in self.seconds], "median": round(self.median, 3),
                "peak_gib": round(max(self.peaks), 2), **self.notes}


class Bench:
    def __init__(self, build, scale, runs):
        self.folder = pathlib.Path(build).resolve() / "bench"
        self.data = self.folder / f"data-{scale:g}"
        self.strandline = pathlib.Path(build).resolve() / "strandline"
        self.scale, self.runs = scale, runs
        self.figures = {}

    def figure(self, job, program):
        return self.figures.setdefault(job, {}).setdefault(program, Figures())

    # Data: two hours as they land, and both sources as Parquet without broken rows, which every program is given.

    def generate(self):
        if (self.data / "done").exists():
            return
        shutil.rmtree(self.data, ignore_errors=True)
        say(f"Generating two hours at scale {self.scale:g}")
        timed([sys.executable, ROOT / "examples/ads/generate.py", "--out", self.data, "--scale", self.scale,
               "--first-hour", "2026-11-30T10Z", "--hours", 2])
        import duckdb
        con = duckdb.connect()
        con.execute("set TimeZone='UTC'")
        for hour in HOURS:
            for source, read in (("impressions", "read_parquet('{}')"),
                                 ("conversions", "read_json('{}', format='newline_delimited', ignore_errors=true, columns={{conversion_id: 'varchar', "
                                  "impression_id: 'varchar', event_time: 'timestamptz', advertiser_id: 'bigint', campaign_id: 'bigint', "
                                  "conversion_type: 'varchar', value_micros: 'bigint', currency: 'varchar'}})")):
                target = self.data / "parquet" / source / hour
                target.mkdir(parents=True)
                for number, path in enumerate(sorted((self.data / "landing" / source / hour).glob("part-*"))):
                    con.execute(f"copy (select * from {read.format(path)} where {source[:-1]}_id is not null) to "
                                f"'{target}/part-{number:05d}.parquet' (format parquet, compression zstd, row_group_size 122880)")
        (self.data / "done").touch()

    def rows_landed(self, hour):
        meta = json.loads((self.data / "meta.json").read_text())
        return meta["hours"][hour]

    # Ours.

    def lake(self, name, sources=SOURCES, hours=HOURS):
        """A project of the benchmark whose landed files are links to the data."""
        folder = self.folder / name
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(ROOT / "bench" / "project", folder / "project")
        for source in sources:
            for hour in hours:
                target = folder / "landing" / source / hour
                target.mkdir(parents=True)
                for path in (self.data / "parquet" / source / hour).iterdir():
                    os.link(path, target / path.name)
                (target / "_SUCCESS").touch()
        return folder

    def ours(self, lake, *arguments):
        command = [self.strandline, "--project", lake / "project", "--output", "json", "--now", "2026-12-01T00Z", *arguments]
        seconds, peak, out = timed(command)
        return seconds, peak, json.loads(out)

    def run_hours(self, lake, first, last, *tables):
        start = f"{first[:10]}T{first[11:]}Z"
        end = f"{last[:10]}T{int(last[11:]) + 1:02}Z"
        return self.ours(lake, "run", "--start", start, "--end", end, "--select", *tables)

    def run_hour(self, lake, hour, *tables):
        return self.run_hours(lake, hour, hour, *tables)

    # The jobs.

    def ingest_and_aggregate(self):
        """Hour 10 is there; hour 11 is ingested against it, then its twelve tables are computed. Ours and DuckDB in turn."""
        for number in range(self.runs):
            say(f"Run {number + 1} of {self.runs}")
            lake = self.lake("ours")
            self.run_hours(lake, LOOKBACK[0], HOURS[0], *SOURCES)
            self.run_hours(lake, LATE_HOURS[0], HOURS[0], "*_hourly")
            seconds, peak, report = self.run_hour(lake, HOURS[1], *SOURCES)
            counts = [unit["counts"] for unit in report["units"]]
            assert all(unit["outcome"] == "published" for unit in report["units"]), report
            self.figure("ingest", "Strandline").add(seconds, peak, rows=sum(c["rows_in"] for c in counts),
                                                    published=sum(c["rows_published"] for c in counts))
            ingested = self.folder / "catalog.ingested"
            shutil.copy(lake / "catalog.db", ingested)
            if number == 0:
                alone = self.bytes_read_alone(lake, ingested)
            seconds, peak, report = self.run_hour(lake, HOURS[1], "*_hourly")
            assert len(report["units"]) == 12, report
            self.figure("aggregate", "Strandline").add(seconds, peak, column_chunks_decoded=report["column_chunks_decoded"],
                                                       column_chunks_shared=report["column_chunks_shared"],
                                                       bytes_read=report["bytes_read"], bytes_if_read_alone=alone)
            shutil.copy(ingested, lake / "catalog.db")
            seconds, peak, report = self.run_hours(lake, LATE_HOURS[0], HOURS[1], "*_hourly")
            assert len(report["units"]) == 12 * 4, report
            self.figure("restate", "Strandline").add(seconds, peak)

            out = self.folder / "duckdb"
            shutil.rmtree(out, ignore_errors=True)
            job = [sys.executable, ROOT / "bench" / "duckdb_job.py"]
            where = ["--data", self.data, "--out", out]
            timed([*job, "ingest", HOURS[0], *where])
            shutil.rmtree(out / "stage")
            seconds, peak, text = timed([*job, "ingest", HOURS[1], *where])
            self.figure("ingest", "DuckDB").add(seconds, peak)
            seconds, peak, _ = timed([*job, "aggregate", HOURS[1], *where, "--lookback", *LOOKBACK])
            self.figure("aggregate", "DuckDB").add(seconds, peak)
            seconds, peak, _ = timed([*job, "aggregate", *LATE_HOURS, HOURS[1], *where, "--lookback", *LOOKBACK])
            self.figure("restate", "DuckDB").add(seconds, peak)

    def bytes_read_alone(self, lake, ingested):
        """What the twelve tables read when each is computed by a process of its own, so that nothing is shared."""
        read = 0
        for model in sorted((lake / "project" / "models").glob("*_hourly.sql")):
            read += self.run_hour(lake, HOURS[1], model.stem)[2]["bytes_read"]
        shutil.copy(ingested, lake / "catalog.db")
        return read

    def json_lines(self):
        """Conversions as they land, gzipped JSON lines: ours into a table, DuckDB into one Parquet file."""
        landed = self.data / "landing" / "conversions" / HOURS[0]
        megabytes = sum(path.stat().st_size for path in landed.glob("*.gz")) / 1e6
        for _ in range(self.runs):
            folder = self.folder / "json"
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(ROOT / "bench" / "project", folder / "project")
            source = folder / "project" / "sources" / "conversions.yml"
            source.write_text(source.read_text().replace("format: parquet", "format: jsonl").replace("*.parquet", "*.jsonl.gz"))
            target = folder / "landing" / "conversions" / HOURS[0]
            target.mkdir(parents=True)
            for path in landed.iterdir():
                os.link(path, target / path.name)
            seconds, peak, _ = self.run_hour(folder, HOURS[0], "conversions")
            self.figure("json", "Strandline").add(seconds, peak, megabytes_per_second=round(megabytes / seconds, 1))
            out = self.folder / "duckdb-json"
            shutil.rmtree(out, ignore_errors=True)
            seconds, peak, _ = timed([sys.executable, ROOT / "bench" / "duckdb_job.py", "json", HOURS[0], "--data", self.data, "--out", out])
            self.figure("json", "DuckDB").add(seconds, peak, megabytes_per_second=round(megabytes / seconds, 1))

    def nothing_to_do(self):
        """100 tables of 720 hourly windows, made through the table layer; the same with a tenth of the history."""
        tool = self.folder.parent / "tests" / "sl_history_tool"
        for windows in (72, 720):
            folder = self.folder / f"history-{windows}"
            if not (folder / "done").exists():
                shutil.rmtree(folder, ignore_errors=True)
                say(f"Making 100 tables of {windows} windows")
                timed([tool, folder, 100, windows])
                (folder / "done").touch()
            for _ in range(self.runs):
                for command in ("plan", "run"):
                    seconds, peak, report = self.ours(folder, command)
                    assert report["units"] == [], report["units"][:3]
                    self.figure(f"{command}-nothing-{windows}", "Strandline").add(seconds, peak)


def say(text):
    print(text, file=sys.stderr, flush=True)


def ratio(figures, program, ours):
    return f"{figures[program].median / ours:.1f}×" if program in figures else ""


def table(bench, job, title, recorded):
    figures = bench.figures[job]
    ours = figures["Strandline"].median
    lines = [f"\n### {title}", "", "| program | seconds (median) | all runs | peak GiB | ours is faster by |", "|---|---|---|---|---|"]
    for program, figure in figures.items():
        runs = ", ".join(f"{s:.2f}" for s in figure.seconds)
        faster = "" if program == "Strandline" else f"{figure.median / ours:.1f}×"
        lines.append(f"| {program} | {figure.median:.2f} | {runs} | {max(figure.peaks):.2f} | {faster} |")
    if bench.scale == 1:
        for program, (seconds, peak) in recorded.items():
            if program not in figures:
                lines.append(f"| {program} (recorded) | {seconds} | | {peak} | {seconds / ours:.1f}× |")
    notes = {key: value for key, value in figures["Strandline"].notes.items()}
    if notes:
        lines += ["", "Ours: " + ", ".join(f"{key.replace('_', ' ')} {value:,}" for key, value in notes.items()) + "."]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--peers", choices=["duckdb", "all"], default="duckdb")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--jobs", nargs="*", default=["hour", "json", "nothing"])
    arguments = parser.parse_args()
    bench = Bench(arguments.build, arguments.scale, arguments.runs)
    bench.folder.mkdir(parents=True, exist_ok=True)
    bench.generate()
    print(f"## Benchmark at scale {arguments.scale:g}, medians of {arguments.runs}, {os.cpu_count()} cores")
    if "hour" in arguments.jobs:
        bench.ingest_and_aggregate()
        if arguments.peers == "all":
            from peers import run_peers
            run_peers(bench)
        print(table(bench, "ingest", "Ingest + audit + publish of one hour against the hour before (Parquet, decoded and re-encoded)", RECORDED["ingest"]))
        print(table(bench, "aggregate", "The twelve aggregations of that hour", RECORDED["aggregate"]))
        print(table(bench, "restate", "The same with the three hours restated that its late rows touched", {}))
    if "json" in arguments.jobs:
        bench.json_lines()
        print(table(bench, "json", "Conversions of one hour as gzipped JSON lines", {}))
    if "nothing" in arguments.jobs:
        bench.nothing_to_do()
        for windows in (72, 720):
            for command in ("plan", "run"):
                print(table(bench, f"{command}-nothing-{windows}", f"`{command}` with nothing to do: 100 tables of {windows} hourly windows", {}))
    results = {"scale": arguments.scale, "runs": arguments.runs,
               "jobs": {job: {program: figure.as_json() for program, figure in figures.items()} for job, figures in bench.figures.items()}}
    (bench.folder / "results.json").write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""The benchmark's job in plain DuckDB: no table format, no catalog; Parquet in hour= folders, published by renaming.

    duckdb_job.py ingest HOUR | aggregate HOUR... | json HOUR   --data FOLDER --out FOLDER

`ingest` deduplicates both sources of one landed hour within itself and against the partitions that its rows fall into, writes, audits the key
(not null, unique over the partitions touched) and publishes. `aggregate` computes the twelve tables of each hour, one after the other.
"""
import argparse
import json
import os
import pathlib
import time

import duckdb

KEYS = {"impressions": "impression_id", "conversions": "conversion_id"}
MEASURES = ("count(*) as impressions, count_if(viewable) as viewable, sum(cost_micros) as cost_micros, avg(bid_price) as avg_bid")
GROUPS = {
    "advertiser": "advertiser_id", "campaign": "campaign_id", "creative": "creative_id", "placement": "placement_id",
    "publisher": "publisher_id", "country": "country", "device": "device_type", "browser": "browser",
    "advertiser_country": "advertiser_id, country", "campaign_device": "campaign_id, device_type",
}


def partition(folder, hour):
    return folder / f"hour={hour}"


def files_of(folders):
    return [str(path) for folder in folders if folder.exists() for path in sorted(folder.glob("*.parquet"))]


def ingest(con, data, out, hour):
    for source, key in KEYS.items():
        landed = f"read_parquet('{data / 'parquet' / source / hour}/*.parquet')"
        live, stage = out / source, out / "stage" / source
        stage.mkdir(parents=True)
        low, high = con.execute(f"select strftime(min(event_time), '%Y-%m-%d-%H'), strftime(max(event_time), '%Y-%m-%d-%H') from {landed}").fetchone()
        touched = [folder for folder in sorted(live.glob("hour=*")) if low <= folder.name[5:] <= high]
        there = files_of(touched)
        anti = f"anti join (select {key} from read_parquet({there}, hive_partitioning=false)) using ({key})" if there else ""
        con.execute(f"""copy (select *, strftime(event_time, '%Y-%m-%d-%H') as hour from (select distinct on ({key}) * from {landed} {anti}))
                        to '{stage}' (format parquet, compression zstd, partition_by (hour), filename_pattern '{hour}-{{uuid}}', overwrite_or_ignore)""")
        new = files_of(sorted(stage.glob("hour=*")))
        rows, keys, distinct = con.execute(
            f"select count(*), count({key}), count(distinct {key}) from read_parquet({there + new}, hive_partitioning=false)").fetchone()
        assert rows == keys == distinct, (rows, keys, distinct)
        for path in map(pathlib.Path, new):
            target = live / path.parent.name
            target.mkdir(parents=True, exist_ok=True)
            os.rename(path, target / path.name)
        print(json.dumps({"source": source, "rows": con.execute(f"select count(*) from read_parquet({files_of(sorted(live.glob('hour=*')))})").fetchone()[0]}))


def aggregate(con, out, hour, lookback):
    impressions = f"read_parquet({files_of([partition(out / 'impressions', hour)])}, hive_partitioning=false)"
    recent = f"read_parquet({files_of([partition(out / 'impressions', h) for h in lookback])}, hive_partitioning=false)"
    conversions = f"read_parquet({files_of([partition(out / 'conversions', hour)])}, hive_partitioning=false)"
    queries = {name: f"select {by}, {MEASURES} from {impressions} group by {by}" for name, by in GROUPS.items()}
    queries["attribution"] = f"""select i.campaign_id, c.conversion_type, count(*) as conversions, sum(c.value_micros) as value_micros,
        sum(i.cost_micros) as attributed_cost from {recent} i join {conversions} c on i.impression_id = c.impression_id group by all"""
    queries["reach"] = f"select campaign_id, count(*) as impressions, count(distinct user_id) as reach from {impressions} group by campaign_id"
    for name, sql in queries.items():
        folder = partition(out / name, hour)
        folder.mkdir(parents=True, exist_ok=True)
        con.execute(f"copy ({sql}) to '{folder}/.new.parquet' (format parquet, compression zstd)")
        os.rename(folder / ".new.parquet", folder / "part-0.parquet")


def read_json_lines(con, data, out, hour):
    out.mkdir(parents=True, exist_ok=True)
    con.execute(f"""copy (select distinct on (conversion_id) * from read_json('{data / 'landing' / 'conversions' / hour}/*.jsonl.gz',
        format='newline_delimited', ignore_errors=true, columns={{conversion_id: 'varchar', impression_id: 'varchar', event_time: 'timestamptz',
        advertiser_id: 'bigint', campaign_id: 'bigint', conversion_type: 'varchar', value_micros: 'bigint', currency: 'varchar'}})
        where conversion_id is not null) to '{out}/conversions.parquet' (format parquet, compression zstd)""")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("job", choices=["ingest", "aggregate", "json"])
    parser.add_argument("hours", nargs="+")
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--lookback", nargs="*", default=[])
    arguments = parser.parse_args()
    con = duckdb.connect()
    con.execute("set threads=2; set memory_limit='8GB'; set TimeZone='UTC'; set preserve_insertion_order=false")
    con.execute(f"set temp_directory='{arguments.out}/tmp'")
    started = time.monotonic()
    if arguments.job == "ingest":
        ingest(con, arguments.data, arguments.out, arguments.hours[0])
    elif arguments.job == "aggregate":
        for hour in arguments.hours:
            aggregate(con, arguments.out, hour, [h for h in arguments.lookback if h <= hour])
    else:
        read_json_lines(con, arguments.data, arguments.out, arguments.hours[0])
    print(json.dumps({"seconds": round(time.monotonic() - started, 3)}))


if __name__ == "__main__":
    main()

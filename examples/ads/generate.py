#!/usr/bin/env python3
"""Lands hours of ad events, the way a delivery service would: late, twice, and sometimes broken.

    generate.py --out build/demo --first-hour 2026-11-30T05Z --hours 3 --scale 0.002

writes, for each hour,

    OUT/landing/impressions/2026-11-30-05/part-00000.parquet ... _SUCCESS
    OUT/landing/conversions/2026-11-30-05/part-00000.jsonl.gz ... _SUCCESS

and adds what it knows about them to OUT/meta.json, which it also prints: what a correct pipeline must
arrive at. At scale 1 an hour has 12.5 million impressions and 1.25 million conversions.

Every row is a function of the seed, its hour and its number, so an hour comes out the same whether it
is made alone or with others, today or again (for one version of the engine). An hour that has landed is
left alone. Files appear under a hidden name and are renamed when they are whole; `_SUCCESS` comes last.

    --late-file HOUR       adds a file with late rows to an hour that has landed
    --bad-advertiser HOUR  adds a file of an advertiser who books refunds as impressions: a blocking
                           check stops them. If the hour has not landed yet it lands with that file.
"""
import argparse
import datetime
import json
import os
import sys

import duckdb

UTC = datetime.timezone.utc
HOUR = datetime.timedelta(hours=1)

IMPRESSIONS_PER_HOUR = 12_500_000  # At scale 1, as landed.
CONVERSIONS_PER_HOUR = 1_250_000
ROWS_PER_FILE = {"impressions": IMPRESSIONS_PER_HOUR // 16, "conversions": CONVERSIONS_PER_HOUR // 4}

# Shares of the rows of one hour's landing.
TWICE = 0.02  # Delivered twice within the hour.
TWICE_LATER = 0.005  # Delivered again with the next hour.
LATE = 0.01  # Happened up to three hours before the hour in which they arrive.
WITHOUT_KEY = 0.0002
NOT_JSON = 0.001  # Conversions only.
WRONG_TYPE = 0.0005  # Conversions only: valid JSON, but the value is a text.

LATE_BY_MAX_MICROS = 3 * 3600 * 1_000_000
HOUR_MICROS = 3600 * 1_000_000

ADVERTISERS = 5_000
CAMPAIGNS_PER_ADVERTISER = 10
CREATIVES_PER_CAMPAIGN = 8
PLACEMENTS = 20_000
PUBLISHERS = 2_000
USERS = 3_000_000  # At scale 1.
WHALE = 1  # The advertiser with a third of everything.
WHALE_SHARE = 0.33
BAD_ADVERTISER = 4_666

COUNTRIES = (
    "US IN BR DE GB FR JP MX ID IT ES CA KR TR PL AU NL AR TH VN PH ZA EG NG SE BE CH AT MY SG CO CL PE DK"
    " NO FI PT GR IE CZ RO HU IL AE SA KE UA BG HR RS"
).split()
DEVICES = ["mobile", "desktop", "tablet", "ctv", "console"]
BROWSERS = ["chrome", "safari", "edge", "firefox", "samsung", "opera", "webview", "other"]
CONVERSION_TYPES = ["purchase", "signup", "add_to_cart", "lead", "app_install"]
CURRENCIES = ["USD", "EUR", "GBP", "JPY", "INR"]

# Streams of random numbers that must not repeat each other.
NEW_ROWS, EXTRA_FILE = 0, 1


def hour_text(hour):
    return hour.strftime("%Y-%m-%d-%H")


def hour_number(hour):
    """Hours since 1970, which is what rows are made from."""
    return int(hour.timestamp()) // 3600


class Shape:
    """How many rows of which kind one hour of one source lands. Rows are numbered: the first
    `unique` are new, the rest of the landing repeats some of them or of the hour before."""

    def __init__(self, source, scale, is_first_hour):
        per_hour = IMPRESSIONS_PER_HOUR if source == "impressions" else CONVERSIONS_PER_HOUR
        total = max(200, round(per_hour * scale))
        is_json = source == "conversions"
        self.twice = max(1, round(total * TWICE))
        self.twice_later = 0 if is_first_hour else max(1, round(total * TWICE_LATER))
        self.without_key = max(1, round(total * WITHOUT_KEY))
        self.not_json = max(2, round(total * NOT_JSON)) if is_json else 0
        self.wrong_type = max(1, round(total * WRONG_TYPE)) if is_json else 0
        self.unique = (
            total - self.twice - self.twice_later - self.without_key - self.not_json - self.wrong_type
        )
        self.files = max(1, -(-total // ROWS_PER_FILE[source]))
        if self.files == 1 and total > 1000:
            self.files = 2  # So that duplicates across files are there at every scale.


class Generator:
    def __init__(self, out, seed, scale, threads):
        self.out = out
        self.seed = seed
        self.scale = scale
        self.meta_path = os.path.join(out, "meta.json")
        self.meta = self._load_meta()
        self.con = duckdb.connect()
        self.con.execute(f"set threads = {threads}")
        self.con.execute("set TimeZone = 'UTC'")
        self.con.execute("set preserve_insertion_order = true")
        # u(number, stream): a uniform number in [0, 1).
        self.con.execute(
            "create macro u(number, stream) as"
            f" (hash(number, stream, {seed}) >> 11)::double / 9007199254740992.0"
        )
        # A number in 1..n, small ones far more often.
        self.con.execute("create macro popular(x, n) as least(n, 1 + floor(n * pow(x, 4)))::bigint")
        for name, values in (
            ("country_list", COUNTRIES),
            ("device_list", DEVICES),
            ("browser_list", BROWSERS),
            ("type_list", CONVERSION_TYPES),
            ("currency_list", CURRENCIES),
        ):
            self.con.execute(f"create macro {name}() as {values!r}")

    def _load_meta(self):
        if os.path.exists(self.meta_path):
            with open(self.meta_path) as file:
                meta = json.load(file)
            if meta["seed"] != self.seed or meta["scale"] != self.scale:
                sys.exit(
                    f"generate.py: {self.out} holds events of seed {meta['seed']} and scale {meta['scale']}:"
                    " use the same, or another --out"
                )
            return meta
        return {"seed": self.seed, "scale": self.scale, "duckdb": duckdb.__version__, "first_hour": None, "hours": {}}

    def save_meta(self):
        temporary = self.meta_path + ".tmp"
        with open(temporary, "w") as file:
            json.dump(self.meta, file, indent=1, sort_keys=True)
            file.write("\n")
        os.replace(temporary, self.meta_path)

    # -- rows ---------------------------------------------------------------------------------------

    def first_hour(self):
        return datetime.datetime.fromisoformat(self.meta["first_hour"])

    def shape(self, source, hour):
        return Shape(source, self.scale, hour == self.first_hour())

    def stream(self, source, hour, kind=NEW_ROWS):
        """Where the random numbers of one hour of one source begin."""
        return ((hour_number(hour) * 2 + (source == "conversions")) * 2 + kind) * 100

    def impressions(self, hour, numbers, kind=NEW_ROWS, label="i"):
        """The impressions whose numbers are in the relation `numbers`(n). The same number always gives
        the same row."""
        stream = self.stream("impressions", hour, kind)
        unique = self.shape("impressions", hour).unique
        start = f"timestamptz '{hour.isoformat()}'"
        users = max(2_000, round(USERS * self.scale))
        return f"""
            select n,
                   md5('{label}:{self.seed}:{hour_number(hour)}:' || n) as impression_id,
                   case when u(n, {stream + 1}) < {LATE}
                        then {start} - to_microseconds(1 + floor(u(n, {stream + 2}) * {LATE_BY_MAX_MICROS})::bigint)
                        else {start} + to_microseconds(floor((n % {unique} + u(n, {stream + 2})) / {unique} * {HOUR_MICROS})::bigint)
                   end as event_time,
                   advertiser_id,
                   campaign_id,
                   campaign_id * {CREATIVES_PER_CAMPAIGN} + floor(u(n, {stream + 5}) * {CREATIVES_PER_CAMPAIGN})::bigint as creative_id,
                   placement_id,
                   1 + placement_id % {PUBLISHERS} as publisher_id,
                   country_list()[popular(u(n, {stream + 7}), {len(COUNTRIES)})] as country,
                   device_list()[popular(u(n, {stream + 8}), {len(DEVICES)})] as device_type,
                   browser_list()[popular(u(n, {stream + 9}), {len(BROWSERS)})] as browser,
                   (0.05 + 4 * pow(u(n, {stream + 10}), 3))::decimal(18, 4) as bid_price,
                   (50 + 4000 * pow(u(n, {stream + 11}), 3))::bigint as cost_micros,
                   u(n, {stream + 12}) < 0.62 as viewable,
                   'u' || floor({users} * pow(u(n, {stream + 13}), 1.5))::bigint as user_id
            from (select n,
                         advertiser_id,
                         (advertiser_id - 1) * {CAMPAIGNS_PER_ADVERTISER}
                             + popular(u(n, {stream + 4}), {CAMPAIGNS_PER_ADVERTISER}) as campaign_id,
                         popular(u(n, {stream + 6}), {PLACEMENTS}) as placement_id
                  from (select n,
                               case when u(n, {stream + 3}) < {WHALE_SHARE} then {WHALE}
                                    else popular(u(n, {stream + 14}), {ADVERTISERS}) end as advertiser_id
                        from ({numbers})))"""

    def conversions(self, hour, numbers):
        """Conversions, of which nine in ten follow an impression of this hour and one follows one of the
        hour before (or, in the first hour, one that nobody has seen)."""
        stream = self.stream("conversions", hour)
        unique = self.shape("conversions", hour).unique
        shown = self.shape("impressions", hour).unique
        before = hour - HOUR
        is_first = hour == self.first_hour()
        shown_before = shown if is_first else self.shape("impressions", before).unique
        start = f"timestamptz '{hour.isoformat()}'"
        ids = f"""
            select n, before,
                   floor(u(n, {stream + 3}) * case when before then {shown_before} else {shown} end)::bigint as i
            from (select n, u(n, {stream + 4}) < 0.1 as before from ({numbers}))"""
        # Only the columns that are asked for are computed.
        then = self.impressions(before, f"select distinct i as n from ({ids}) where before")
        now = self.impressions(hour, f"select distinct i as n from ({ids}) where not before")
        return f"""
            select c.n,
                   md5('c:{self.seed}:{hour_number(hour)}:' || c.n) as conversion_id,
                   i.impression_id,
                   case when u(c.n, {stream + 1}) < {LATE}
                        then {start} - to_microseconds(1 + floor(u(c.n, {stream + 2}) * {LATE_BY_MAX_MICROS})::bigint)
                        else {start} + to_microseconds(floor((c.n % {unique} + u(c.n, {stream + 2})) / {unique} * {HOUR_MICROS})::bigint)
                   end as event_time,
                   i.advertiser_id,
                   i.campaign_id,
                   type_list()[popular(u(c.n, {stream + 5}), {len(CONVERSION_TYPES)})] as conversion_type,
                   (1000000 * (1 + 200 * pow(u(c.n, {stream + 6}), 4)))::bigint as value_micros,
                   currency_list()[popular(u(c.n, {stream + 7}), {len(CURRENCIES)})] as currency
            from ({ids}) c
            join (select true as before, * from ({then}) union all by name select false as before, * from ({now})) i
              on i.before = c.before and i.n = c.i"""

    def rows(self, source, hour, numbers):
        return self.impressions(hour, numbers) if source == "impressions" else self.conversions(hour, numbers)

    # -- which rows land in which file ----------------------------------------------------------------

    def landing(self, source, hour, file):
        """One file's rows in the order of their arrival: `kind` says what each is. New rows come in the
        order of their numbers, repeated ones in a later file or further down the same."""
        shape = self.shape(source, hour)
        stream = self.stream(source, hour)
        first = shape.unique * file // shape.files
        last = shape.unique * (file + 1) // shape.files
        new = f"select n, n::double as arrival, 'new' as kind from range({first}, {last}) t(n)"

        def repeated(count, of, offset):
            """`count` different numbers below `of`, one from each of `count` equal spans."""
            return f"""select floor((k + u(k, {stream + offset})) * {of} / {count})::bigint as n, k
                       from range({count}) t(k)"""

        twice = f"""
            select n, arrival, 'twice' as kind
            from (select n, least({shape.unique - 1}, n + 1 + u(n, {stream + 21}) * {shape.unique} * 0.4) as arrival
                  from ({repeated(shape.twice, shape.unique, 20)}))
            where arrival >= {first} and arrival < {last}"""
        parts = [self._rows_with(source, hour, f"{new} union all {twice}")]
        if shape.twice_later:
            before = self.shape(source, hour - HOUR).unique
            again = f"""
                select n, arrival, 'twice_later' as kind
                from (select n, u(k, {stream + 23}) * {shape.unique} as arrival
                      from ({repeated(shape.twice_later, before, 22)}))
                where arrival >= {first} and arrival < {last}"""
            parts.append(self._rows_with(source, hour - HOUR, again))
        key = "impression_id" if source == "impressions" else "conversion_id"
        for offset, (kind, count) in enumerate(self._broken(shape)):
            # Numbers that no good row has.
            broken = f"""
                select n, arrival, '{kind}' as kind
                from (select {shape.unique * (offset + 1)} + k as n, u(k, {stream + 30 + offset}) * {shape.unique} as arrival
                      from range({count}) t(k))
                where arrival >= {first} and arrival < {last}"""
            rows = self._rows_with(source, hour, broken)
            parts.append(
                f"select * replace (null as {key}) from ({rows})" if kind == "without_key" else rows
            )
        return f"({' union all by name '.join(parts)}) order by arrival, kind, n"

    @staticmethod
    def _broken(shape):
        kinds = [("without_key", shape.without_key), ("not_json", shape.not_json), ("wrong_type", shape.wrong_type)]
        return [(kind, count) for kind, count in kinds if count]

    def _rows_with(self, source, hour, numbers):
        rows = self.rows(source, hour, f"select distinct n from ({numbers})")
        return f"select r.*, a.arrival, a.kind from ({numbers}) a join ({rows}) r using (n)"

    # -- files ----------------------------------------------------------------------------------------

    def folder(self, source, hour):
        return os.path.join(self.out, "landing", source, hour_text(hour))

    def write(self, path, query, source):
        """Writes the rows of `query`, made once into a table, and returns that table's name."""
        self.con.execute(f"create or replace temp table landed as {query}")
        directory, name = os.path.split(path)
        temporary = os.path.join(directory, f".{name}.tmp")
        if source == "impressions":
            self.con.execute(
                f"copy (select * exclude (n, arrival, kind) from landed) to '{temporary}'"
                " (format parquet, compression zstd, row_group_size 122880)"
            )
        else:
            # One column of ready text: no quoting, and a delimiter that no line holds.
            self.con.execute(
                f"copy (select {self._json_line()} from landed) to '{temporary}'"
                " (format csv, header false, quote '', escape '', delimiter e'\\x01', compression gzip)"
            )
        os.rename(temporary, path)

    @staticmethod
    def _json_line():
        line = """to_json({'conversion_id': conversion_id, 'impression_id': impression_id,
                           'event_time': strftime(event_time, '%Y-%m-%dT%H:%M:%S.%fZ'),
                           'advertiser_id': advertiser_id, 'campaign_id': campaign_id,
                           'conversion_type': conversion_type, 'value_micros': value_micros,
                           'currency': currency})::varchar"""
        return f"""case when kind = 'not_json' and n % 2 = 0 then left({line}, 40 + (n % 100)::bigint)
                        when kind = 'not_json' then '<html><body>502 Bad Gateway</body></html>'
                        when kind = 'wrong_type' then 
                            replace({line}, '"value_micros":' || value_micros, '"value_micros":"about ' || value_micros || '"')
                        else {line} end"""

    def mark_complete(self, source, hour):
        open(os.path.join(self.folder(source, hour), "_SUCCESS"), "w").close()

    # -- what a person asks for -----------------------------------------------------------------------

    def land_hour(self, hour, bad_advertiser=False):
        text = hour_text(hour)
        if text in self.meta["hours"]:
            return
        if self.meta["first_hour"] is None:
            self.meta["first_hour"] = hour.isoformat()
        facts = {}
        for source in ("impressions", "conversions"):
            os.makedirs(self.folder(source, hour), exist_ok=True)
            facts[source] = self._land_source(source, hour)
            if source == "impressions" and bad_advertiser:
                facts["bad_advertiser"] = self._write_bad_advertiser(hour)
            self.mark_complete(source, hour)
        self.meta["hours"][text] = facts
        self.save_meta()

    def _land_source(self, source, hour):
        shape = self.shape(source, hour)
        ending = "parquet" if source == "impressions" else "jsonl.gz"
        counts = {}
        by_event_hour = {}
        late = 0
        for file in range(shape.files):
            path = os.path.join(self.folder(source, hour), f"part-{file:05d}.{ending}")
            self.write(path, self.landing(source, hour, file), source)
            for kind, count in self.con.execute("select kind, count(*) from landed group by kind").fetchall():
                counts[kind] = counts.get(kind, 0) + count
            for event_hour, count in self._new_rows_by_event_hour():
                by_event_hour[event_hour] = by_event_hour.get(event_hour, 0) + count
            late += self._late_rows(hour)
        rows = sum(counts.values())
        return {
            "files": shape.files,
            "rows": rows,
            "new_ids": counts["new"],  # Ids that no earlier hour has landed: what is to be published.
            "unique_ids": counts["new"] + counts.get("twice_later", 0),
            "duplicates_same_hour": counts["twice"],
            "duplicates_earlier_hour": counts.get("twice_later", 0),
            "null_keys": counts["without_key"],
            "malformed": counts.get("not_json", 0),
            "wrong_type": counts.get("wrong_type", 0),
            "late": late,  # Good rows, repeated ones included, that happened before this hour.
            "new_ids_by_event_hour": dict(sorted(by_event_hour.items())),
        }

    def _new_rows_by_event_hour(self):
        return self.con.execute(
            "select strftime(event_time, '%Y-%m-%d-%H'), count(*) from landed where kind = 'new' group by 1"
        ).fetchall()

    def _late_rows(self, hour):
        return self.con.execute(
            "select count(*) from landed where kind in ('new', 'twice', 'twice_later')"
            f" and event_time < timestamptz '{hour.isoformat()}'"
        ).fetchone()[0]

    def add_late_file(self, hour):
        """Impressions of the two hours before `hour` (of `hour` itself where there are none before) that
        arrive after their hour was complete."""
        facts = self._facts_of_landed(hour, "--late-file")
        files = facts.setdefault("late_files", [])
        name = f"late-{len(files):05d}.parquet"
        count = max(20, round(IMPRESSIONS_PER_HOUR * self.scale * 0.001))
        begin = max(self.first_hour(), hour - 2 * HOUR)
        end = max(hour, begin + HOUR)
        micros = int((end - begin).total_seconds()) * 1_000_000
        rows = self.impressions(hour, f"from range({count}) t(n)", EXTRA_FILE, f"late{len(files)}")
        spread = f"timestamptz '{begin.isoformat()}' + to_microseconds(floor((n + 0.5) / {count} * {micros})::bigint)"
        query = f"select * replace ({spread} as event_time), n as arrival, 'new' as kind from ({rows}) order by n"
        self.write(os.path.join(self.folder("impressions", hour), name), query, "impressions")
        files.append({"file": name, "rows": count, "new_ids_by_event_hour": dict(sorted(self._new_rows_by_event_hour()))})
        self.save_meta()

    def add_bad_advertiser(self, hour):
        facts = self._facts_of_landed(hour, "--bad-advertiser")
        if "bad_advertiser" not in facts:
            facts["bad_advertiser"] = self._write_bad_advertiser(hour)
            self.save_meta()

    def _write_bad_advertiser(self, hour):
        """Rows that are well-formed in every way, and whose cost is below zero."""
        count = max(10, round(IMPRESSIONS_PER_HOUR * self.scale * 0.0002))
        name = "refunds-00000.parquet"
        start = f"timestamptz '{hour.isoformat()}'"
        rows = self.impressions(hour, f"from range({count}) t(n)", EXTRA_FILE, "refund")
        query = f"""select * replace ({BAD_ADVERTISER} as advertiser_id,
                                      {(BAD_ADVERTISER - 1) * CAMPAIGNS_PER_ADVERTISER + 1} as campaign_id,
                                      -cost_micros as cost_micros,
                                      {start} + to_microseconds(floor((n + 0.5) / {count} * {HOUR_MICROS})::bigint) as event_time),
                           n as arrival, 'new' as kind
                    from ({rows}) order by n"""
        self.write(os.path.join(self.folder("impressions", hour), name), query, "impressions")
        return {"file": name, "rows": count, "advertiser_id": BAD_ADVERTISER}

    def _facts_of_landed(self, hour, option):
        facts = self.meta["hours"].get(hour_text(hour))
        if facts is None:
            sys.exit(f"generate.py: {option} {hour_text(hour)}: this hour has not landed, there are"
                     f" {', '.join(sorted(self.meta['hours'])) or 'none'}")
        return facts


def parse_hour(text):
    """`2026-11-30T05Z`, as Strandline writes hours, or a folder's name, `2026-11-30-05`."""
    for format in ("%Y-%m-%dT%HZ", "%Y-%m-%dT%H:00Z", "%Y-%m-%dT%H", "%Y-%m-%d-%H"):
        try:
            return datetime.datetime.strptime(text, format).replace(tzinfo=UTC)
        except ValueError:
            continue
    raise argparse.ArgumentTypeError(f"not an hour such as 2026-11-30T05Z: {text}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", required=True, help="folder that gets landing/ and meta.json")
    parser.add_argument("--first-hour", type=parse_hour, default=parse_hour("2026-11-30T05Z"), metavar="HOUR")
    parser.add_argument("--hours", type=int, default=0, help="how many hours land (default: none)")
    parser.add_argument("--scale", type=float, default=0.002)
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--late-file", type=parse_hour, metavar="HOUR")
    parser.add_argument("--bad-advertiser", type=parse_hour, metavar="HOUR")
    options = parser.parse_args()

    os.makedirs(options.out, exist_ok=True)
    generator = Generator(options.out, options.seed, options.scale, options.threads)
    for number in range(options.hours):
        hour = options.first_hour + number * HOUR
        generator.land_hour(hour, bad_advertiser=hour == options.bad_advertiser)
    if options.bad_advertiser:
        generator.add_bad_advertiser(options.bad_advertiser)
    if options.late_file:
        generator.add_late_file(options.late_file)
    json.dump(generator.meta, sys.stdout, indent=1, sort_keys=True)
    print()


if __name__ == "__main__":
    main()

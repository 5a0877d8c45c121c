"""What a person types and reads: exit codes, JSON, messages."""
import json
import pathlib
import subprocess
import time

from lake import ROOT, STRANDLINE, Lake
from shop import HOURLY, ORDERS, land_hours, order, shop


def call(*arguments, cwd=None):
    return subprocess.run([STRANDLINE, *arguments], capture_output=True, text=True, cwd=cwd, timeout=60, check=False)


def test_help_and_version_are_no_mistakes():
    assert call("--help").returncode == 0
    assert "strandline 0." in call("--version").stdout
    for command in ("init", "validate", "plan", "run", "status", "explain", "query", "fsck", "deploy"):
        done = call(command, "--help")
        assert done.returncode == 0 and "Example: strandline " + command in done.stdout, command


def test_wrong_usage_is_64(tmp_path):
    lake = shop(tmp_path)
    for arguments in ([], ["frobnicate"], ["run", "--no-such-option"], ["run", "--start", "2026-11-30T00Z"],
                      ["run", "--start", "yesterday", "--end", "2026-11-30T00Z"], ["plan", "--start", "2026-11-30T01Z", "--end", "2026-11-30T01Z"],
                      ["deploy"], ["run", "--memory-limit", "lots"], ["query", "drop table x"], ["query", "select 1; select 2"]):
        assert lake.call(*arguments).code == 64, arguments


def test_without_a_project_it_says_where_it_looked(tmp_path):
    done = call("plan", cwd=tmp_path)
    assert done.returncode == 1
    assert "strandline.yml" in done.stderr


def test_commands_find_the_project_in_a_parent_folder(tmp_path):
    lake = shop(tmp_path)
    assert call("validate", cwd=lake.project / "models").returncode == 0


def test_a_name_that_matches_nothing_lists_what_there_is(tmp_path):
    lake = shop(tmp_path)
    result = lake.call("plan", "--select", "ordres")
    assert result.code == 1 and "shop.orders_hourly" in result.err


def test_a_project_that_does_not_validate_does_nothing(tmp_path):
    lake = shop(tmp_path, hourly=HOURLY.replace("window: hour", "windw: hour"))
    land_hours(lake, [0])
    for command in ("validate", "plan", "run"):
        result = lake.call(command)
        assert result.code == 64, result
        assert "models/orders_hourly.sql:3:1: unknown setting `windw`: did you mean `window`?" in result.out + result.err
    assert not (tmp_path / "lake").exists()


def test_detailed_exit_code(tmp_path):
    lake = shop(tmp_path)
    land_hours(lake, [0])
    assert lake.call("plan", "--detailed-exitcode").code == 2
    lake.run()
    assert lake.call("plan", "--detailed-exitcode").code == 0


def test_waiting_is_4_only_for_what_was_asked_for(tmp_path):
    lake = shop(tmp_path)
    land_hours(lake, [0])
    lake.land("orders", "2026-11-30-01", "p.jsonl", [order(1, "2026-11-30T01:00:00Z")], marker=False)
    assert lake.call("run").code == 0
    asked = lake.call("run", "--select", "orders", "--start", "2026-11-30T01Z", "--end", "2026-11-30T02Z")
    assert asked.code == 4 and "has no _SUCCESS yet" in asked.out


def test_json_goes_to_standard_output_alone(tmp_path):
    lake = shop(tmp_path)
    land_hours(lake, [0])
    for command in (["plan"], ["run"], ["status"], ["fsck"], ["validate"], ["explain", "shop.orders", "2026-11-30T00Z"],
                    ["query", "select 1 as one"]):
        result = lake.call(*command, "--output", "json")
        assert result.code == 0, result
        assert json.loads(result.out)["version"] == 1 and json.loads(result.out)["command"] == command[0]


def test_plan_shows_exactly_what_run_then_does(tmp_path):
    lake = shop(tmp_path)
    land_hours(lake, [0, 1, 2])
    planned = [(unit["table"], unit["window"]) for unit in lake.plan()["units"]]
    done = [(unit["table"], unit["window"]) for unit in lake.run()["units"]]
    assert sorted(planned) == sorted(done)


def test_dry_run_changes_nothing(tmp_path):
    lake = shop(tmp_path)
    land_hours(lake, [0])
    assert lake.call("run", "--dry-run").code == 0
    assert lake.plan()["units"]


def test_explain_names_the_input_that_moved_and_the_run_that_moved_it(tmp_path):
    lake = shop(tmp_path)
    land_hours(lake, [0, 1])
    lake.run()
    lake.land("orders", "2026-11-30-01", "late.jsonl", [order("late", "2026-11-30T00:30:00Z")])
    run_id = lake.run("--select", "orders")["run_id"]
    result = lake.call("explain", "shop.orders_hourly", "2026-11-30T00Z")
    assert "stale: input" in result.out and "shop.orders 2026-11-30-00: version" in result.out and run_id in result.out


def test_metadata_tables(tmp_path):
    lake = shop(tmp_path)
    land_hours(lake, [0, 1])
    lake.run()
    assert lake.query("select count(*), min(operation) from shop.orders.snapshots") == [(2, "append")]
    assert lake.query("select count(*), sum(record_count) from shop.orders.files") == [(2, 6)]
    assert lake.query("select partition, record_count from shop.orders.partitions order by 1") == [
        ("at_hour=2026-11-30-00", 3), ("at_hour=2026-11-30-01", 3)]
    assert lake.query("select name, type from shop.orders.refs") == [("main", "BRANCH")]
    assert lake.query("select count(*) from shop.orders.snapshots s join shop.orders.history h on s.snapshot_id = h.snapshot_id") == [(2,)]


def test_bookkeeping_columns_are_hidden_unless_named(tmp_path):
    lake = shop(tmp_path)
    land_hours(lake, [0])
    lake.run()
    columns = lake.call("query", "select * from shop.orders", "--output", "json").json["columns"]
    assert [column["name"] for column in columns] == ["id", "at", "amount", "note"]
    assert lake.query("select count(distinct _strand_stamp) from shop.orders") == [(1,)]


def test_queries_read_no_file_and_change_nothing(tmp_path):
    lake = shop(tmp_path)
    secret = tmp_path / "secret.csv"
    secret.write_text("a,b\n1,2\n")
    for sql in (f"select * from read_csv('{secret}')", f"select * from '{secret}'", f"copy (select 1) to '{tmp_path}/out.csv'",
                "install httpfs", "select getenv('HOME')", f"attach '{tmp_path}/x.db'", f"select * from read_text('{secret}')", "pragma version"):
        result = lake.call("query", sql)
        assert result.code != 0, (sql, result)
    assert not (tmp_path / "out.csv").exists() and not (tmp_path / "x.db").exists()


def test_an_unknown_table_is_named(tmp_path):
    lake = shop(tmp_path)
    land_hours(lake, [0])
    lake.run()
    result = lake.call("query", "select * from shop.ordrs")
    assert result.code == 1 and "shop.ordrs" in result.err


def test_init_makes_a_project_that_runs_as_it_is(tmp_path):
    assert call("init", str(tmp_path / "new")).returncode == 0
    assert call("validate", cwd=tmp_path / "new").returncode == 0
    first = call("run", "--output", "json", cwd=tmp_path / "new")
    assert first.returncode == 0, first
    assert {unit["outcome"] for unit in json.loads(first.stdout)["units"]} == {"published"}
    assert json.loads(call("run", "--output", "json", cwd=tmp_path / "new").stdout)["units"] == []
    assert call("init", str(tmp_path / "new")).returncode != 0, "nothing is overwritten"


def test_bad_lines_cost_only_themselves(tmp_path):
    lake = shop(tmp_path)
    good = json.dumps(order(1, "2026-11-30T00:00:00Z")).encode()
    bad = [b"{not json", b"[]", b'{"id": null, "at": "2026-11-30T00:00:00Z"}', b'{"id": "x", "at": "noon"}', b'{"id": "y", "at": "2026-11-30T00:00:00Z", "amount": "ten"}',
           b'{"id": "\xff", "at": "2026-11-30T00:00:00Z"}', b'{"id": "z"}']
    lake.land("orders", "2026-11-30-00", "p.jsonl", b"\n".join([good, *bad, b""]))
    (unit,) = [unit for unit in lake.run()["units"] if unit["table"] == "shop.orders"]
    assert (unit["counts"]["rows_in"], unit["counts"]["rows_published"], unit["counts"]["rows_quarantined"]) == (8, 1, 7)
    assert lake.query("select count(*), count(distinct position), min(file) from shop.orders__quarantine") == [(7, 7, "p.jsonl")]
    assert lake.pyiceberg_rows("shop.orders__quarantine") == lake.duckdb_rows("shop.orders__quarantine")


def test_too_many_bad_lines_fail_the_unit(tmp_path):
    lake = shop(tmp_path, orders=ORDERS.replace("lateness: 72h", "lateness: 72h\nquarantine: {max_share: 10%}"))
    lake.land("orders", "2026-11-30-00", "p.jsonl", b'{"id": "a", "at": "2026-11-30T00:00:00Z"}\nbroken\n')
    report = lake.run(code=1)
    assert [unit["outcome"] for unit in report["units"]] == ["failed"] and "not valid JSON" in report["units"][0]["error"]
    assert lake.tables() == []


def test_a_broken_file_is_named_and_publishes_nothing(tmp_path):
    lake = Lake.of_ads(tmp_path)
    lake.land_ads("--first-hour", "2026-11-30T05Z", "--hours", 1)
    (path,) = list((tmp_path / "landing" / "impressions" / "2026-11-30-05").glob("part-00000.parquet"))
    path.write_bytes(path.read_bytes()[:-100])
    report = lake.run(code=1)
    (failed,) = [unit for unit in report["units"] if unit["outcome"] == "failed"]
    assert failed["table"] == "ads.impressions" and "part-00000.parquet" in failed["error"]
    assert lake.tables() == ["ads.conversions", "ads.conversions__quarantine"]


def test_a_broken_project_gives_a_line_for_each_fault_in_file_order():
    folder = ROOT / "tests" / "fixtures" / "projects" / "broken"
    done = call("--project", str(folder), "validate")
    assert done.returncode == 64
    assert done.stdout == (folder / "expected.txt").read_text(encoding="utf-8")
    assert len(done.stdout.splitlines()) == 12


def test_every_line_of_a_run_has_its_id_in_json(tmp_path):
    lake = shop(tmp_path)
    land_hours(lake, [0])
    run_id = lake.run()["run_id"]
    location = pathlib.Path(lake.table("shop.orders").metadata_location.removeprefix("file://"))
    location.write_text("{}")
    result = lake.call("run", "--log-format", "json")
    assert result.code == 1, result
    lines = [json.loads(line) for line in result.err.splitlines()]
    assert lines and all(line["level"] == "error" and location.name in line["message"] for line in lines)
    (failed,) = {line["run_id"] for line in lines}
    assert len(failed) == len(run_id) and failed != run_id


def test_outside_of_a_run_there_is_no_id(tmp_path):
    result = shop(tmp_path).call("query", "select 1 +", "--log-format", "json")
    (line,) = [json.loads(line) for line in result.err.splitlines()]
    assert line["run_id"] == "" and line["message"].startswith("strandline: ")


def test_an_error_is_printed_though_a_signal_came(tmp_path):
    lake = shop(tmp_path)
    land_hours(lake, [0], per_hour=20)
    lake.run()
    endless = "select count(*) from " + ", ".join(f"shop.orders o{i}" for i in range(12)) + " where o0.id || o11.id = 'x'"
    process = lake.start("query", endless)
    time.sleep(2)
    assert process.poll() is None, process.communicate()
    process.terminate()
    _, err = process.communicate(timeout=60)
    assert process.returncode == 143 and err.startswith("strandline: "), err


def test_explain_reads_summaries_that_others_wrote(tmp_path):
    lake = shop(tmp_path)
    land_hours(lake, [0])
    lake.run()
    path = pathlib.Path(lake.table("shop.orders_hourly").metadata_location.removeprefix("file://"))
    metadata = json.loads(path.read_text())
    checks = [{"id": 7, "severity": None, "result": ["x"], "checked": 5_000_000_000, "violating": "many"}, "no check", {}]
    metadata["snapshots"][-1]["summary"]["strandline.checks"] = json.dumps(checks)
    path.write_text(json.dumps(metadata))
    result = lake.call("explain", "shop.orders_hourly", "2026-11-30T00Z")
    assert result.code == 0, result
    assert "check 7 (?): ?, many of 5000000000 violating" in result.out
    assert "check ? (?): ?, ? of ? violating" in result.out


def test_fsck_tells_of_the_sound_tables_beside_one_that_cannot_be_loaded(tmp_path):  # C159
    lake = shop(tmp_path, rolling=None)
    land_hours(lake, [0])
    lake.run()
    pathlib.Path(lake.table("shop.orders").metadata_location.removeprefix("file://")).write_bytes(b"{}")
    result = lake.call("fsck", "--output", "json")
    assert result.code == 1
    assert {table["table"]: table["sound"] for table in result.json["tables"]} == {
        "shop.orders": False, "shop.orders__quarantine": True, "shop.orders_hourly": True}

"""A project and its lake in a folder of its own, driven through the built program, read back by other people's readers."""
import datetime
import json
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
STRANDLINE = os.environ.get("STRANDLINE", str(ROOT / "build" / "strandline"))
TIMEOUT_SECONDS = 120

UTC = datetime.timezone.utc


def hour(text):
    """`2026-11-30T05Z` as a datetime."""
    return datetime.datetime.strptime(text, "%Y-%m-%dT%HZ").replace(tzinfo=UTC)


class Result:
    """How one command ended."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    @property
    def json(self):
        return json.loads(self.out)

    def __repr__(self):
        return f"exit {self.code}\n--- stdout\n{self.out}\n--- stderr\n{self.err}"


class Lake:
    """A folder with project/, landing/, lake/ and catalog.db, laid out as `make demo` lays it out."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.project = self.folder / "project"

    @classmethod
    def of_ads(cls, folder):
        """The example project; hours are landed with `land_ads`."""
        lake = cls(folder)
        shutil.copytree(ROOT / "examples" / "ads", lake.project, ignore=shutil.ignore_patterns("generate.py"))
        return lake

    @classmethod
    def of_files(cls, folder, files):
        """A project made of the texts given: {"sources/orders.yml": "..."}; strandline.yml has a default."""
        lake = cls(folder)
        texts = {"strandline.yml": STRANDLINE_YML} | files
        for name, text in texts.items():
            path = lake.project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return lake

    # Landing.

    def land_ads(self, *arguments, scale=0.0005):
        command = [sys.executable, ROOT / "examples" / "ads" / "generate.py", "--out", self.folder, "--scale", str(scale)]
        done = subprocess.run([*map(str, command), *map(str, arguments)], capture_output=True, text=True,
                              timeout=TIMEOUT_SECONDS, check=False)
        assert done.returncode == 0, done.stderr
        return json.loads((self.folder / "meta.json").read_text(encoding="utf-8"))

    def land(self, source, unit, name, rows, marker=True):
        """Lands rows (dicts) as JSON lines, or raw bytes, in the folder of one unit (`2026-11-30-05`)."""
        folder = self.folder / "landing" / source / unit
        folder.mkdir(parents=True, exist_ok=True)
        data = rows if isinstance(rows, bytes) else "".join(json.dumps(row) + "\n" for row in rows).encode()
        (folder / name).write_bytes(data)
        if marker:
            (folder / "_SUCCESS").write_bytes(b"")
        return folder / name

    def land_table(self, source, unit, name, table, marker=True):
        """Lands an Arrow table as Parquet."""
        import pyarrow.parquet
        folder = self.folder / "landing" / source / unit
        folder.mkdir(parents=True, exist_ok=True)
        pyarrow.parquet.write_table(table, folder / name)
        if marker:
            (folder / "_SUCCESS").write_bytes(b"")
        return folder / name

    # The program.

    def call(self, *arguments, environment=None, timeout=TIMEOUT_SECONDS, open_files_max=None):
        command = [STRANDLINE, "--project", str(self.project), *map(str, arguments)]
        if open_files_max is not None:
            command = ["prlimit", f"--nofile={open_files_max}", *command]
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False,
                              env={**os.environ, **(environment or {})})
        return Result(done.returncode, done.stdout, done.stderr)

    def start(self, *arguments, environment=None):
        """The program as a running process."""
        command = [STRANDLINE, "--project", str(self.project), *map(str, arguments)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env={**os.environ, **(environment or {})})

    def run(self, *arguments, code=0, **options):
        result = self.call("run", "--output", "json", *arguments, **options)
        assert result.code == code, result
        return result.json

    def plan(self, *arguments, code=0):
        result = self.call("plan", "--output", "json", *arguments)
        assert result.code == code, result
        return result.json

    def query(self, sql, *arguments):
        """Rows as tuples, by our own reader."""
        result = self.call("query", "--output", "json", sql, *arguments)
        assert result.code == 0, result
        return [tuple(row) for row in result.json["rows"]]

    def fsck(self, *tables):
        result = self.call("fsck", "--output", "json", *tables)
        assert result.code in (0, 1), result
        return [finding | {"table": table["table"]} for table in result.json["tables"] for finding in table["findings"]]

    # Other people's readers.

    def catalog(self, name="ads"):
        from pyiceberg.catalog.sql import SqlCatalog
        return SqlCatalog(name, uri=f"sqlite:///{self.folder / 'catalog.db'}", warehouse=f"file://{self.folder / 'lake'}")

    def table(self, name):
        return self.catalog().load_table(name)

    def tables(self):
        catalog = self.catalog()
        return sorted(".".join(name) for namespace in catalog.list_namespaces() for name in catalog.list_tables(namespace))

    def snapshots(self, name):
        return [snapshot.snapshot_id for snapshot in self.table(name).metadata.snapshots]

    def pyiceberg_rows(self, name):
        return multiset(self.table(name).scan().to_arrow())

    def duckdb_rows(self, name):
        return multiset(duckdb_iceberg().execute(
            f"select * from iceberg_scan('{self.table(name).metadata_location}')").to_arrow_table())

    def rename_foreign_operation(self, name, operation):
        """Changes the operation of others' snapshots by hand in the metadata: a compaction as another engine commits it."""
        path = pathlib.Path(self.table(name).metadata_location.removeprefix("file://"))
        metadata = json.loads(path.read_text(encoding="utf-8"))
        for snapshot in metadata["snapshots"]:
            if "strandline.run-id" not in snapshot["summary"]:
                snapshot["summary"]["operation"] = operation
        path.write_text(json.dumps(metadata), encoding="utf-8")

    def all_rows(self):
        """Every table's rows as a multiset without bookkeeping columns: what two runs must agree on."""
        return {name: self.pyiceberg_rows(name) for name in self.tables()}


STRANDLINE_YML = """version: 1
project: shop
catalogs:
  ads: {type: sql, uri: "sqlite:///../catalog.db", warehouse: ../lake}
default_catalog: ads
engine: {type: duckdb, threads: 2, memory_limit: 512MiB, temp_directory: .strandline/tmp}
defaults: {owner: shop-data}
"""


def plain(value):
    """A value that compares equal whichever reader gave it."""
    if isinstance(value, datetime.datetime):
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    if isinstance(value, float):
        return float(f"{value:.9e}")
    if isinstance(value, dict):
        return tuple(sorted((key, plain(item)) for key, item in value.items()))
    if isinstance(value, (list, tuple)):
        return tuple(plain(item) for item in value)
    return value


def multiset(table):
    """{row: count} of an Arrow table, bookkeeping columns left out, columns by name."""
    names = sorted(name for name in table.column_names if not name.startswith("_strand_"))
    rows = {}
    columns = [[plain(value) for value in table.column(name).to_pylist()] for name in names]
    for row in zip(*columns) if columns else []:
        rows[row] = rows.get(row, 0) + 1
    return rows


_duckdb = []


def duckdb_iceberg():
    """DuckDB with its Iceberg reader, loaded from the wheels: never from the network."""
    if not _duckdb:
        import duckdb
        import duckdb_extension_avro
        import duckdb_extension_iceberg
        connection = duckdb.connect(config={"autoinstall_known_extensions": "false", "allow_unsigned_extensions": "true"})
        for module in (duckdb_extension_avro, duckdb_extension_iceberg):
            folder = pathlib.Path(module.__file__).parent
            (extension,) = folder.rglob("*.duckdb_extension")
            connection.execute(f"load '{extension}'")
        connection.execute("set TimeZone='UTC'")
        _duckdb.append(connection)
    return _duckdb[0].cursor()

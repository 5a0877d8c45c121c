"""Dependencies point down: no room includes one above it, or reaches into another room's internal/."""
import pathlib
import re

ROOMS = ["base", "io", "format", "table", "catalog", "engine", "project", "quality", "pipeline", "maintenance",
         "operations", "server", "cli"]  # Low to high.
INCLUDE = re.compile(r'^#include "strandline/(\w+)/(internal/)?', re.M)
ROOT = pathlib.Path(__file__).resolve().parents[2] / "src" / "strandline"


def problems():
    for path in sorted(p for p in ROOT.rglob("*") if p.suffix in {".h", ".cc"}):
        room, text = path.relative_to(ROOT).parts[0], path.read_text(encoding="utf-8")
        for found in INCLUDE.finditer(text):
            other, internal = found.groups()
            line = text.count("\n", 0, found.start()) + 1
            if ROOMS.index(other) > ROOMS.index(room):
                yield f"{path}:{line}: {room}/ is below {other}/ and may not include it"
            elif internal and other != room:
                yield f"{path}:{line}: {other}/internal/ is private to {other}/"


def test_dependencies_point_down():
    assert list(problems()) == []


def test_every_room_has_a_readme():
    rooms = sorted(p for p in ROOT.iterdir() if p.is_dir())
    missing = [p.name for p in rooms if not list(p.rglob("README.md"))]
    assert missing == []

"""Prints the restated windows of a `strandline run --output json`, a line each, and why."""
import json
import sys

report = json.load(open(sys.argv[1], encoding="utf-8"))
for unit in report["units"]:
    why = f"{unit['was']}: {unit['reason']}" if unit["reason"] else unit["was"]
    print(f"{unit['table']:32} {unit['window']}  {unit['action']:7}  {unit['outcome']}  {unit['rows']:>7} rows  ({why})")

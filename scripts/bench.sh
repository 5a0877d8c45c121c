#!/usr/bin/env bash
# The benchmark: BUILD SCALE PEERS. Prints Markdown and writes BUILD/bench/results.json.
set -euo pipefail
cd "$(dirname "$0")/.."
exec .deps/venv/bin/python bench/bench.py --build "$1" --scale "$2" --peers "$3"

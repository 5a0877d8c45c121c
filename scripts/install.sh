#!/usr/bin/env bash
# Installs the program as PREFIX/bin/strandline with Arrow's libraries in PREFIX/lib/strandline, where the program
# finds them relative to itself ($ORIGIN); nothing of the checkout is needed afterwards.
set -euo pipefail
build=$1
prefix=$2
cd "$(dirname "$0")/.."

mkdir -p "$prefix/bin" "$prefix/lib/strandline"
cmake --install "$build" --prefix "$prefix" --component strandline >/dev/null
ldd_output=$(LD_LIBRARY_PATH= ldd "$prefix/bin/strandline")
if grep -q 'not found' <<< "$ldd_output"; then
  grep 'not found' <<< "$ldd_output" >&2
  echo "The installed program does not find these libraries." >&2
  exit 1
fi
echo "Installed $prefix/bin/strandline; Arrow's libraries are in $prefix/lib/strandline."

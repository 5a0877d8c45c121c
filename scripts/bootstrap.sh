#!/usr/bin/env bash
# Installs what building and testing need and is missing: Debian packages (with root; without it, says which are
# missing), the Python environment in .deps/venv (which carries Arrow), and DuckDB's static libraries in
# .deps/duckdb. Downloads stay in the user's cache folder, so a fresh clone does not fetch them again.
# A second call takes a fraction of a second.
set -euo pipefail
cd "$(dirname "$0")/.."

cache=${XDG_CACHE_HOME:-$HOME/.cache}/strandline
duckdb_module=github.com/duckdb/duckdb-go-bindings/lib/linux-amd64
duckdb_version=v0.10506.0
stamp=.deps/bootstrap.stamp
wanted=$(cat scripts/bootstrap.sh scripts/apt-packages.txt requirements.txt | sha256sum | cut -d' ' -f1)

say() { printf '%s\n' "$*" >&2; }

# The stamp holds the recipe's hash; what it made must still be there.
if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ] && [ -x .deps/venv/bin/python ] &&
   [ -e .deps/duckdb/duckdb.h ] && command -v ninja cmake g++ ccache mold >/dev/null; then
  exit 0
fi
mkdir -p .deps "$cache"

install_packages() {
  local missing=()
  while read -r package; do
    case $package in ''|'#'*) continue ;; esac
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
  done < scripts/apt-packages.txt
  [ ${#missing[@]} -eq 0 ] && return 0
  local root=()
  if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
      root=(sudo)
    else
      say "These Debian packages are missing, and installing them needs root:"
      say "  apt-get install --no-install-recommends ${missing[*]}"
      say "Install them, then call make again. Nothing was changed."
      exit 1
    fi
  fi
  say "Installing ${#missing[@]} Debian packages: ${missing[*]}"
  "${root[@]}" apt-get update -qq
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# Python, and Arrow with it.
install_python() {
  if [ ! -x .deps/venv/bin/python ]; then
    say "Making the Python environment in .deps/venv"
    python3 -m venv .deps/venv
  fi
  say "Installing the pinned Python packages (Arrow 26 among them)"
  .deps/venv/bin/python -m pip install -q --disable-pip-version-check -r requirements.txt
}

install_duckdb() {
  [ -e .deps/duckdb/duckdb.h ] && return 0
  say "Fetching DuckDB's static libraries ($duckdb_version) into $cache"
  local folder
  folder=$(cd "$cache" && GOMODCACHE="$cache/gomod" GOFLAGS=-modcacherw GO111MODULE=on \
    go mod download -json "$duckdb_module@$duckdb_version" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
  [ -n "$folder" ] || { say "The Go module $duckdb_module@$duckdb_version could not be fetched."; exit 1; }
  ln -sfn "$folder" .deps/duckdb
}

install_packages
[ -n "${STRANDLINE_SKIP_PYTHON:-}" ] || install_python
[ -n "${STRANDLINE_DUCKDB_ROOT:-}" ] || install_duckdb
printf '%s\n' "$wanted" > "$stamp"

#!/usr/bin/env bash
# Format and clang-tidy over the C++ files changed since BASE (default: the last commit, and what is not
# committed). BASE=all checks every file.
set -euo pipefail
build=$1
cd "$(dirname "$0")/.."

if [ "${BASE:-}" = all ]; then
  mapfile -t files < <(git ls-files '*.cc' '*.h')
else
  mapfile -t files < <({ git diff --name-only --diff-filter=d "${BASE:-HEAD~1}" -- '*.cc' '*.h'
                         git ls-files --others --exclude-standard -- '*.cc' '*.h'; } | sort -u)
fi
[ ${#files[@]} -gt 0 ] || { echo "No C++ file changed."; exit 0; }

clang-format-19 --dry-run -Werror "${files[@]}"
sources=()
for file in "${files[@]}"; do case $file in *.cc) sources+=("$file") ;; esac; done
# Precompiled headers are g++'s; clang-tidy reads the headers themselves.
if [ ${#sources[@]} -gt 0 ]; then
  mkdir -p "$build/lint"
  sed -E 's# -include [^ ]*cmake_pch\.hxx##g; s# -Winvalid-pch##g' "$build/compile_commands.json" > "$build/lint/compile_commands.json"
  printf '%s\n' "${sources[@]}" | xargs -P "$(nproc)" -n 4 clang-tidy-19 -p "$build/lint" --quiet
fi
echo "${#files[@]} files are clean."

#!/usr/bin/env bash
# Every test: the C++ programs by ctest, then the scenarios and other people's readers by pytest.
# Ends with one line: "N passed, N failed".
set -uo pipefail
build=$1
cd "$(dirname "$0")/.."

log=$build/test-logs
mkdir -p "$log"
failed=0

ctest --test-dir "$build" -j 2 --output-on-failure --timeout 600 > "$log/ctest.log" 2>&1 || failed=1
grep -E '^[0-9]+% tests passed|\*\*\*Failed|\*\*\*Timeout|\*\*\*Exception' "$log/ctest.log" || tail -n 30 "$log/ctest.log"
cpp_total=$(sed -nE 's/^[0-9]+% tests passed, [0-9]+ tests failed out of ([0-9]+)$/\1/p' "$log/ctest.log")
cpp_failed=$(sed -nE 's/^[0-9]+% tests passed, ([0-9]+) tests failed out of [0-9]+$/\1/p' "$log/ctest.log")
cpp_total=${cpp_total:-0} cpp_failed=${cpp_failed:-1}
[ "$cpp_total" -gt 0 ] || failed=1
[ "$cpp_failed" -eq 0 ] || sed -n '/The following tests FAILED/,$p' "$log/ctest.log"

STRANDLINE="$PWD/$build/strandline" STRANDLINE_BUILD="$PWD/$build" \
  .deps/venv/bin/python -m pytest -q -rs --junitxml="$log/pytest.xml" tests > "$log/pytest.log" 2>&1 || failed=1
tail -n 40 "$log/pytest.log"
read -r py_total py_failed py_skipped < <(.deps/venv/bin/python - "$log/pytest.xml" <<'PY'
import sys, xml.etree.ElementTree as tree
try:
    suite = tree.parse(sys.argv[1]).getroot().find("testsuite")
    bad = int(suite.get("failures")) + int(suite.get("errors"))
    print(suite.get("tests"), bad, suite.get("skipped"))
except Exception:
    print(0, 1, 0)
PY
)
[ "$py_total" -gt 0 ] || failed=1

bad=$((cpp_failed + py_failed))
[ "$bad" -eq 0 ] && [ "$failed" -ne 0 ] && bad=1
echo
echo "$((cpp_total + py_total - bad - py_skipped)) passed, $bad failed, $py_skipped skipped"
exit "$failed"

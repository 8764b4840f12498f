#!/bin/bash
# tools/charts draws what pixbench writes, and says what is wrong with other files.  charts_test.sh SOURCE WORK; 77,
# which ctest reports as skipped, where there is no Python.
. "${BASH_SOURCE[0]%/*}/checks.sh"
source=$1 work=$2
command -v python3 >/dev/null || { echo "skipped: no python3, and tools/charts needs one"; exit 77; }

rm -rf "$work"
mkdir -p "$work"
cd "$work" || exit 1
charts=$source/tools/charts

# file NAME MODE DRIVER ROWS: as pixbench --json writes it, with the keys that count here.
file() {
    printf '{"mode": "%s", "api": "gl", "object": "texture", "statistic": "median", "driver": "%s", "cores": 2,
        "rows": [%s]}' "$2" "$3" "$4" >"$1"
}
# message SIZE SECONDS NAIVE ROUTE: a row of pt2pt.
message() {
    printf '{"case": "%sx%s one way, sweep", "bytes": %d, "seconds": %s, "naive_seconds": %s, "limit_seconds": 1e-6,
        "host_mpi_seconds": null, "route": "%s"}' "$1" "$1" $(($1 * $1 * 4)) "$2" "$3" "$4"
}
# step RANKS SECONDS: a row of pixels whose computation takes a second.
step() {
    printf '{"case": "8x8 each, %d ranks", "bytes": %d, "seconds": %s, "naive_seconds": 4, "computation_seconds": 1,
        "row_ranks": %d}' "$1" $((256 * $1)) "$2" "$1"
}
file shm.json pt2pt llvmpipe "$(message 16 1e-5 2e-5 shm), $(message 64 2e-5 8e-5 shm)"
file mpi.json pt2pt llvmpipe "$(message 16 2e-5 2e-3 mpi), $(message 64 4e-5 2e-3 mpi)"
file pixels.json pixels llvmpipe "$(step 1 1), $(step 2 1.25)"

check "charts of both modes" "$charts" --out drawn shm.json mpi.json pixels.json
check "their files" [ "$(ls drawn | tr '\n' ' ')" = "pixels-gl-texture.svg pt2pt-gl-texture-one-way.svg " ]
check "the same again" "$charts" --out again shm.json mpi.json pixels.json
check "nothing differs" diff -r drawn again

# What is where: the heights of a line's points; the first line of a style is the chart's, the second the legend's.
places() { # places FILE STYLE
    python3 - "$1" "$2" <<'END'
import re, sys
from xml.etree import ElementTree
for path in ElementTree.parse(sys.argv[1]).iter("{http://www.w3.org/2000/svg}path"):
    if path.get("class") == f"line {sys.argv[2]}":
        sys.exit(print(" ".join(f"{float(y):.0f}" for y in re.findall(r"[ML][\d.]+ ([\d.]+)", path.get("d")))))
END
}
ratio() { # ratio FILE STYLE STYLE: how far the second line lies above the first, at each place, on a logarithmic axis
    python3 -c 'import sys; print(*[int(a) - int(b) for a, b in zip(sys.argv[1].split(), sys.argv[2].split())])' \
        "$(places "$1" "$2")" "$(places "$1" "$3")"
}
bandwidth=drawn/pt2pt-gl-texture-one-way.svg
read -r first second <<<"$(ratio $bandwidth naive shm)"
check "twice as fast as the naive way of its own runs" [ "$first" -gt 0 ]
difference=$((second - 2 * first))
check "four times as fast, twice as far above on a logarithmic axis" [ ${difference#-} -le 2 ]
check "each route has a line" [ "$(ratio $bandwidth mpi shm)" = "$first $first" ]
check "a limit" grep -q 'class="line limit"' $bandwidth
check "no line of what was not measured" bash -c "! grep -q 'class=\"line host\"' $bandwidth"
check "efficiency of 100 % and 80 %" python3 -c '
import sys
one, two = map(int, sys.argv[1].split())
bottom = one + 5 * (two - one)
assert abs(bottom - 340) <= 3, bottom' "$(places drawn/pixels-gl-texture.svg library)"
check "light and dark backgrounds" grep -q 'prefers-color-scheme:dark' $bandwidth
check "no background of its own" bash -c "! grep -q '<rect' $bandwidth"

file slow.json pt2pt llvmpipe "$(message 16 9e-5 2e-5 shm), $(message 64 9e-5 8e-5 shm)"
file fast.json pt2pt llvmpipe "$(message 16 2e-6 2e-5 shm), $(message 64 4e-6 8e-5 shm)"
"$charts" --out median fast.json shm.json slow.json >/dev/null
"$charts" --out one shm.json >/dev/null
check "the median of several runs" [ "$(places median/*.svg shm)" = "$(places one/*.svg shm)" ]

echo 'pt2pt' >text.json
echo '[1]' >list.json
file region.json region llvmpipe "$(message 16 1e-5 2e-5 shm)"
file other.json pt2pt "another driver" "$(message 16 1e-5 2e-5 shm)"
file lonely.json pt2pt llvmpipe "$(message 16 1e-5 2e-5 shm)"
file empty.json pixels llvmpipe ''
file wrong.json pixels llvmpipe "$(step 1 '"fast"')"
file without.json pixels llvmpipe "$(message 16 1e-5 2e-5 shm)"
check "help" "$charts" --help
check "no files" bash -c "! $charts --out none"
check "a file that is missing" refuses "missing.json: No such file" "$charts" --out none shm.json missing.json
check "no JSON" refuses "text.json: no JSON" "$charts" --out none text.json
check "another JSON" refuses "list.json: not written by pixbench --json" "$charts" --out none list.json
check "a mode without a chart" refuses "region.json: mode region has no chart, expected pt2pt or pixels" \
    "$charts" --out none region.json
check "two drivers" refuses "other.json: driver another driver, but shm.json has llvmpipe" \
    "$charts" --out none shm.json other.json
check "one size" refuses "lonely.json: each of its charts has one place" "$charts" --out none lonely.json
check "no rows" refuses "empty.json: each of its charts" "$charts" --out none empty.json
check "no number" refuses 'wrong.json: row 0: seconds: "fast", expected a number above 0' "$charts" --out none wrong.json
check "a key that is missing" refuses "without.json: row 0: row_ranks: null" "$charts" --out none without.json
check "nothing drawn of these" [ ! -e none ]
check "a place that cannot be written to" refuses "--out /proc/none:" "$charts" --out /proc/none shm.json
check "the data of the documents" "$charts" --out docs "$source"/docs/performance/data/software/*.json
check "their charts are up to date" diff -r docs "$source/docs/performance/software"
check "those of cards" "$charts" --out cards "$source"/docs/performance/data/h200/*.json
check "up to date as well" diff -r cards "$source/docs/performance/h200"
exit $failed

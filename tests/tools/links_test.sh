#!/bin/bash
# tools/links measures a link and shows it, and says when it cannot.  links_test.sh SOURCE WORK BUILD MPIEXEC; 77, which
# ctest reports as skipped, where there is no Python.
. "${BASH_SOURCE[0]%/*}/checks.sh"
source=$1 work=$2 build=$3 mpiexec=$4
command -v python3 >/dev/null || { echo "skipped: no python3, and tools/links needs one"; exit 77; }

rm -rf "$work"
mkdir -p "$work"
brief=(--build "$build" --mpiexec "$mpiexec" --results "$work/results")
options=(-- --api host --size 161x90 --seconds 0.01 --repetitions 1)

shows() { # shows LINK PICTURE CODEC: one row of the table
    [ "$(grep -c "^| $1 | $2 161x90 [^|]* | $3 |" "$work/table")" = 1 ] || { cat "$work/table"; return 1; }
}
shared() { "$source/tools/links" "${brief[@]}" --links shm "${options[@]}" 2>&1 | tee "$work/table"; }
check "two ranks that share memory are measured" shared
for codec in none lz4 jpeg:90:opaque auto auto:90:opaque; do
    check "a frame through $codec is in the table" shows shm frame "$codec"
done
check "a depth buffer is in the table" shows shm depth lz4
again() { "$source/tools/links" "${brief[@]}" --links shm --show >"$work/table" && shows shm frame lz4; }
check "results are shown again" again
check "auto is compared with the best" grep -q '[-+][0-9]* % of [a-z]' "$work/table"
check "a program that is not there is named" \
    refuses no-such "$source/tools/links" "${brief[@]}" --mpiexec no-such --results "$work/none" --links shm

# Between hosts.
if [ "$(id -u)" -eq 0 ] && ip netns list >/dev/null 2>&1; then
    hosts() { "$source/tools/links" "${brief[@]}" --links 200mbit "${options[@]}" --format RGBA8 >"$work/table" 2>&1; }
    if hosts; then
        check "two hosts are measured" shows 200mbit frame lz4
    elif grep -q skipped "$work/table"; then
        sed -n 's/^skipped/not tested/p' "$work/table"
    else
        check "two hosts are measured" false
        sed 's/^/    /' "$work/table"
    fi
fi
exit $failed

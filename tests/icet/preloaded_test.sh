#!/bin/bash
# pvpixmpi: programs of another library of IceT run on pixmpi, and it says so, or that a call would not.
#   preloaded_test.sh PVPIXMPI MPIEXEC PROGRAM PROGRAM_THAT_CALLS_MORE LIBRARIES...
set -u
pvpixmpi=$1 mpiexec=$2 program=$3 more=$4
shift 4
failed=0
errors=$(mktemp)
trap 'rm -f "$errors"' EXIT

expect() { # expect WHAT STATUS OUTPUT ERRORS command...: an empty OUTPUT or ERRORS may be anything
    local what=$1 status=$2 output=$3 error=$4 got rc=0
    shift 4
    got=$(timeout 60 "$@" 2>"$errors" </dev/null) || rc=$?
    [ "$status" = fails ] && [ $rc != 0 ] && [ $rc != 124 ] && rc=fails
    if [ "$rc" != "$status" ] || [[ $got != *"$output"* ]] || [[ $(<"$errors") != *"$error"* ]]; then
        echo "FAILED $what: status $rc, expected $status"
        printf -- '--- output\n%s\n--- errors\n%s\n' "$got" "$(cat "$errors")"
        failed=1
    else
        echo "ok $what"
    fi
}

# MPICH 4.2's mpiexec loses a program's status now and then: what fails runs without it, as one rank.
expect "without pvpixmpi" fails "libstubIceT: icetCreateMPICommunicator" "" "$program"
expect "a program" 0 "0 1 12 13" "pvpixmpi: all 8 icet* symbols of the program are pixmpi's" \
    "$mpiexec" -n 2 "$pvpixmpi" "$program"
expect "a call that pixmpi has not" fails "" "icetStateDump of the program is in libstubIceT" \
    "$pvpixmpi" "$more"
expect "no program" 2 "" "Usage: mpiexec" "$pvpixmpi"
expect "another option" 2 "" "--lists: not an option" "$pvpixmpi" --lists
expect "help" 0 "--list" "" "$pvpixmpi" --help

exported=$(nm -D --defined-only "$@" | awk '$2 == "T" {print $3}' | sed 's/@.*//' | grep '^icet' | grep -v '^icetInternal' | sort)
[ "$exported" = "$("$pvpixmpi" --list | sort)" ] || { echo "FAILED --list is not what the libraries export"; failed=1; }
exit $failed

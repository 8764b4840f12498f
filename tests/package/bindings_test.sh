#!/bin/bash
# The public headers in every dialect that they promise, without a warning; and the libraries from other languages, which
# have the exported functions alone.
#   bindings_test.sh headers CC CXX WORK "FLAGS" FOLDERS...
#   bindings_test.sh python LIBRARIES MPIEXEC MPI
#   bindings_test.sh fortran LIBRARIES MPIEXEC MPI WORK LIBRARIES_OF_MPI...
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
what=$1
shift
failed=0

headers() { # headers CC CXX WORK FLAGS FOLDERS...
    local cc=$1 cxx=$2 work=$3 flags=$4 folder header count=0
    shift 4
    local warnings="-Wall -Wextra -Wpedantic -Wcast-qual -Wconversion -Werror"
    mkdir -p "$work"
    for folder; do
        for header in "$folder"/*.h; do
            # Included twice, and by itself.
            printf '#include <%s>\n#include <%s>\nint used;\n' "${header##*/}" "${header##*/}" | tee "$work/one.c" >"$work/one.cpp"
            for dialect in c99 c11; do
                $cc -std=$dialect $warnings -Wstrict-prototypes $flags -fsyntax-only "$work/one.c" || failed=1
            done
            for dialect in c++17 c++20; do
                $cxx -std=$dialect $warnings -Wold-style-cast $flags -fsyntax-only "$work/one.cpp" || failed=1
            done
            count=$((count + 1))
        done
    done
    [ "$count" -ge 10 ] || { echo "$count headers, expected those of all libraries"; failed=1; }
}

expect() { # expect WANTED command...: standard output of two ranks
    local wanted=$1 got
    shift
    got=$("$@" </dev/null | sed 's/ *$//') || failed=1
    [ "$got" = "$wanted" ] || { printf -- '--- output\n%s\n--- expected\n%s\n' "$got" "$wanted"; failed=1; }
}

case $what in
headers)
    headers "$@"
    ;;
python)
    expect $'1 5 9 2 6 10 3 7 11 4 8 12\n200 101 202 103\nno context' \
        "$2" -n 2 python3 "$here/bindings/messages.py" "$1/libpixmpi.so" "$1/libglmpi.so" "$3"
    ;;
fortran)
    define=
    [ "$3" != openmpi ] || define=-DOPEN_MPI
    libraries=$1 mpiexec=$2 work=$4
    shift 4
    mkdir -p "$work"
    gfortran -Wall -Wextra $define -J "$work" "$here/bindings/messages.F90" -L"$libraries" -lpixmpi "$@" \
        -Wl,-rpath,"$libraries" -o "$work/messages" || exit 1
    expect '10 10 10 10 10 0' "$mpiexec" -n 2 "$work/messages"
    ;;
esac
exit $failed

#!/bin/bash
# A library of verbs exports what its headers declare and nothing without its prefix.
#   exports.sh LIBRARY PREFIX HEADERS_FOLDER
# PREFIX ends before a capital letter: pixMPI_, icet. What starts with PREFIXInternal is for the libraries on top of it
# and has no place in the header.
set -u
library=${1:?the library} prefix=${2:?the prefix} header=${3:?the folder of its headers}
versioned=$(nm -D --defined-only "$library" | awk '$2 != "A" {print $3}') || exit 1
names=$(sed 's/@@.*//' <<<"$versioned")
[ -n "$names" ] || { echo "no symbols in $library"; exit 1; }
failed=0
# MPI's profiling interface lets a library end its threads before MPI ends.
[ "$prefix" = pixMPI_ ] && versioned=$(grep -v '^MPI_Finalize@@' <<<"$versioned") names=$(grep -vx MPI_Finalize <<<"$names")
if grep -vE "^${prefix}[A-Z]" <<<"$names"; then
    echo "^ not to be exported by $library"
    failed=1
fi
# Declarations end with a semicolon, also after a line break; comments may name other functions.
declared=$(cat "$header"/*.h | sed -E 's,//.*,,' | tr '\n' ' ' | sed -E 's,/\*([^*]|\*[^/])*\*+/,,g' | tr ';' '\n' |
    grep -E 'PIXMPI_API|ICET_EXPORT' | grep -oE "\\b${prefix}[A-Z][A-Za-z_0-9]* *\\(" | tr -d ' (' | sort -u)
[ -n "$declared" ] || { echo "no function declared in $header"; exit 1; }
for name in $declared; do
    grep -qx "$name" <<<"$names" || { echo "$header declares $name, $library does not export it"; failed=1; }
done
for name in $(grep -v "^${prefix}Internal" <<<"$names"); do
    grep -qx "$name" <<<"$declared" || { echo "$library exports $name, $header does not declare it"; failed=1; }
done
# docs/reference/abi.md: public names carry the version that they came with, others none that a program may use.
if [ "$prefix" != icet ] && grep -vE "^${prefix}Internal.*@@[A-Z]+_PRIVATE$|@@[A-Z]+_[0-9]+\.[0-9]+$" <<<"$versioned"; then
    echo "^ without a symbol version, or with another one's"
    failed=1
fi
if grep -E "^${prefix}Internal.*@@[A-Z]+_[0-9]" <<<"$versioned"; then
    echo "^ private, with the version of public names"
    failed=1
fi
exit $failed

#!/bin/bash
# The package as its users get it: installed, found by pkg-config and by CMake, run plainly and on a wall.
#   package_test.sh BUILD WORK CMAKE GENERATOR CC
set -euo pipefail
build=$1 work=$2 cmake=$3 generator=$4 cc=$5
source=$(cd "$(dirname "$0")/consumer" && pwd)
with_display=$(cd "$(dirname "$0")/../unit" && pwd)/with_display.sh
failed=0

expect() { # expect WHAT STATUS OUTPUT command...: the exit status, and lines that standard output has to have, sorted
    local what=$1 status=$2 wanted=$3 got rc=0
    shift 3
    got=$("$@" 2>"$work/stderr" | LC_ALL=C sort) || rc=$?
    if [ "$rc" != "$status" ] || [ "$got" != "$wanted" ]; then
        printf 'FAILED %s: status %s, expected %s\n--- output\n%s\n--- expected\n%s\n--- errors\n%s\n' \
            "$what" "$rc" "$status" "$got" "$wanted" "$(cat "$work/stderr")"
        failed=1
    else
        echo "ok $what"
    fi
}

rm -rf "$work"
mkdir -p "$work"
"$cmake" --install "$build" --prefix "$work/first" >"$work/install.log"
mv "$work/first" "$work/prefix" # an installed tree can be moved
prefix=$work/prefix
libdir=$(dirname "$(find "$prefix" -name libmpiglut.so)")

export PKG_CONFIG_PATH=$libdir/pkgconfig
flags="${PACKAGE_CFLAGS-} -Wall -Werror"
"$cc" $flags "$source/includes_mpiglut.c" $(pkg-config --cflags --libs mpiglut) -Wl,-rpath,"$libdir" \
    -o "$work/by-pkgconfig"
"$cc" $flags "$source/includes_glut.c" $(pkg-config --cflags --libs mpiglut-dropin) -Wl,-rpath,"$libdir" \
    -o "$work/by-dropin"
"$cmake" -S "$source" -B "$work/consumer" -G "$generator" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_FLAGS="$flags" \
    -DCMAKE_C_COMPILER="$cc" >"$work/cmake.log" || { cat "$work/cmake.log"; exit 1; }
"$cmake" --build "$work/consumer" >"$work/make.log" || { cat "$work/make.log"; exit 1; }

run=$(cat "$work/consumer/launcher")
[ "$run" -ef "$prefix/bin/mpiglutrun" ] || { echo "FAILED mpiglut_RUN is $run"; failed=1; }
for program in "$work/by-pkgconfig" "$work/by-dropin" "$work/consumer/includes_mpiglut" "$work/consumer/includes_glut"; do
    name=${program#"$work/"}
    [[ $(ldd "$program") == *"$libdir/libmpiglut.so"* ]] || { echo "FAILED $name uses another libmpiglut"; failed=1; }
    expect "$name plainly" 3 "rank 0 of 1, tile 320x200+0+0, wall 320x200" bash "$with_display" "$program"
    expect "$name on a wall" 3 "(0,0) rank 0 of 2, tile 160x200+0+0, wall 320x200
(1,0) rank 1 of 2, tile 160x200+160+0, wall 320x200" "$run" --headless --output all --wall 2x1 -- "$program"
done
[ $failed = 0 ]

#!/bin/bash
# The libraries of messages as their users get them: installed and moved, found by CMake and by pkg-config, run on two ranks.
#   messages_test.sh BUILD WORK CMAKE GENERATOR CC CXX MPIEXEC MPI
set -euo pipefail
build=$1 work=$2 cmake=$3 generator=$4 cc=$5 cxx=$6 mpiexec=$7 mpi=$8
here=$(cd "$(dirname "$0")" && pwd)
failed=0

fail() { printf 'FAILED %s\n' "$*"; failed=1; }

expect() { # expect WHAT OUTPUT command...: standard output, and success
    local what=$1 wanted=$2 got rc=0
    shift 2
    got=$(timeout 100 "$@" 2>"$work/stderr" </dev/null) || rc=$?
    if [ "$rc" != 0 ] || [ "$got" != "$wanted" ]; then
        fail "$what: status $rc"
        printf -- '--- output\n%s\n--- expected\n%s\n--- errors\n%s\n' "$got" "$wanted" "$(cat "$work/stderr")"
    else
        echo "ok $what"
    fi
}

logged() { # logged LOG command...: prints the log when the command fails
    local log=$work/$1
    shift
    "$@" >"$log" 2>&1 || { cat "$log"; exit 1; }
}

rm -rf "$work"
mkdir -p "$work/pkg-config"
logged install.log "$cmake" --install "$build" --prefix "$work/first"
mv "$work/first" "$work/prefix"
prefix=$work/prefix
libdir=$(dirname "$(find "$prefix" -name libpixmpi.so)")

# What is installed is what was built, under names that can be told apart by version.
for library in pixmpi glmpi vkmpi cudampi icet_pixmpi icet_pixmpi_gl; do
    [ -f "$prefix/include/$library.h" ] || fail "$library.h is not installed"
    soname=$(readelf -d "$libdir/lib$library.so" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
    [[ $soname =~ ^lib$library\.so\.[0-9]+\.[0-9]+$ && -e $libdir/$soname ]] || fail "lib$library.so calls itself $soname"
done
for library in glmpi vkmpi cudampi icet_pixmpi icet_pixmpi_gl; do
    [[ $(ldd "$libdir/lib$library.so") == *"$libdir/libpixmpi.so"* ]] || fail "lib$library finds another libpixmpi"
done
[[ $(ldd "$libdir/libvkmpi.so") != *libvulkan* ]] || fail "libvkmpi cannot do without Vulkan's loader"
[[ $(ldd "$libdir/libcudampi.so") != *libcuda.so* ]] || fail "libcudampi cannot do without CUDA's driver"
[[ $(ldd "$libdir/libicet_pixmpi.so") != *libOpenGL* ]] || fail "libicet_pixmpi cannot do without OpenGL"

# IceT's own names are found by those alone that ask for them.
for name in IceTCore IceTMPI IceTGL; do
    [ -e "$libdir/icet_pixmpi/lib$name.so" ] || fail "icet_pixmpi/lib$name.so is not installed"
    [ ! -e "$libdir/lib$name.so" ] || fail "lib$name.so is where every program finds it"
done
[[ $("$prefix/bin/pvpixmpi" --print) == *"$libdir/icet_pixmpi/libpvpixmpi.so:$libdir/libicet_pixmpi.so"* ]] ||
    fail "pvpixmpi --print: $("$prefix/bin/pvpixmpi" --print)"

flags=${PACKAGE_CFLAGS-}
strict="$flags -Wall -Wextra -Wpedantic -Werror"
logged cmake.log "$cmake" -S "$here/messages" -B "$work/cmake" -G "$generator" -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_C_FLAGS="$strict" -DCMAKE_CXX_FLAGS="$strict"
logged make.log "$cmake" --build "$work/cmake"
found=$(cat "$work/cmake/mpiexec")
[ "$found" -ef "$mpiexec" ] || fail "find_package(pixmpi) found $found, expected $mpiexec"

logged icet.log "$cmake" -S "$here/icet" -B "$work/icet" -G "$generator" -DCMAKE_C_COMPILER="$cc" \
    -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_C_FLAGS="$strict" -DIceT_DIR="$libdir/icet_pixmpi/cmake/IceT"
logged icet_make.log "$cmake" --build "$work/icet"
for program in by_variables by_targets; do
    expect "find_package(IceT) $program" "0 1 12 13" "$mpiexec" -n 2 "$work/icet/$program"
done
logged icet_names.log $cc $strict -std=c99 "$here/messages/icet.c" -I"$prefix/include/icet" \
    $(PKG_CONFIG_PATH=$libdir/pkgconfig pkg-config --cflags pixmpi) -L"$libdir/icet_pixmpi" -lIceTMPI -lIceTCore \
    -L"$libdir" $(PKG_CONFIG_PATH=$libdir/pkgconfig pkg-config --libs pixmpi) -Wl,-rpath,"$libdir" -o "$work/icet_names"
expect "-lIceTMPI -lIceTCore" "0 1 12 13" "$mpiexec" -n 2 "$work/icet_names"

export PKG_CONFIG_PATH=$libdir/pkgconfig
[ "$(pkg-config --variable=mpi pixmpi)" = "$mpi" ] || fail "pixmpi.pc does not say that it is for $mpi"
with_pkg_config() { # with_pkg_config COMPILER SOURCE PACKAGES...
    local compiler=$1 source=$2 name=${2##*/}
    local program=$work/pkg-config/${name%.*}
    shift 2
    logged "pkg-config-$name.log" $compiler $strict "$source" $(pkg-config --cflags --libs "$@") \
        -Wl,-rpath,"$libdir" -o "$program"
}
with_pkg_config "$cc -std=c99" "$here/messages/host.c" pixmpi
with_pkg_config "$cc -std=c99" "$here/messages/gl.c" glmpi opengl egl
with_pkg_config "$cxx -std=c++11" "$here/messages/from_cxx.cpp" glmpi
with_pkg_config "$cc -std=c99" "$here/messages/vk.c" vkmpi vulkan
with_pkg_config "$cxx -std=c++11" "$here/messages/vk_from_cxx.cpp" vkmpi
with_pkg_config "$cc -std=c99" "$here/messages/icet.c" icet_pixmpi
with_pkg_config "$cxx -std=c++11" "$here/messages/icet_gl.cpp" icet_pixmpi_gl

for way in cmake pkg-config; do
    for program in host gl from_cxx vk vk_from_cxx icet icet_gl; do
        [[ $(ldd "$work/$way/$program") == *"$libdir/libpixmpi.so"* ]] || fail "$way/$program uses another libpixmpi"
    done
    expect "$way host" "12 pixels from rank 0: 1 5 9 2 6 10 3 7 11 4 8 12" "$mpiexec" -n 2 "$work/$way/host"
    expect "$way gl" "inner 200 100 0 99, last 44 202 1 99, error 0" "$mpiexec" -n 2 "$work/$way/gl"
    expect "$way vk" "inner 200 100 0 99, last 44 202 1 99" "$mpiexec" -n 2 "$work/$way/vk"
    expect "$way vk_from_cxx" "1 1 1, no context" "$mpiexec" -n 1 "$work/$way/vk_from_cxx"
    expect "$way icet" "0 1 12 13" "$mpiexec" -n 2 "$work/$way/icet"
    expect "$way icet_gl" "1 1" "$mpiexec" -n 1 "$work/$way/icet_gl"
    expect "$way from_cxx" "0 0 0, RGBA8 of 4 bytes, 7 pixels, no communicator" "$mpiexec" -n 1 "$work/$way/from_cxx"
done

# The first programs of the tutorials, from where they are installed, by the command that the tutorials give.
first_program() { # first_program NAME PACKAGES...
    local program
    program=$(find "$prefix" -path "*/demos/first/$1.c")
    [ -n "$program" ] || { fail "demos/first/$1.c is not installed"; return; }
    with_pkg_config "$cc -std=c99" "$program" "${@:2}"
    expect "the first program $1" "red 255, green 140, blue 0" "$mpiexec" -n 2 "$work/pkg-config/$1"
}
first_program texture glmpi opengl
first_program image vkmpi vulkan

# Another MPI than the one that the libraries were built with.
other='#define OMPI_MAJOR_VERSION 4' name=openmpi
[ "$mpi" != openmpi ] || other='#define MPICH_VERSION "4.0"' name=mpich
if "$cmake" -S "$here/other_mpi" -B "$work/other" -G "$generator" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" \
    "-DOTHER_MPI_HEADER=$other" >"$work/other.log" 2>&1; then
    fail "a project with $name found a pixmpi for $mpi"
fi
said=$(tr -s '\n ' ' ' <"$work/other.log")
[[ $said == *"built with $mpi, but the MPI found is $name"* ]] || { fail "no reason given:"; cat "$work/other.log"; }

# A build for Open MPI where none is found: not with another one. cmake/mpi.cmake is what the build itself includes.
choose() { # choose PIXMPI_MPI
    rm -rf "$work/choice"
    "$cmake" -S "$here/mpi_choice" -B "$work/choice" -G "$generator" -DCMAKE_C_COMPILER="$cc" -DPIXMPI_MPI="$1" \
        "-DMPI_C_COMPILER=$(sed -n 's/^MPI_C_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")" >"$work/choice.log" 2>&1
}
choose "$mpi" || { fail "PIXMPI_MPI=$mpi:"; cat "$work/choice.log"; }
refuse() { # refuse PIXMPI_MPI REASON
    ! choose "$1" || fail "PIXMPI_MPI=$1 took $mpi"
    grep -qF "PIXMPI_MPI=$1: $2" "$work/choice.log" || { fail "no reason given:"; cat "$work/choice.log"; }
}
[ "$mpi" != mpich ] || refuse openmpi 'the MPI found is mpich'
refuse other 'expected mpich, openmpi or auto'
[ $failed = 0 ]

#!/bin/bash
# pixmpi as a part of another project: by add_subdirectory and by FetchContent. Neither builds what nobody has asked for,
# nor wants X11, OpenGL or Vulkan. What would be built is looked at; building it once more takes minutes.
#   subproject_test.sh SOURCE CMAKE NINJA [CMake arguments...]
set -u
source=${1:?the source folder} cmake=${2:?cmake} ninja=${3:?ninja}
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() { echo "FAILED $*"; failed=1; }
for fetched in OFF ON; do
    folder=$work/$fetched
    if ! "$cmake" -S "$source/tests/package/subproject" -B "$folder" -G Ninja -DCMAKE_MAKE_PROGRAM="$ninja" \
        -DPIXMPI_SOURCE="$source" -DFETCHED=$fetched "$@" >"$work/log" 2>&1; then
        cat "$work/log"
        fail "FetchContent $fetched: not configured"
        continue
    fi
    grep -q 'CMake Warning' "$work/log" && { cat "$work/log"; fail "FetchContent $fetched: a warning"; }
    commands=$("$ninja" -C "$folder" -t commands host) || fail "FetchContent $fetched: no program to build"
    [ "$(grep -c 'core/src/.*\.cpp' <<<"$commands")" -gt 50 ] || fail "FetchContent $fetched: libpixmpi is not built for it"
    ! grep -oE 'libX11|libGLEW|libGL\.|libOpenGL|libvulkan|libglut' <<<"$commands" || fail "FetchContent $fetched: ^ needed"
done
# Messages from shaders can be left out.
"$cmake" -S "$source/tests/package/subproject" -B "$work/host" -G Ninja -DCMAKE_MAKE_PROGRAM="$ninja" \
    -DPIXMPI_SOURCE="$source" -DFETCHED=OFF -DPIXMPI_DEVICE=OFF "$@" >"$work/log" 2>&1 || { cat "$work/log"; fail "without endpoints"; }
commands=$("$ninja" -C "$work/host" -t commands host) || fail "without endpoints: no program to build"
[ "$(grep -c 'core/src/.*\.cpp' <<<"$commands")" -gt 50 ] || fail "without endpoints: libpixmpi is not built"
! grep -oE '[^ ]*core/src/(endpoint/|api/endpoints)[^ ]*' <<<"$commands" || fail "without endpoints: ^ is built"
# Where not all is there, CMake names it.
for missing in GLSLANG_VALIDATOR:glslangValidator SPIRV_VAL:spirv-val; do
    "$cmake" -S "$source" -B "$work/missing" -G Ninja -DCMAKE_MAKE_PROGRAM="$ninja" "-D${missing%:*}=OFF" "$@" \
        >"$work/log" 2>&1 && fail "configured without ${missing#*:}"
    grep -q "${missing#*:} is missing" "$work/log" || { cat "$work/log"; fail "${missing#*:} is not named"; }
    rm -rf "$work/missing"
done
"$cmake" -S "$source" -B "$work/other" -G Ninja -DCMAKE_MAKE_PROGRAM="$ninja" -DCMAKE_SYSTEM_NAME=FreeBSD "$@" >"$work/log" 2>&1 &&
    fail "configured for FreeBSD"
grep -q 'Linux only' "$work/log" || { cat "$work/log"; fail "not said that it is for Linux"; }
exit $failed

#!/bin/bash
# tools/bundle without a network: a distribution of empty packages in a folder stands for the real one.
#   bundle_test.sh SOURCE WORK; 77, which ctest reports as skipped, where the sources are no git checkout.
. "${BASH_SOURCE[0]%/*}/checks.sh"
source=$1 work=$2

# Which files belong to the project is in git alone.
if ! git -C "$source" rev-parse --git-dir >/dev/null 2>&1; then
    command -v git >/dev/null && why="$source is no git checkout" || why="git is not installed"
    echo "skipped: $why, and tools/bundle needs one"
    exit 77
fi

refuses_whole() { refuses "$@" && [ ! -e "$work/none.tar" ]; } # nothing is left behind
has() { tar tf "$work/$1" | grep -E -- "$2"; }
lacks() { ! has "$@"; }

rm -rf "$work"
mkdir -p "$work"
bundle=$source/tools/bundle

check "help" "$bundle" --help
check "an unknown option" refuses_whole "--fast: unknown" "$bundle" --fast
check "a value that is missing" refuses_whole "--target: its value" "$bundle" --target
check "an unknown release" refuses_whole "--target debian-3: unknown" "$bundle" --target debian-3
check "a folder as the file" refuses_whole "a folder" "$bundle" --target debian-12 -o "$work"
check "a place that cannot be written to" refuses_whole "cannot be written" "$bundle" --target debian-12 -o /proc/none.tar
check "a server that does not answer" refuses_whole "http://127.0.0.1:9/debian: this machine does not get the lists" \
    "$bundle" --target debian-12 --mirror http://127.0.0.1:9/debian -o "$work/none.tar"
check "a mirror that is not there" refuses_whole "this machine does not get the lists" \
    "$bundle" --target ubuntu-24.04 --mirror "file:$work/nowhere" -o "$work/none.tar"

# package NAME DEPENDS [FIELD]: as small as they get, with one file of its own.
mirror=$work/mirror
machine=$(dpkg --print-architecture)
package() {
    local folder=$work/package
    rm -rf "$folder"
    mkdir -p "$folder/DEBIAN" "$folder/usr/share/bundle_test" "$mirror/pool"
    echo "$1" >"$folder/usr/share/bundle_test/$1"
    { printf 'Package: %s\nVersion: 2.31-1\nArchitecture: %s\nMaintainer: nobody\nDescription: none\n' "$1" "$machine"
        [ -z "$2" ] || echo "Depends: $2"
        [ -z "${3-}" ] || echo "$3"; } >"$folder/DEBIAN/control"
    dpkg-deb --root-owner-group -Znone --build "$folder" "$mirror/pool/$1.deb" >/dev/null || exit 1
    { cat "$folder/DEBIAN/control"
        echo "Filename: pool/$1.deb"
        echo "Size: $(stat -c %s "$mirror/pool/$1.deb")"
        echo "SHA256: $(sha256sum "$mirror/pool/$1.deb" | cut -d' ' -f1)"
        echo; } >>"$mirror/Packages"
}
mkdir -p "$mirror"
. "$source/tools/lib/setup.sh"
package libc6 ''
package dash libc6 'Essential: yes'
package libfar libc6
package libnear 'libfar, libc6'
package libheavy ''
for name in "${common_packages[@]}" "${openmpi_packages[@]}"; do
    case $name in
        g++) package g++ libc6 ;;
        libopenmpi-dev) package $name 'libnear, gfortran, libheavy' ;;
        libpng-dev) package $name 'libnear, libc6' ;;
        *) package "$name" libc6 ;;
    esac
done
for suite in bookworm noble; do
    for component in main universe; do
        lists=$mirror/dists/$suite/$component/binary-$machine
        mkdir -p "$lists"
        [ $component = main ] && cp "$mirror/Packages" "$lists" || : >"$lists/Packages"
    done
    (cd "$mirror/dists/$suite" && {
        printf 'Suite: %s\nCodename: %s\nComponents: main universe\nArchitectures: %s\nDate: %s\nSHA256:\n' $suite $suite \
            "$machine" "$(date -uR)"
        find . -name Packages | while IFS= read -r file; do
            echo " $(sha256sum "$file" | cut -d' ' -f1) $(stat -c %s "$file") ${file#./}"
        done
    } >Release)
done

make() { "$bundle" --mirror "file:$mirror" "$@" 2>&1 | tee "$work/output"; return "${PIPESTATUS[0]}"; }
check "an archive" make --target debian-12 -o "$work/b.tar"
check "its size" grep -E '^== /.*/b.tar: [0-9.]+[KM]iB, [0-9]+ packages of debian-12' "$work/output"
check "a package that is needed" has b.tar '^pixmpi/packages/libpng-dev_'
check "what that needs, and what this needs" has b.tar '^pixmpi/packages/libnear_'
check "what that needs in turn" has b.tar '^pixmpi/packages/libfar_'
check "Open MPI apart" has b.tar '^pixmpi/openmpi/libopenmpi-dev_'
check "and what it alone needs" has b.tar '^pixmpi/openmpi/libheavy_'
check "nothing that is there already" lacks b.tar '/(g\+\+|cmake|libc6|dash)_[^/]*deb'
check "nothing that is only pretended" lacks b.tar 'gfortran'
check "software drivers" has b.tar '/libgl1-mesa-dri_'
check "an archive for another release, without software drivers" make --target ubuntu-24.04 --without-mesa -o "$work/u.tar"
check "which has none" lacks u.tar '/(libgl1-mesa-dri|mesa-vulkan-drivers|xvfb)_'
check "but the rest" has u.tar '/vulkan-validationlayers_'

# A package that the distribution has not.
sed -i 's/^Package: libpng-dev$/Package: libpng-gone/' "$mirror"/dists/noble/main/binary-*/Packages
(cd "$mirror/dists/noble" && sed -i "s/^ .* main/ $(sha256sum main/*/Packages | cut -d' ' -f1) $(stat -c %s main/*/Packages) main/" Release)
check "a package that there is not" refuses_whole "libpng-dev" "$bundle" --mirror "file:$mirror" --target ubuntu-24.04 -o "$work/none.tar"

mkdir "$work/there"
tar -C "$work/there" -xf "$work/b.tar" || exit 1
top=$work/there/pixmpi
same_sources() {
    diff <(git -C "$source" ls-files | while IFS= read -r file; do [ ! -e "$source/$file" ] || echo "$file"; done | sort) \
        <(cd "$top/source" && find . -type f -o -type l | sed 's,^\./,,' | sort) &&
        cmp "$source/tools/bundle" "$top/source/tools/bundle"
}
check "the tracked files" same_sources
check "run: help" "$top/run" --help
check "run: an unknown step" refuses_whole "--steps dance" "$top/run" --steps build,dance
check "run: a number that is none" refuses_whole "--ranks many" "$top/run" --ranks many
check "run: an unknown option" refuses_whole "--quick: unknown" "$top/run" --quick
unpacks() {
    env -i PATH="$PATH" "$top/run" --steps unpack --results "$work/results" &&
        [ "$(cat "$top/prefix/usr/share/bundle_test/libfar")" = libfar ] &&
        [ -e "$top/prefix/usr/share/bundle_test/openmpi-bin" ] &&
        (set -e; . "$top/environment"; [ "$CMAKE_PREFIX_PATH" = "$top/prefix/usr" ]; [ "$OPAL_PREFIX" = "$top/prefix/usr" ]) &&
        grep -qx 'failed: none' "$work/results/summary.txt"
}
check "run: unpacks, beside itself" unpacks
moves() {
    mv "$top" "$work/there/elsewhere" && "$work/there/elsewhere/run" --steps unpack --mpi system &&
        grep -qF "$work/there/elsewhere/prefix" "$work/there/elsewhere/environment" &&
        [ ! -e "$work/there/elsewhere/prefix/usr/share/bundle_test/openmpi-bin" ]
}
check "run: unpacks again where it was moved, without Open MPI when told" moves
sed -i "s/^glibc=.*/glibc='99.1'/" "$work/there/elsewhere/manifest"
check "run: packages that are newer than the machine" refuses_whole "with glibc 99.1" "$work/there/elsewhere/run" --steps unpack
fails_to_build() { # empty packages are no compiler's headers
    sed -i "s/^glibc=.*/glibc='2.1'/" "$work/there/elsewhere/manifest"
    echo 'message(FATAL_ERROR "not today")' >"$work/there/elsewhere/source/CMakeLists.txt"
    ! "$work/there/elsewhere/run" --steps build >"$work/out" 2>&1 && grep -q 'run: the build failed, see ' "$work/out" &&
        grep -q 'not today' "$work/out"
}
check "run: a build that fails" fails_to_build
# With a cmake that builds nothing.
mkdir "$work/fake"
cat >"$work/fake/cmake" <<'END'
#!/bin/bash
echo "$*" >>"${0%/*}/calls"
[ "$1" != --preset ] || { mkdir -p "$4" && touch "$4/build.ninja" && echo "MPIEXEC_EXECUTABLE:FILEPATH=/bin/false" >"$4/CMakeCache.txt"; }
END
chmod +x "$work/fake/cmake"
builds() { # builds STEPS EXPECTED: the targets that these steps want
    : >"$work/fake/calls"
    PATH=$work/fake:$PATH "$work/there/elsewhere/run" --steps "$1" --results "$work/results" >"$work/out" 2>&1
    grep -qE -- "--build .* --parallel [0-9]+$2\$" "$work/fake/calls" || { cat "$work/fake/calls" "$work/out"; return 1; }
}
check "run: builds what the cards' suites need" builds cards ' --target api_gl api_vk api_device api_copy api_memory api_dying_vk api_dying_cuda api_cuda api_cuda_collectives api_cuda_file api_cuda_mixed'
check "run: and says that they have failed" grep -qx 'failed: cards' "$work/results/summary.txt"
check "run: builds the suite of walls" builds walls ' --target (wall_[a-z0-9_]*_test ?)*wall_equal_window_test (wall_[a-z0-9_]*_test ?)*'
walls_are_run() { # by the archive's own tools/wallcards, where an X server starts
    local source=$work/there/elsewhere/source said='no Xvfb starts here' fails=$1
    printf '#!/bin/sh\nexit %s\n' "$2" >"$source/tests/unit/with_display.sh"
    printf '#!/bin/bash\necho "walls: $*"\nexit 1\n' >"$source/tools/wallcards"
    PATH=$work/fake:$PATH "$work/there/elsewhere/run" --steps walls --limit 77 --results "$work/results" >"$work/out" 2>&1
    [ "$fails" = none ] || said="walls: --build $work/there/elsewhere/build --results $work/results/walls --limit 77"
    grep -qF "$said" "$work/out" && grep -qx "failed: $fails" "$work/results/summary.txt" || { cat "$work/out"; return 1; }
}
check "run: runs it" walls_are_run walls 0
check "run: leaves it out where no X server starts" walls_are_run none 1
check "run: builds what measuring needs" builds info,bench ' --target pixmpi_info pixbench'
check "run: builds everything when told" builds build,info ''
rm -rf "$work/there" "$work"/*.tar "$mirror"
exit $failed

# What tools/check and tools/demo share: Debian packages that are missing, configuring and building a preset.
# Sourced by bash with `set -euo pipefail`; $root is the project's folder.

common_packages=(
    g++ cmake ninja-build pkgconf
    freeglut3-dev libglew-dev libgl-dev libegl-dev libglfw3-dev libglu1-mesa-dev libx11-dev libxtst-dev
    libvulkan-dev glslang-tools glslang-dev spirv-tools mesa-vulkan-drivers vulkan-validationlayers
    libtomlplusplus-dev libpng-dev libjpeg-dev liblz4-dev libtiff-dev liburing-dev nlohmann-json3-dev libcli11-dev
    libssl-dev libwebsockets-dev libgtest-dev
    xvfb xauth xdotool iproute2 libgl1-mesa-dri libegl-mesa0 openssl python3 khronos-api
)
# What only tests need: a Fortran compiler, a browser for the page, a Wayland session, and what Slurm's programs are linked
# with.
test_packages=(
    gfortran weston xwayland chromium chromium-driver ffmpeg procps git python3-jsonschema python3-yaml python3-dev
    python3-venv slurm-wlm-basic-plugins libmunge2 libhwloc15 libnuma1 libreadline8
)
# Installed, these would run as services from then on. The test starts daemons of its own, so it is enough to unpack them.
unpacked_packages=(slurmctld slurmd slurm-client munge)
mpich_packages=(mpich libmpich-dev)
openmpi_packages=(openmpi-bin libopenmpi-dev)

say() { printf '== %s\n' "$*"; }
fail() { printf '%s: %s\n' "${0##*/}" "$*" >&2; exit 1; }

# The arguments that dpkg does not have, one a line.
missing_packages() {
    local have
    have=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null || true)
    local package provided=
    for package; do
        grep -qxF "installed $package" <<<"$have" && continue
        # Another one may provide it: in Debian 13 libreadline8t64 does, for libreadline8.
        provided=${provided:-$(dpkg-query -W -f '${db:Status-Status} ${Provides}\n' 2>/dev/null |
            sed -n 's/^installed //p' | tr ',' '\n' | awk '{print $1}')}
        grep -qxF "$package" <<<"$provided" || echo "$package"
    done
}

# Installs what is missing of the packages named; calls apt only when something is.
need_packages() {
    if ! command -v dpkg-query >/dev/null; then
        say "not a Debian system, so nothing is installed; the build needs what these packages hold: $*"
        return
    fi
    local missing
    mapfile -t missing < <(missing_packages "$@")
    [ ${#missing[@]} -gt 0 ] || return 0

    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || fail "these Debian packages are missing, and installing them needs root or sudo:
    apt-get install ${missing[*]}"
        as_root=(sudo)
        [ -t 0 ] || as_root=(sudo -n) # nobody there to type a password
        "${as_root[@]}" true || fail "these Debian packages are missing, and sudo did not let them be installed:
    apt-get install ${missing[*]}"
    fi
    local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300)
    local install=("${apt[@]}" install -y --no-install-recommends "${missing[@]}")

    say "installing ${missing[*]}"
    # A package list that is empty or out of date shows when the install is planned, or as a file that is gone.
    if ! "${install[@]}" --simulate </dev/null >/dev/null 2>&1; then
        "${apt[@]}" update </dev/null
        "${install[@]}" </dev/null
    elif ! "${install[@]}" </dev/null; then
        "${apt[@]}" update </dev/null && "${install[@]}" </dev/null
    fi || fail "apt-get could not install: ${missing[*]}"
}

# unpack_packages FOLDER PACKAGE...: what is missing of the packages, as files in the folder and nowhere else.
unpack_packages() {
    local folder=$1 missing
    shift
    command -v dpkg-query >/dev/null || return 0
    mapfile -t missing < <(missing_packages "$@")
    [ ${#missing[@]} -gt 0 ] && [ "$(cat "$folder/unpacked" 2>/dev/null)" != "${missing[*]}" ] || return 0
    say "unpacking ${missing[*]} into $folder"
    rm -rf "$folder"
    mkdir -p "$folder/download"
    (cd "$folder/download" && apt-get -q download "${missing[@]}" </dev/null) || return 1
    local package
    for package in "$folder"/download/*.deb; do dpkg -x "$package" "$folder" || return 1; done
    rm -rf "$folder/download"
    echo "${missing[*]}" >"$folder/unpacked"
}

# What is missing of these packages is no reason not to test: the tests that need it say so, and are skipped.
need_test_packages() {
    (need_packages "${test_packages[@]}") && unpack_packages "$root/build/test-packages" "${unpacked_packages[@]}" ||
        say "some tests will be skipped: not all packages that they need are available"
}

# Configures the preset when it has not been, or was for another folder, another preset file, or without a clang that
# has come since; ninja sees to the rest.
has_clang() { compgen -c clang++ | grep -cE '^clang\+\+(-1[4-9])?$' >/dev/null; } # no -q, which would end compgen by SIGPIPE
configure_preset() {
    local build=$root/build/$1
    local home=
    [ ! -f "$build/CMakeCache.txt" ] || home=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$build/CMakeCache.txt")
    if [ -n "$home" ] && [ "$home" != "$root" ]; then
        say "configuring $1 afresh, the folder has moved"
        (cd "$root" && cmake --preset "$1" --fresh)
    elif [ ! -f "$build/build.ninja" ] || [ "$root/CMakePresets.json" -nt "$build/build.ninja" ] ||
        { grep -q '^PIXMPI_CLANG:.*NOTFOUND$' "$build/CMakeCache.txt" 2>/dev/null && has_clang; }; then
        say "configuring $1"
        (cd "$root" && cmake --preset "$1")
    fi
}

# build_preset PRESET [TARGET...]: packages, configuration and build.
build_preset() {
    local preset=$1 targets=("${@:2}")
    case $preset in
        release | dev | tsan) need_packages "${common_packages[@]}" "${mpich_packages[@]}" ;;
        openmpi) need_packages "${common_packages[@]}" "${openmpi_packages[@]}" ;;
        *) fail "--preset $preset: expected release, dev, tsan or openmpi" ;;
    esac
    configure_preset "$preset" || fail "configuring preset $preset failed, see above"
    say "building $preset: ${targets[*]-everything}"
    cmake --build "$root/build/$preset" --target "${targets[@]-all}" --parallel "$(nproc)" ||
        fail "building preset $preset failed, see above"
}

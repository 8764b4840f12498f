#!/bin/bash
# A fresh clone runs what README.md says under "Try it", as it stands there and in that order.
#   readme_test.sh SOURCE WORK [BUILD]
# With BUILD, a finished build, the clone has that as its build/release, and the commands that build are left out. Without
# it the clone builds itself and runs its tests, which takes an hour: tools/check --readme.
. "${BASH_SOURCE[0]%/*}/checks.sh"
source=$1 work=$2 build=${3-}

rm -rf "$work"
mkdir -p "$work" || exit 1
clone=$work/pixmpi
# Where there is no git, a copy of what is neither built nor hidden.
if ! git clone -q "$source" "$clone" >"$work/cloned" 2>&1; then
    cat "$work/cloned"
    mkdir -p "$clone" && tar -C "$source" --exclude=./build --exclude='./.*' -c . | tar -C "$clone" -x || exit 1
fi
cd "$clone" || exit 1
mapfile -t commands < <(awk '/^## /{on = $0 == "## Try it"} on && /^    /{print substr($0, 5)}' README.md)
# A copy may have what its owner has made by these commands.
created=$(grep -oE '\b[a-z]+\.(png|toml)' <<<"${commands[*]}" | sort -u)
rm -f $created
printf '%s\n' "${commands[@]}"
first_two() { [[ ${commands[0]-} == tools/demo* && ${commands[1]-} == tools/check* ]]; }
check "the first two commands do everything" first_two
check "commands follow" [ ${#commands[@]} -ge 6 ]
if [ -n "$build" ]; then
    commands=("${commands[@]:2}")
    mkdir build && ln -s "$build" build/release || exit 1
fi

# One shell, as a reader has. A command that fails ends it, and what ran is on the screen.
unset DISPLAY WAYLAND_DISPLAY
printf '%s\n' 'set -ex' "${commands[@]}" >"$work/commands"
check "they run" bash "$work/commands" </dev/null
for file in $created; do
    check "$file is there" test -s "$file"
done
exit $failed

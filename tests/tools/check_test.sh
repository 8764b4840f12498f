#!/bin/bash
# tools/check says at the end which tests were skipped and why, and ends as ctest does.  check_test.sh SOURCE WORK
. "${BASH_SOURCE[0]%/*}/checks.sh"
source=$1 work=$2

rm -rf "$work"
mkdir -p "$work/tools/lib" "$work/fake" "$work/build/release/Testing/Temporary" || exit 1
cp "$source/tools/check" "$work/tools"
cp "$source/tools/lib/setup.sh" "$work/tools/lib"
touch "$work/build/release/build.ninja"
echo 'true' >"$work/fake/cmake"
echo 'shift 3; printf "installed %s\n" "$@"' >"$work/fake/dpkg-query"
cat >"$work/fake/ctest" <<'END'
echo "seeds from $PIXMPI_SEEDS"
cat >"build/$2/Testing/Temporary/LastTest.log" <<LOG
7/9 Testing: hosts.two
7/9 Test: hosts.two
Output:
skipped: no namespaces: no two hosts
<end of output>
Test Passed.
8/9 Test: demos.one  # GetParam() = two
Output:
[ RUN      ] Demos.One
one_test.cpp:5: Skipped
no device of Vulkan
<end of output>
Test Passed.
9/9 Test: api.two.3
Output:
-----
much
[rank 2] FAILED: a message was never received
more
<end of output>
Test Failed.
10/9 Test: tools.three
Output:
-----
$(seq 101 112)
<end of output>
Test Failed.
LOG
exit 8
END
for file in "$work"/fake/*; do sed -i '1i #!/bin/sh' "$file"; chmod +x "$file"; done

PATH="$work/fake:$PATH" "$work/tools/check" >"$work/out" 2>&1
status=$?
check "ctest's exit status" [ $status = 8 ]
check "a reason in a line" grep -qx 'hosts.two: no namespaces: no two hosts' "$work/out"
check "a reason of GTEST_SKIP" grep -qx 'demos.one: no device of Vulkan' "$work/out"
check "what a failed test said is wrong" \
    grep -qzP -- '\n- api.two.3\n +\[rank 2\] FAILED: a message was never received\n- tools.three\n' "$work/out"
check "or its last ten lines" \
    grep -qzP -- '\n- tools.three\n +103\n( +1..\n){8} +112\n' "$work/out"
check "and not what passed" bash -c '! grep -qE -- "^- (hosts|demos)" "$1"' - "$work/out"
check "the usual seed" grep -qx 'seeds from 1' "$work/out"

run() { PATH="$work/fake:$PATH" "$work/tools/check" "$@" >"$work/out" 2>&1; }
run --preset release --seed 97
check "a seed" grep -qx 'seeds from 97' "$work/out"
check "a seed is said" grep -q -- '--seed 97' "$work/out"
run --seed=random
check "a random seed is a number" grep -qE '^seeds from [0-9]+$' "$work/out"
check "a random seed is said" grep -q -- "--seed $(sed -n 's/^seeds from //p' "$work/out")\$" "$work/out"
run --seed soon
check "no seed" grep -q 'seed soon: expected a number, or random' "$work/out"
cp "$work/fake/cmake" "$work/fake/clang++"
run
check "a build is not configured again" bash -c "! grep -q configuring '$work/out'"
echo 'PIXMPI_CLANG:FILEPATH=PIXMPI_CLANG-NOTFOUND' >"$work/build/release/CMakeCache.txt"
run
check "but where clang has come since" grep -q 'configuring release' "$work/out"
rm "$work/build/release/CMakeCache.txt"
mkdir -p "$work/tests/tools"
echo 'echo "readme $*"' >"$work/tests/tools/readme_test.sh"
run --readme
check "all of the README" grep -qx "readme $work $work/build/readme" "$work/out"

# Of what only tests need, packages with services are unpacked and never installed. What cannot be had stops nothing.
cat >"$work/fake/dpkg-query" <<'END'
#!/bin/sh
shift 3
[ $# -gt 0 ] || printf 'installed other (= 1), libreadline8 (= 8.2)\nconfig-files chromium\n'
for package; do case $package in chromium | libreadline8 | slurmd | munge) ;; *) echo "installed $package" ;; esac; done
END
printf '#!/bin/sh\nexec "$@"\n' >"$work/fake/sudo"
cat >"$work/fake/apt-get" <<'END'
#!/bin/sh
echo "$*" >>"$CALLS"
case "$*" in
    *install*) exit "${INSTALLS-0}" ;;
    *download*) touch slurmd.deb munge.deb ;;
esac
END
printf '#!/bin/sh\n[ "$1" = -x ] && mkdir -p "$3/usr/sbin" && touch "$3/usr/sbin/$(basename "$2")"\n' >"$work/fake/dpkg"
chmod +x "$work/fake/"*
export CALLS=$work/calls
: >"$CALLS"
run
check "a browser is installed" grep -q 'install.* chromium' "$CALLS"
check "what another package provides is not" bash -c '! grep libreadline8 "$CALLS"'
check "services are not" bash -c '! grep -E "install.*(slurm|munge)" "$CALLS"'
check "they are unpacked" test -e "$work/build/test-packages/usr/sbin/slurmd.deb" -a \
    -e "$work/build/test-packages/usr/sbin/munge.deb" -a ! -e "$work/build/test-packages/download"
: >"$CALLS"
run
check "once" bash -c '! grep download "$CALLS"'
INSTALLS=1 run
check "tests run without them" grep -q 'seeds from' "$work/out"
check "and it is said" grep -q 'some tests will be skipped' "$work/out"
exit $failed

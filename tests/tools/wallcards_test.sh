#!/bin/bash
# tools/wallcards on a build folder whose programs only pretend; with BUILD also a run of a real one.
#   wallcards_test.sh SOURCE WORK [BUILD]
. "${BASH_SOURCE[0]%/*}/checks.sh"
source=$1 work=$2 real=${3-}

rm -rf "$work"
mkdir -p "$work/build/bin" "$work/build/tests/wall/support"
walls=$source/tools/wallcards

check "help" "$walls" --help
check "an unknown option" refuses "--fast: unknown" "$walls" --fast
check "a value that is missing" refuses "--only: its value" "$walls" --only
check "a number that is none" refuses "--jobs many" "$walls" --jobs many
check "no such folder" refuses "no such folder" "$walls" --build "$work/none"
check "a program that is not built" refuses "is not built yet" "$walls" --build "$work/build"

# The stand-ins fail where their name says so.
for program in equal_window screen input replay divergence other_driver; do
    cat >"$work/build/bin/wall_${program}_test" <<END
#!/bin/bash
case \$1 in
    --gtest_list_tests) printf 'Wall/${program}.  # TypeParam\n  good_on_2x2  # GetParam() = 1\n  bad_on_2x2\n' ;;
    *bad*) echo '7 pixels differ'; exit 1 ;;
esac
END
done
printf '#!/bin/bash\necho pretended driver\n' >"$work/build/tests/wall/support/renderer"
chmod +x "$work/build/bin/"* "$work/build/tests/wall/support/renderer"

lists_all() { [ "$("$walls" --build "$work/build" --list | grep -c '^Wall/.*_on_2x2$')" = 12 ]; }
check "the names of all tests" lists_all
check "no such test" refuses "--only nothing" "$walls" --build "$work/build" --only nothing

all_good() { "$walls" --build "$work/build" --only good --results "$work/good" | grep -q '^6 tests, 6 passed, 0 failed, 0 not begun'; }
check "tests that pass" all_good
one_bad() {
    ! "$walls" --build "$work/build" --only 'screen' --results "$work/bad" >"$work/table" || return 1
    grep -q '^| screen | 1 | 1 | 0 |$' "$work/table" && grep -q '^- Wall/screen.bad_on_2x2: 7 pixels differ$' "$work/table" &&
        cmp -s "$work/bad/wall.md" <(grep -vE '^pretended|^2 tests' "$work/table") && [ -s "$work/bad/Wall_screen_bad_on_2x2.log" ]
}
check "a test that fails is named with its reason" one_bad

real_run() { "$walls" --build "$real" --only 'EqualWindow.Picture/stipple_on_2x2$' --results "$work/real" | grep -q '^1 tests, 1 passed'; }
[ -z "$real" ] || check "a real one" real_run
exit $failed

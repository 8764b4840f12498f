#!/bin/bash
# tools/demo hands its options over to mpiglutrun, each once, whatever the user gives.  demo_test.sh SOURCE WORK
. "${BASH_SOURCE[0]%/*}/checks.sh"
source=$1 work=$2

rm -rf "$work"
mkdir -p "$work/tools/lib" "$work/fake" "$work/build/release/bin" || exit 1
cp "$source/tools/demo" "$work/tools"
cp "$source/tools/lib/setup.sh" "$work/tools/lib"
touch "$work/build/release/build.ninja"
echo 'echo "build $*" >>"$CALL.order"' >"$work/fake/cmake"
echo 'shift 3; printf "installed %s\n" "$@"' >"$work/fake/dpkg-query"
# In place of mpiglutrun: refuses what is given twice, as that does, and writes what the demo shows.
cat >"$work/build/release/bin/mpiglutrun" <<'END'
echo "$*" >"$CALL"
echo wall >>"$CALL.order"
while [ "$1" != -- ]; do
    case " $seen " in *" ${1%%=*} "*) echo "mpiglutrun: $1: given twice" >&2; exit 2 ;; esac
    seen="$seen ${1%%=*}"
    case $1 in
        --headless | --*=*) shift; continue ;;
        --capture) echo picture >"${2%@*}" ;;
        --stats) echo '{"fps":60,"skew_us":{"p50":1,"p99":2}}' >"$2" ;;
    esac
    shift 2
done
END
for file in "$work"/fake/* "$work/build/release/bin/mpiglutrun"; do sed -i '1i #!/bin/sh' "$file"; chmod +x "$file"; done

demo() { env -u DISPLAY CALL="$work/call" PATH="$work/fake:$PATH" "$work/tools/demo" "$@"; }
gives() { # gives TEXT [ARGUMENT...]: the demo runs, and mpiglutrun gets the text once
    local text=$1
    shift
    demo "$@" && [ "$(grep -oF -- "$text" "$work/call" | wc -l)" = 1 ] || { cat "$work/call"; return 1; }
}
check "no options" gives --headless
check "its own wall" gives '--wall 2x2@480x300'
check "--headless, as its help suggests" gives --headless --headless
check "another wall" gives --wall --wall 3x1
check "another wall, in one word" gives --wall --wall=3x1
check "another picture" gives "--capture $work/own.png@3" --capture "$work/own.png@3"
check "other statistics" gives "--stats $work/own.json" --stats "$work/own.json"
check "other frames" gives '--frames 5' --frames 5

wall_first() { # the wall is built alone, then shown, then the rest is built
    rm -f "$work/call.order"
    demo >"$work/out" || return 1
    cat "$work/call.order"
    [ "$(sed 's/^build .*--target \(.*\) --parallel.*/\1/' "$work/call.order")" = "mpiglut mpiglutrun powerwall
wall
programs" ]
}
says_what_next() { # after all else, and in commands of programs that there are
    local next
    next=$(sed -n '/What to do next:$/,$p' "$work/out")
    echo "$next"
    [ "$(sed -n 2p <<<"$next")" = "    export PATH=$work/build/release/bin:\$PATH" ] && grep -q '^    mpiglutrun .*-- powerwall' <<<"$next"
}
check "a picture before the rest is built" wall_first
check "what to do next" says_what_next
exit $failed

#!/bin/bash
# tools/wallprograms with a launcher that only pretends: it makes a picture for each --capture, as the program's name says.
#   wallprograms_test.sh SOURCE WORK
. "${BASH_SOURCE[0]%/*}/checks.sh"
source=$1 work=$2
for tool in compare identify convert Xvfb; do
    command -v $tool >/dev/null || { echo "skipped: no $tool"; exit 77; }
done

rm -rf "$work"
mkdir -p "$work/build/bin" "$work/programs"
for program in same other unsteady unsteady_wall unsteady_apart early black black_window dot fails gone guarded left; do
    printf '#!/bin/sh\n' >"$work/programs/$program"
    chmod +x "$work/programs/$program"
done
chmod 2755 "$work/programs/guarded"

# Of a wall's file it makes the pictures of its tiles as well. "unsteady" has another colour in each run.
cat >"$work/build/bin/mpiglutrun" <<'END'
#!/bin/bash
said="$*" program=${said##*-- } name=${program##*/}
captures=() wall= stats= dot=() status=0
while [ "$1" != -- ]; do
    case $1 in
        --capture) captures+=("$2") ;;
        --wall) wall=$2 ;;
        --stats) stats=$2 ;;
    esac
    shift
done
[ ! -g "$program" ] || { echo "mpiglutrun: it is setgid"; exit 1; }
runs=$(cat "${0%/*}/$name.runs" 2>/dev/null || echo 0)
echo $((runs + 1)) >"${0%/*}/$name.runs"
frames=60
[ $name != fails ] || frames=30
echo "{\"frames\": $frames}" >"$stats"
[ "$VARIABLE" != seen ] || echo >"${0%/*}/variable"
for capture in "${captures[@]}"; do
    file=${capture%@*} frame=${capture#*@} colour=red
    [ "$frame" != "$capture" ] || frame=last
    case $name in
        other) [[ $wall == 1x1@* ]] || colour=blue ;;
        unsteady | unsteady_apart) colour="rgb($((runs * 50 % 250)),0,90)" ;;
        unsteady_wall) [[ $wall == 1x1@* ]] || colour="rgb($((runs * 50 % 250)),0,90)" ;;
        early) [[ $frame$wall != 5[^1]* ]] || colour=blue; [ $frame != 2 ] || colour=black ;;
        black) colour=black ;;
        black_window) [[ $wall != 1x1@* ]] || colour=black ;;
        dot) colour=black; [[ $wall != 1x1@* ]] || dot=(-fill red -draw "rectangle 5,5 14,14") ;;
        fails) [[ $wall == 1x1@* ]] || status=4 ;;
        gone) [[ $wall == 1x1@* ]] || exit 3 ;;
        left) [[ $wall == 1x1@* ]] || echo >"$TMPDIR/$name" ;;
    esac
    convert -size 640x480 "xc:$colour" "${dot[@]}" "$file"
    [[ $wall != *.toml ]] || cp "$file" "${file%.png}.tile4.png"
    [[ $wall$name != *.tomlunsteady_apart ]] || convert -size 640x480 xc:green "$file"
done
exit "$status"
END
chmod +x "$work/build/bin/mpiglutrun"
for program in same other unsteady unsteady_wall unsteady_apart early black black_window dot fails gone copy/guarded left \
    none; do
    echo "package VARIABLE=seen $work/programs/${program#copy/}"
done >"$work/list"

judge() { "$source/tools/wallprograms" --build "$work/build" --results "$work/results" --list "$work/list" "$@"; }
says() { # says PROGRAM TEXT: the end of its line
    judge --only "/$1\$" >"$work/table"
    cat "$work/table"
    grep -q "/$1  *$2\$" "$work/table"
}
check "equal pictures" says same 'frame 60 equal; frame 2 equal'
check "a variable of the list" test -e "$work/build/bin/variable"
check "a wall that differs" says other 'frame 60 differs: 100.00% of the pixels; frame 2 differs: 100.00% of the pixels'
check "one tile is not the same twice" \
    says unsteady 'in one run, frame 60 equal; frame 2 equal; not the same in two runs on 1x1'
check "a wall is not the same twice" \
    says unsteady_wall 'in one run, frame 60 equal; frame 2 equal; not the same in two runs on 2x2'
check "the first frame that is not black" says early 'frame 60 equal; frame 5 differs: 100.00% of the pixels'
check "tiles that differ in one run" says unsteady_apart 'in one run, frame 60 differs: 100.00% of the pixels; .*'
check "a window that is black, and a wall that is not" says black_window 'black, frame 60 differs: 100.00% of the pixels'
check "the little that is drawn" says dot 'frame 60 differs: 0.03% of the pixels; .*'
check "another status" says fails 'differs: status 4 instead of 0; frame 30 equal; frame 2 equal'
check "nothing but black" says black 'not on one tile either: black, frame 60 equal'
check "no picture of the wall" says gone 'no picture, status 3: '
check "a copy of what is setgid" says guarded 'frame 60 equal; frame 2 equal; a copy, since it is setuid or setgid'
check "what is left over" says left 'frame 60 equal; frame 2 equal; left over: TMPDIR/left'
check "what is not installed" says none 'not installed'
counts() { grep -q "$1" <(judge); }
check "how many are equal" counts '^4 of 12 equal, 2 of them in one run alone; 2 not installed, or not right on one tile either$'
goes_on() { [ "$(judge --missing | tail -1)" = "0 of 0 equal, 0 of them in one run alone; 0 not installed, or not right on one tile either" ]; }
check "nothing is missing then" goes_on
exit $failed

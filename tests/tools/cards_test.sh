#!/bin/bash
# tools/cards on a build folder whose programs only pretend; with BUILD also a few runs of the real ones.
#   cards_test.sh SOURCE WORK [BUILD]
. "${BASH_SOURCE[0]%/*}/checks.sh"
source=$1 work=$2 real=${3-}

rm -rf "$work"
mkdir -p "$work/build/bin"
cards=$source/tools/cards

check "help" "$cards" --help
check "an unknown option" refuses "--fast: unknown" "$cards" --fast
check "a value that is missing" refuses "--only: its value" "$cards" --only
check "a number that is none" refuses "--jobs many" "$cards" --jobs many
check "a part that there is not" refuses "--part 3/2" "$cards" --part 3/2
check "a part that is none" refuses "--part half" "$cards" --part half
check "no such run" refuses "--only nothing" "$cards" --only nothing
check "no such folder" refuses "no such folder" "$cards" --build "$work/none"
check "a folder that was not configured" refuses "not a build folder" "$cards" --build "$work/build"
echo "MPIEXEC_EXECUTABLE:FILEPATH=$work/mpiexec" >"$work/build/CMakeCache.txt"
check "an mpiexec that has gone" refuses "is not there" "$cards" --build "$work/build"
cat >"$work/mpiexec" <<'END'
#!/bin/bash
shift 2
exec "$@"
END
chmod +x "$work/mpiexec"
check "a program that is not built" refuses "is not built yet" "$cards" --build "$work/build"

lists() { # lists CARDS REGEX NUMBER: so many runs match
    [ "$("$cards" --list --cards "$1" | grep -cE "$2")" = "$3" ] || { "$cards" --list --cards "$1"; return 1; }
}
check "one card has all ranks" lists 1 '^vk\.messages\.shm\.' 1
check "and no run wants another" lists 1 '\.each\.' 0
check "two cards have a rank each" lists 2 '^vk\.messages\.shm\.each\.2 2 ' 1
check "four have two ranks and four" lists 4 '^gl\.messages\.shader\.each\.' 2
names() { "$cards" --list --cards 2 "$@" | sort; }
parts_are_all() {
    diff <(names) <(for part in 1/3 2/3 3/3; do names --part $part; done | sort)
}
check "parts together are all runs, each once" parts_are_all
halves_are_alike() { # of the runs with a GPU for each rank
    local first second
    first=$(names --part 1/2 --only 's\..*\.each\.2$' | wc -l) second=$(names --part 2/2 --only 's\..*\.each\.2$' | wc -l)
    [ "$first" -gt 0 ] && [ $((first - second)) -le 1 ] && [ "$second" -le "$first" ] || { echo "$first, $second"; return 1; }
}
check "both halves have as many runs of a kind" halves_are_alike
check "all ways, for the verbs of Vulkan" lists 0 '^vk\.messages\.(peer|default|bands|shm|shm-no-cuda|mpi)\.one\.2 .* regions\. verbs\.' 6
check "messages from shaders of OpenGL" lists 2 '^gl\.device\.default\.(one|each)\.2 2 api_device .*API_DEVICE=gl' 2
check "copies, and shared memory" lists 2 '^vk\.(copy|memory)\.default\.each\.2 2 api_(copy|memory) ' 2
check "and of OpenGL, with its packer" lists 0 '^gl\.messages\.shader(|-peer|-shm|-mpi)\.one\.2 .* PIXMPI_GL_PACK=shader' 4

# The stand-ins say what the environment variable FAKE tells them to, and so does nvidia-smi.
cat >"$work/build/bin/api_vk" <<'END'
#!/bin/bash
bytes() { printf 'route self: 0 bytes\nroute peer: %s bytes\nroute shm: %s bytes\nroute mpi: %s bytes\n' "$@"; }
echo "cases: 2"
echo "device of rank 0, vk: 00000001, Card A"
[[ " $* " = *" -vk.one "* ]] || printf 'begins vk.one\nok vk.one (0.01 s)\n'
[[ " $* " = *" -vk.two "* ]] || printf 'begins vk.two\n'
case $FAKE in
    good) echo "ok vk.two (0.01 s)"; bytes 2000000 0 0 ;;
    left_out) echo "left out vk.two: it is late"; bytes 2000000 0 0 ;;
    case_fails) echo "[rank 0] vk.two: 1 is 2"; echo "FAILED vk.two with 2 ranks"; bytes 2000000 0 0; exit 1 ;;
    ends_early) [[ " $* " = *" -vk.two "* ]] && bytes 2000000 0 0 || exit 70 ;;
    silent) exit 0 ;;
    crashes) echo "ok vk.two (0.01 s)"; exit 134 ;;
    other_route) echo "ok vk.two (0.01 s)"; bytes 0 5000000 0 ;;
    two_cards) echo "device of rank 1, vk: 00000002, Card A"; echo "ok vk.two (0.01 s)"; bytes 2000000 0 0 ;;
esac
END
printf '#!/bin/sh\necho "GPU 0: Card A"\necho "GPU 1: Card A"\n' >"$work/nvidia-smi"
chmod +x "$work/nvidia-smi" "$work/build/bin/api_vk"

run() { # run FAKE NAMES arguments...
    FAKE=$1 PATH=$work:$PATH "$cards" --build "$work/build" --only "$2" --results "$work/results" "${@:3}" >"$work/out" 2>&1
}
says() { grep -qE -- "$1" "$work/results/cards.md" || { cat "$work/results/cards.md" "$work/out"; return 1; }; }
passes() { run "$@" || { cat "$work/out"; return 1; }; }
fails() { run "$@"; [ $? = 1 ] || { cat "$work/out"; return 1; }; }
one='^vk\.messages\.peer\.one\.2$' each='^vk\.messages\.peer\.each\.2$'
row='^\| vk\.messages\.peer\.(one|each)\.2 \| 2'

check "a run that passes" passes good "$one"
check "its line" says "$row \\| 1 \\| 2 \\| 0 \\| 0 \\| peer 2 \\| [0-9]+ \\| passed \\|"
check "its device" says '^Devices: Card A$'
check "a case that is left out" passes left_out "$one"
check "is counted, and why" says "$row \\| 1 \\| 1 \\| 0 \\| 1 \\|"
check "with its reason" says 'left out: vk.two: it is late'
check "a case that fails" fails case_fails "$one"
check "is counted" says "$row \\| 1 \\| 1 \\| 1 \\| 0 \\|.*FAILED"
check "its output is kept" grep -q '1 is 2' "$work/results/vk.messages.peer.one.2.log"
check "a case that ends the run" fails ends_early "$one"
check "is named" says "$row \\| 1 \\| 1 \\| 1 \\| 0 \\|.*FAILED\\*\\*: ended in vk.two \\|"
check "and the others are run" grep -q '(once more)' "$work/results/vk.messages.peer.one.2.log"
check "cases that are not run" fails silent "$one"
check "are counted, even with status 0" says 'FAILED\*\*: 1 cases not run'
check "a crash at the end" fails crashes "$one"
check "is no success, either" says 'FAILED\*\*: status 134'
check "messages by another route" fails other_route "$one"
check "are named" says 'nothing went by peer'
check "both ranks on one card of two" fails good "$each"
check "are named, too" says 'on 1 cards instead of 2'
check "a rank for each card" passes two_cards "$each"
check "which is on two" says "$row \\| 2 \\| 2 \\| 0 \\|"
check "both cards for a run on one" fails two_cards "$one"
echo 'echo "card $PIXMPI_TEST_CARD" >>"'"$work"'/cards_seen"' >>"$work/build/bin/api_vk"
check "two runs on one card each" passes good '^vk\.messages\.(peer|bands)\.one\.2$'
check "have a card each" test "$(sort -u "$work/cards_seen" | wc -l)" = 2
check "the time of a suite" says '^Seconds by suite: vk\.messages [0-9]+$'
check "the slowest cases" says '^Slowest cases: vk\.[a-z]+ 0\.01 \(vk\.messages\.peer\.one\.2\), '
check "two runs" passes good '^vk\.messages\.(peer|bands)\.one\.2$' --jobs 2
check "are two lines" test "$(grep -c '^| vk.*| passed |$' "$work/results/cards.md")" = 2

# How many of them are on a card at the same time, and at most.
cp "$work/build/bin/api_vk" "$work/api_vk.before"
cat >>"$work/build/bin/api_vk" <<END
echo "begins $$ \${PIXMPI_TEST_CARD:-each}" >>"$work/turns"
sleep 0.3
echo "ends $$ \${PIXMPI_TEST_CARD:-each}" >>"$work/turns"
END
printf '#!/bin/bash\necho "begins dying" >>"%s"\nsleep 0.3\n' "$work/turns" >"$work/build/bin/api_dying_vk"
chmod +x "$work/build/bin/api_dying_vk"
share_cards() {
    rm -f "$work/turns"
    run good '^vk\.(messages|faults|failures|threads|dying)\.[a-z-]+\.one\.[23]$'
    awk '$1 == "begins" && $2 != "dying" && ++now[$3] > most[$3] {most[$3] = now[$3]}
        $1 == "ends" {--now[$3]}
        $2 == "dying" && (now[0] || now[1]) {early = 1}
        $2 == "dying" {++dying}
        END {print most[0], most[1], dying, early
             exit !(most[0] >= 2 && most[0] <= 3 && most[1] >= 2 && most[1] <= 3 && dying > 0 && !early)}' "$work/turns"
}
check "two or three runs of two ranks share a card, and ranks die when the others are over" share_cards
mv "$work/api_vk.before" "$work/build/bin/api_vk"

cat >"$work/timeout" <<'END'
#!/bin/bash
echo "$3" >>"${0%/*}/seconds"
exec "${@:4}"
END
chmod +x "$work/timeout"
seconds() { # seconds NAMES: that its runs may take
    rm -f "$work/seconds"
    run good "$1" && cat "$work/seconds"
}
many=$(seconds "$one") few=$(seconds '^vk\.faults\.peer\.one\.2$')
check "a run of many suites may take longer: ${many:-none} and ${few:-none} s" test "${many:-0}" -gt "$((${few:-9999} + 100))"
rm "$work/timeout"

if [ -n "$real" ]; then
    names='gl\.messages\.default|vk\.memory\.default|vk\.headless\.default'
    timeout 60 "$real/bin/api_vk" none. >/dev/null 2>&1 # says so without being asked
    [ $? != 77 ] || names=${names%%|*}
    check "the real programs" "$cards" --build "$real" --results "$work/real" --only "^($names)\\.one\\.2\$" --jobs 1
    cat "$work/real/cards.md"
fi
rm -rf "$work"
exit $failed

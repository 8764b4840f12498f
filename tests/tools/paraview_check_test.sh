#!/bin/bash
# tools/paraview_check finds what is wrong: here a script plays ParaView, whose pictures are as they should be, or are not.
#   paraview_check_test.sh SOURCE WORK; 77, which ctest reports as skipped, where there is no Debian's Python.
. "${BASH_SOURCE[0]%/*}/checks.sh"
source=$1 work=$2
tool=$source/tools/paraview_check
[ -x /usr/bin/python3 ] || { echo "skipped: no /usr/bin/python3, and tools/paraview_check needs Debian's"; exit 77; }

rm -rf "$work"
mkdir -p "$work"
"$tool" --help >"$work/help"
check "it explains itself" grep -q -- --ranks "$work/help"
"$tool" --list >"$work/list"
scenes() { [ "$(wc -l <"$work/list")" -ge 24 ] && [ "$(grep -c blended "$work/list")" -ge 5 ]; }
check "it has 24 scenes, and says which are blended" scenes
kinds() { for kind in batch server tiles cave; do grep -q " $kind" "$work/list" || return 1; done; }
check "there are scenes of pvbatch, of a server, of tiles and of a CAVE" kinds
check "a number of ranks is refused" refuses '--ranks 0' "$tool" --ranks 0
check "too many ranks are refused" refuses '--ranks 2,9' "$tool" --ranks 2,9
check "a scene that is not there is refused" refuses 'no scene' "$tool" --only no_such_scene
check "a pattern that is none is refused" refuses '--only' "$tool" --only '('
check "a launcher that is not there is named" refuses "$work/none" "$tool" --launcher "$work/none"

if ! /usr/bin/python3 -c 'import numpy, PIL' 2>/dev/null; then
    echo "not tested: comparisons, for there is no numpy with PIL"
    exit $failed
fi

# In place of mpiexec, ParaView and the launcher. The last words are the folder and the scenes.
cat >"$work/mpiexec" <<'END'
#!/usr/bin/python3
import os, sys, time
import numpy
from PIL import Image
at = next(i for i, word in enumerate(sys.argv) if word.endswith("paraview_scenes.py"))
folder, names, ours = sys.argv[at + 1], sys.argv[at + 2:], os.path.basename(sys.argv[at + 1]).startswith("pixmpi")
fault = os.environ.get("FAULT", "") if ours else ""
pixels = numpy.full((10, 10, 3), 100, numpy.uint8)
with open(folder + "/state.0", "a") as state:
    for name in names:
        print("begin", name, file=state, flush=True)
        if name == "surface" and fault == "crash":
            sys.exit(7)
        if name == "surface" and fault == "hang":
            time.sleep(60)
        picture = pixels.copy()
        if name == "surface" and fault.isdigit():
            picture[3, 4, 1] += int(fault)
        if not (name == "surface" and fault == "missing"):
            Image.fromarray(picture).save(folder + "/" + name + ".png")
        print("end", name, "0.1", file=state, flush=True)
    print("by", "libvtkIceTCore" if not ours or fault == "other" else "libicet_pixmpi", file=state)
END
chmod +x "$work/mpiexec"
run() { # run FAULT [OPTION...]: its table
    local fault=$1
    shift
    FAULT=$fault "$tool" --mpiexec "$work/mpiexec" --launcher /bin/true --results "$work/results" --ranks 2 \
        --only '^(surface|contours|volume)$' "$@" >"$work/table" 2>&1
}
says() { grep -q -- "$1" "$work/table" || { cat "$work/table"; return 1; }; }
fails() { # fails FAULT WORDS [OPTION...]
    local words=$2
    run "$1" "${@:3}" && { echo "passed"; cat "$work/table"; return 1; }
    says "$words"
}
check "pictures that are the same pass" run 0
check "a level passes" run 1
check "two levels fail" fails 2 '| surface | 2 \*\*wrong'
check "a picture that is missing fails" fails missing '| surface | no picture \*\*wrong'
check "a program that ends fails" fails crash '| surface | pixmpi ends, status 7 \*\*wrong'
check "the scenes after it are drawn" says '| contours | 0 |'
check "a program that hangs fails" fails hang '| surface | pixmpi hangs \*\*wrong' --limit 3
check "the other library's pictures fail" fails other '| volume | pixmpi drawn by libvtkIceTCore \*\*wrong'
exit $failed

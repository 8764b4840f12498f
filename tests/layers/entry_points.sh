#!/bin/bash
# Every function of OpenGL and GLX has a word in mpiglut/entry_points.txt, and libmpiglut wraps those whose word says so.
#   entry_points.sh SOURCE_DIR LIBRARY
# The build checks that as well, where Khronos' lists are installed.
set -u
check=${1:?the source folder}/mpiglut/entry_points.py library=${2:?the library}
[ -f /usr/share/khronos-api/gl.xml ] || { echo "skipped: no package khronos-api"; exit 77; }
python3 "$check" check "$library" || exit 1

words=$(mktemp) && trap 'rm -f "$words"' EXIT
# complains_about NAME SED: with the words changed so, it fails and names the function.
complains_about() {
    sed "$2" "${check%.py}.txt" >"$words"
    local said
    said=$(python3 "$check" check "$library" "$words" 2>&1) && { echo "nothing is wrong after: $2"; exit 1; }
    grep -q "$1" <<<"$said" || { printf 'not about %s: %s\n' "$1" "$said"; exit 1; }
}
complains_about "without a word.*glTexPageCommitmentARB (GL_ARB_sparse_texture)" 's/ GL_ARB_sparse_texture\b//'
complains_about "glViewport has the word note" '/^note/a note glViewport'
complains_about "no function, version or extension: glNoSuchThing" '$a pass glNoSuchThing'

#!/bin/bash
# Which folder may include what.  includes.sh SOURCE_DIR
set -u
cd "${1:?the source folder}" || exit 1
failed=0
# forbid WHAT REGEX FILES...: prints the lines that break the rule.
forbid() {
    local what=$1 regex=$2
    shift 2
    local files
    files=$(find "$@" -name '*.[ch]' -o -name '*.[ch]pp' 2>/dev/null)
    [ -n "$files" ] || { echo "no files in: $*"; failed=1; return; }
    if grep -nE "^ *# *include *<($regex)" $files; then
        echo "^ $what"
        failed=1
    fi
}
forbid "core knows no graphics API, no window system and no MPI" 'GL/|EGL/|GLES|vulkan/|X11/|mpi\.h' core
forbid "the launcher starts MPI programs, it is none" 'mpi\.h' mpiglut/launcher
forbid "what runs before and after the wall knows no GL and no MPI" 'GL/|X11/|mpi\.h' mpiglut/src/run mpiglut/src/clock
forbid "the model of windows talks to other ranks through sync/comm.h" 'mpi\.h' mpiglut/src/glut mpiglut/src/gl mpiglut/src/base
others=$(grep -lE '^ *# *include *<mpi\.h>' mpiglut/src/sync/* | grep -v '/transport\.cpp$')
[ -z "$others" ] || { echo "only sync/transport.cpp includes mpi.h: $others"; failed=1; }
exit $failed

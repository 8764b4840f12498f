#!/bin/bash
# Every program says its name and the version, and nothing else.  version_test.sh WORK VERSION PROGRAM...
. "${BASH_SOURCE[0]%/*}/checks.sh"
work=$1 version=$2
shift 2
mkdir -p "$work" || exit 1
unset DISPLAY WAYLAND_DISPLAY # nor is a screen needed

says_its_version() { # says_its_version PROGRAM
    local said status=0
    said=$("$1" --version 2>&1 </dev/null) || status=$?
    [ "$status" = 0 ] && [ "$said" = "${1##*/} $version" ] || { echo "status $status, said: $said"; return 1; }
}
for program; do check "${program##*/}" says_its_version "$program"; done
exit $failed

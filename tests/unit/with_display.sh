#!/bin/sh
# with_display.sh command...: runs it with an X server of its own. The server picks its number itself (-displayfd), so
# that tests that start at the same time do not end up on one display, as happens with xvfb-run -a.
folder=$(mktemp -d) || exit 1
mkfifo "$folder/number"
server=
trap '[ -z "$server" ] || kill $server 2>/dev/null; wait $server 2>/dev/null; rm -r "$folder"' EXIT
trap 'exit 143' TERM INT
for start in first second third; do # of many that start at once one may fail
    Xvfb -displayfd 3 -noreset -screen 0 1024x768x24 -nolisten tcp 3>"$folder/number" 2>"$folder/log" &
    server=$!
    read -r number <"$folder/number" && break
    echo "Xvfb did not start, the $start time:" >&2
    cat "$folder/log" >&2
    [ $start != third ] || exit 1
done
DISPLAY=:$number
ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=0} # GL drivers leak at exit
export DISPLAY ASAN_OPTIONS
unset XAUTHORITY
"$@"

#!/bin/sh
# with_display.sh command...: runs it with an X server of its own. The server picks its number itself (-displayfd), so
# that tests that start at the same time do not end up on one display, as happens with xvfb-run -a.
folder=$(mktemp -d) || exit 1
mkfifo "$folder/number"
Xvfb -displayfd 3 -noreset -screen 0 1024x768x24 -nolisten tcp 3>"$folder/number" 2>"$folder/log" &
server=$!
trap 'kill $server 2>/dev/null; wait $server 2>/dev/null; rm -r "$folder"' EXIT
trap 'exit 143' TERM INT
if ! read -r number <"$folder/number"; then
    echo "Xvfb did not start:" >&2
    cat "$folder/log" >&2
    exit 1
fi
DISPLAY=:$number
ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=0} # GL drivers leak at exit
export DISPLAY ASAN_OPTIONS
unset XAUTHORITY
"$@"

#!/bin/bash
# A rank dies in the middle of messages: the job ends, and nothing of it is left. Status 77: there is no such device.
#   dying.sh WHO HOW RANKS PROGRAM MPIEXEC [ARGUMENT...]
set -u
who=$1 how=$2 ranks=$3 program=$4
shift 4
mark=dying-$$-$RANDOM
[ -x "$program" ] || { echo "$program: expected a program"; exit 1; }
before=$(ls /dev/shm)

API_MARK=$mark timeout -k 5 150 "$@" -n "$ranks" "$program" "$who" "$how" </dev/null >"/tmp/$mark" 2>&1
status=$?
cat "/tmp/$mark"
going_on=$(grep -c 'goes on$' "/tmp/$mark")
told=$(grep -cE ' has ended( without a receive)?$' "/tmp/$mark")
skipped=$(grep -c '^skipped: ' "/tmp/$mark")
dying=$(grep -c 'is to die$' "/tmp/$mark")
rm -f "/tmp/$mark"
failed=0
if [ "$dying" != 1 ] && [ "$skipped" = 0 ]; then
    echo "$dying ranks have said that they are to die, expected one"
    failed=1
fi
if [[ $who =~ ^(before_host|in_shader|inside)$ ]] && [ "$going_on" != 2 ] && [ "$skipped" = 0 ]; then
    echo "of the two that are left, $going_on went on"
    failed=1
fi
if [[ $who =~ probed|synchronous|partitioned|shown ]] && [ "$told" != $((ranks - 1)) ]; then
    echo "of the others, $told were told that the rank has ended"
    failed=1
fi
if [ $status -ge 124 ] && [ $status -le 125 ]; then
    echo "the job had not ended after 150 seconds"
    failed=1
fi

# Processes get the time to end; what they leave in /dev/shm belongs to nobody then.
for _ in $(seq 200); do
    left=$(grep -lz "^API_MARK=$mark\$" /proc/[0-9]*/environ 2>/dev/null | tr -dc '0-9\n')
    [ -z "$left" ] && break
    sleep 0.1
done
for pid in $left; do
    echo "process $pid is left: $(tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null)"
    cat "/proc/$pid/wchan" "/proc/$pid/status" 2>/dev/null | head -5
    kill -KILL "$pid"
    failed=1
done
# Other jobs of this machine may have files of the library's there: in use, or between two uses. What an MPI leaves that
# was killed, also by another test, is its own affair.
belongs_to_nobody() {
    local file=$1
    grep -qF "/dev/shm/$file" /proc/[0-9]*/maps 2>/dev/null && return 1
    [ -n "$(find /proc/[0-9]*/fd -lname "/dev/shm/$file" 2>/dev/null | head -1)" ] && return 1
    [[ ! $file =~ ^pixmpi-([0-9]+)- ]] || [ ! -d "/proc/${BASH_REMATCH[1]}" ] || return 1 # of one that lives
    [ -e "/dev/shm/$file" ]
}
for file in $(comm -13 <(sort <<<"$before") <(ls /dev/shm | sort) | grep pixmpi); do
    for _ in $(seq 10); do
        belongs_to_nobody "$file" || continue 2
        sleep 0.5
    done
    echo "left behind: /dev/shm/$file"
    failed=1
done
[ $failed = 1 ] || [ "$skipped" = 0 ] || exit 77
exit $failed

#!/bin/bash
# walltool doctor: what it finds on hosts that a stand-in for ssh makes up, and the remedies.  doctor_test.sh WALLTOOL WORK
. "${BASH_SOURCE[0]%/*}/checks.sh"
walltool=$1 work=$2
bin=$(cd "${walltool%/*}" && pwd)

rm -rf "$work"
mkdir -p "$work/drift" "$work/old/bin" "$work/old/lib" || exit 1
# The name of the host says what is wrong with it.
cat >"$work/ssh" <<END
#!/bin/sh
while [ "\${1#-}" != "\$1" ]; do shift 2; done
host=\$1 command=\$2
case \$host in
    down) exec sleep 600 ;;
    closed) echo "\$host: Permission denied (publickey)." >&2; exit 255 ;;
    bare) command=\$(printf %s "\$command" | sed 's,$bin,/nowhere,g') ;;
    old) command=\$(printf %s "\$command" | sed 's,$bin,$work/old/bin,g;s,${bin%/bin}/lib,$work/old/lib,g') ;;
    drift) PATH=$work/drift:\$PATH ;;
    fenced) command=\$(printf %s "\$command" | sed "s,--back [^-]*,--back '\\\\\\\\''1 127.0.0.1'\\\\\\\\'' ,") ;;
esac
exec sh -c "\$command"
END
printf '#!/bin/sh\nexec /bin/date -d "now + 100 seconds" "$@"\n' >"$work/drift/date"
cp "$bin/mpiglutrun-agent" "$work/old/bin"
ln -s "$(realpath "$bin/../lib/libmpiglut.so")" "$work/old/lib/libmpiglut.so"
printf '#!/bin/sh\necho version 0.0.1\n' >"$work/old/bin/walltool"
chmod +x "$work/ssh" "$work/drift/date" "$work/old/bin/walltool"

doctor() { # doctor STATUS HOSTS OPTION...
    local expected=$1 hosts=$2 status
    shift 2
    printf '[grid]\ncolumns = %d\nrows = 1\ntile = [64, 48]\nhost = ["%s"]\n' "$(wc -w <<<"${hosts//,/ }")" "${hosts//,/\", \"}" \
        >"$work/wall.toml"
    "$walltool" doctor "$work/wall.toml" --ssh "$work/ssh" "$@" >"$work/table" 2>&1
    status=$?
    cat "$work/table"
    [ "$status" = "$expected" ] || { echo "status $status, expected $expected"; return 1; }
}
row() { # row HOST CHECK RESULT TEXT [REMEDY]: what the table has
    grep -A1 -E "^$1 +$2 +$3 +" "$work/table" >"$work/rows"
    grep -qF -- "$4" "$work/rows" && { [ $# = 4 ] || grep -F -- "-> " "$work/rows" | grep -qF -- "$5"; } ||
        { echo "expected: $*"; cat "$work/table"; return 1; }
}
here=$(hostname)

unset DISPLAY WAYLAND_DISPLAY
check "a wall without screens" doctor 0 localhost --headless
check "it is this host, without ssh" row "$here" reachable ok "this host"
check "Xvfb" row "$here" headless ok "Xvfb"
check "no display" doctor 1 localhost
check "says so" row "$here" display FAILED "DISPLAY is not set" "start one there"
check "one that is down" doctor 1 down --headless --timeout 1
check "says so" row down reachable FAILED "no answer within 1 s" "is the host switched on"
check "hosts with faults, all at once" doctor 1 good,closed,bare,old,drift,fenced --headless --timeout 60
check "a good one" row good reachable ok "by ssh"
check "its files" row good files ok "3 files, as here"
check "its way back" row good network ok "connects to this host"
check "its clock" row good clock ok " s (give or take"
check "one that lets nobody in" row closed reachable FAILED "Permission denied" "let ssh in without a password: ssh-copy-id closed"
check "one without the programs" row bare files FAILED "missing: /nowhere/walltool, /nowhere/mpiglutrun-agent" "install this at the same path"
check "one with another version" row old version FAILED "0.0.1, here" "install the same version"
check "and with other files" row old files FAILED "not as here: $work/old/bin/walltool" "install the same version"
check "one whose clock is wrong" row drift clock FAILED " s (give or take" "timedatectl"
check "one that cannot connect back" row fenced network FAILED "it cannot connect to this host" "let this host's firewall"
check "the program of the wall" doctor 1 good --headless --program "$work/none"
check "is missing" row good files FAILED "missing: $work/none" "install"
python3 -c 'import socket, sys, time
s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1], flush=True); time.sleep(600)' >"$work/port" &
taken=$!
until [ -s "$work/port" ]; do sleep 0.1; done
check "a port that is in use" doctor 1 localhost --headless --port "$(cat "$work/port")"
check "is told" row "$here" port FAILED "$(cat "$work/port") is in use" "end what listens there"
kill "$taken"
check "a wall file that is none" refuses "none.toml" "$walltool" doctor "$work/none.toml"

# A Wayland session that is not there: the one of the environment, as no X display is set.
export WAYLAND_DISPLAY=wayland-none
check "no session" doctor 1 localhost
check "says so" row "$here" display FAILED "no Wayland compositor at" "log in there"
unset WAYLAND_DISPLAY

# A display, with a cookie and without.
cookie=$(printf '%032d' 7)
xauth -f "$work/cookie" add :0 . "$cookie" 2>/dev/null
mkfifo "$work/number"
Xvfb -displayfd 3 -auth "$work/cookie" -screen 0 64x48x24 3>"$work/number" 2>/dev/null &
server=$!
read -r number <"$work/number"
export DISPLAY=:$number
xauth -f "$work/mine" add ":$number" . "$cookie" 2>/dev/null
export XAUTHORITY=$work/mine
check "a display" doctor 0 localhost
check "lets us in" row "$here" display ok ":$number"
check "and draws in software" row "$here" GPU note "llvmpipe" "install the GPU's driver"
export XAUTHORITY=$work/none
check "without the cookie" doctor 1 localhost
check "the remedy is xhost" row "$here" display FAILED "does not let this user in" "run there, as the user who is logged in: xhost"
kill "$server"
exit $failed

#!/bin/bash
# Runs a command within a job of a Slurm of its own: two nodes, walla and wallb, that are this machine, two tasks on each.
# slurm.sh COMMAND...  Ends with 77, which ctest reports as skipped, where Slurm cannot be had.
set -u
# Programs of packages that have been unpacked and not installed (tools/check) are in PIXMPI_TEST_PACKAGES.
unpacked=${PIXMPI_TEST_PACKAGES:-/nonexistent}
PATH=$PATH:/usr/sbin:/sbin:$unpacked/usr/bin:$unpacked/usr/sbin
skip() { echo "skipped: $*"; exit 77; }
program() { command -v "$1" || command -v "$1-wlm"; } # the second is what Debian's alternatives lead to
for name in munged slurmctld slurmd slurmstepd salloc scontrol sinfo; do
    program $name >/dev/null || skip "$name is missing (packages slurmctld, slurmd, slurm-client, munge; tools/check" \
        "unpacks them): there is no Slurm to test with"
done

umask 022
folder=$(mktemp -d) && chmod 755 "$folder" || exit 1 # munged wants its socket to be within everybody's reach
daemons=()
clean() {
    # From the last to the first: slurmctld and munged are needed until the nodes are gone.
    for ((i = ${#daemons[@]} - 1; i >= 0; --i)); do
        kill "${daemons[i]}" 2>/dev/null
        for _ in $(seq 50); do kill -0 "${daemons[i]}" 2>/dev/null || break; sleep 0.1; done
        kill -KILL "${daemons[i]}" 2>/dev/null
    done
    rm -rf "$folder"
}
trap clean EXIT
trap 'exit 1' INT TERM

free_ports() { # three of them, and none that the system gives to a process that asks for any
    python3 -c '
import random, socket
found = []
for port in random.sample(range(10000, 20000), 1000):
    try:
        with socket.socket() as s: s.bind(("0.0.0.0", port))
        found.append(port)
    except OSError: pass
print(*found[:3])'
}

unset "${!SLURM_@}"
export SLURM_CONF=$folder/slurm.conf
mkdir "$folder/state" "$folder/spool"
(umask 077 && head -c 1024 /dev/urandom >"$folder/key")
start() { # start NAME COMMAND...
    local name=$1
    shift
    "$@" >"$folder/$name.log" 2>&1 </dev/null &
    daemons+=($!)
}
start munged munged --foreground --key-file="$folder/key" --socket="$folder/munge" --pid-file="$folder/munged.pid" \
    --seed-file="$folder/seed" --num-threads=2
for _ in $(seq 300); do [ -S "$folder/munge" ] && break; sleep 0.1; done
[ -S "$folder/munge" ] || skip "munged did not start: $(tail -n 1 "$folder/munged.log")"

read -r control_port port_a port_b < <(free_ports)
host=$(hostname) user=$(id -un)
node() { echo "NodeName=$1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$2 CPUs=8 RealMemory=100"; }
cat >"$SLURM_CONF" <<END
ClusterName=wall
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$control_port
SlurmdPort=$port_a
SlurmUser=$user
SlurmdUser=$user
SlurmdParameters=config_overrides
AuthType=auth/munge
AuthInfo=socket=$folder/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool/%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd-%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
SelectType=select/cons_tres
MpiDefault=none
ReturnToService=2
KillWait=2
$(node walla "$port_a")
$(node wallb "$port_b")
PartitionName=wall Nodes=ALL Default=YES State=UP
END
start slurmctld "$(program slurmctld)" -D -i
for name in walla wallb; do start $name "$(program slurmd)" -D -N $name -d "$(program slurmstepd)"; done
for _ in $(seq 600); do
    [ "$(sinfo -h -N -o %T 2>/dev/null | grep -cx idle)" = 2 ] && break
    for daemon in "${daemons[@]}"; do kill -0 "$daemon" 2>/dev/null || break 2; done
    sleep 0.1
done
if [ "$(sinfo -h -N -o %T 2>/dev/null | grep -cx idle)" != 2 ]; then
    tail -n 5 "$folder"/*.log
    skip "Slurm's nodes did not come up: $(sinfo -h -N -o '%N %T %E' 2>&1 | tr '\n' ' ')" \
        "$(grep -h error: "$folder"/wall?.log | sort -u | head -n 3 | tr '\n' ' ')"
fi
salloc -Q -N 2 --ntasks-per-node=2 "$@" & # so that a signal is dealt with at once
daemons+=($!)
wait $!

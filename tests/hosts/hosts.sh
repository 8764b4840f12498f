#!/bin/bash
# Runs a program on two hosts that are network namespaces of this machine, each with a host name, shared memory and IPC of
# its own, joined by a cable.  hosts.sh RANKS_PER_HOST PROGRAM MPIEXEC [ARGUMENT...] -- [PROGRAM'S ARGUMENT...]
# HOSTS_RATE, such as 1gbit: what the cable carries each way, as tc takes it; without, as much as it can.
# Ends with 77, which ctest reports as skipped, where namespaces cannot be made.
set -u
here=$(cd "$(dirname "$0")" && pwd)
ranks=$1 program=$2
shift 2
mpiexec=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do mpiexec+=("$1"); shift; done
shift

command -v ip >/dev/null || { echo "no ip command: the package iproute2 is missing"; exit 1; }
export HOSTS_A=pixmpi-a-$$ HOSTS_B=pixmpi-b-$$ HOSTS_DIRECTORY
HOSTS_DIRECTORY=$(mktemp -d) || exit 1
clean() {
    local namespace pid
    for namespace in "$HOSTS_A" "$HOSTS_B"; do
        for pid in $(ip netns pids "$namespace" 2>/dev/null); do kill -KILL "$pid"; done
        ip netns del "$namespace" 2>/dev/null
    done
    rm -rf "$HOSTS_DIRECTORY"
}
trap clean EXIT
trap 'exit 1' INT TERM

# What is not permitted shows here, and only here.
make() { ip netns add "$HOSTS_A" && ip netns exec "$HOSTS_A" unshare --uts --ipc --mount true; }
if ! reason=$(make 2>&1); then
    echo "$reason"
    why=
    if [ "$(id -u)" -ne 0 ] || grep -qiE 'not permitted|permission denied' <<<"$reason"; then
        why="making network namespaces is not permitted here"
    elif grep -q 'make-rslave' <<<"$reason"; then
        why="/ is no mount point here, as in a chroot, so network namespaces cannot be entered"
    fi
    [ -n "$why" ] || exit 1
    echo "skipped: $why: there are no two hosts to test with"
    exit 77
fi
ip netns add "$HOSTS_B" &&
    ip -n "$HOSTS_A" link add cable type veth peer name cable netns "$HOSTS_B" &&
    ip -n "$HOSTS_A" addr add 10.77.0.1/24 dev cable && ip -n "$HOSTS_B" addr add 10.77.0.2/24 dev cable || exit 1
for namespace in "$HOSTS_A" "$HOSTS_B"; do
    ip -n "$namespace" link set lo up && ip -n "$namespace" link set cable up || exit 1
done
if [ -n "${HOSTS_RATE-}" ]; then
    command -v tc >/dev/null || { echo "no tc command: the package iproute2 is missing"; exit 1; }
    for namespace in "$HOSTS_A" "$HOSTS_B"; do # a burst is what two large packets are
        ip netns exec "$namespace" tc qdisc add dev cable root tbf rate "$HOSTS_RATE" burst 128kb latency 50ms || exit 1
    done
fi
for _ in $(seq 50); do # both ends are up before the link is
    [ "$(for n in "$HOSTS_A" "$HOSTS_B"; do ip netns exec "$n" cat /sys/class/net/cable/operstate; done | grep -cx up)" = 2 ] && break
    sleep 0.1
done

if "${mpiexec[0]}" --version 2>&1 | grep -q 'Open MPI\|OpenRTE'; then
    where=(--host "10.77.0.1:$ranks,10.77.0.2:$ranks" --mca plm_rsh_agent "$here/enter.sh"
        --mca btl "tcp,self" --mca btl_tcp_if_include 10.77.0.0/24 --mca oob_tcp_if_include 10.77.0.0/24)
else
    # MPICH 4.0 over UCX's TCP hangs in one of ten MPI_Finalize, with any program; so ours ends without it.
    where=(-hosts "10.77.0.1:$ranks,10.77.0.2:$ranks" -localhost 10.77.0.1 -launcher ssh -launcher-exec "$here/enter.sh"
        -genv UCX_TLS tcp,self -genv UCX_NET_DEVICES cable -genv API_END exit)
fi
"$here/enter.sh" 10.77.0.1 timeout -k 5 "${HOSTS_TIMEOUT:-200}" "${mpiexec[@]}" "${where[@]}" -n $((2 * ranks)) "$program" "$@" </dev/null

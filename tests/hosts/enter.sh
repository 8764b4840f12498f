#!/bin/bash
# What mpiexec takes for ssh: runs the command on a host, which is a namespace.  enter.sh [-OPTION...] HOST COMMAND...
while [ "${1#-}" != "$1" ]; do shift; done
host=$1
shift
case $host in
    10.77.0.1) namespace=$HOSTS_A name=hosta other=hostb ;;
    10.77.0.2) namespace=$HOSTS_B name=hostb other=hosta ;;
    *) echo "enter.sh: $host: expected 10.77.0.1 or 10.77.0.2" >&2; exit 1 ;;
esac
# Hosts share neither memory nor temporary files.
export TMPDIR=$HOSTS_DIRECTORY/$name
export HOSTS_OTHER=$HOSTS_DIRECTORY/$other
mkdir -p "$TMPDIR" "$HOSTS_OTHER"
# shellcheck disable=SC2016
exec ip netns exec "$namespace" unshare --uts --ipc --mount /bin/sh -c '
    hostname "$0" && mount -t tmpfs none /dev/shm && mount -t tmpfs none "$HOSTS_OTHER" && eval "$*"' "$name" "$@"

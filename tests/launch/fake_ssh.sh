#!/bin/sh
# What mpiexec takes for ssh: runs the command here, as if on the host that it names.
while [ "${1#-}" != "$1" ]; do shift; done
FAKE_HOST=$1
# Hosts do not share their temporary files.
TMPDIR=$FAKE_HOSTS/$FAKE_HOST
mkdir -p "$TMPDIR"
export FAKE_HOST TMPDIR
shift
exec /bin/sh -c "$*"

#!/bin/sh
# What mpiexec takes for ssh: runs the command here, as if on the host that it names.
while [ "${1#-}" != "$1" ]; do shift; done
FAKE_HOST=$1
export FAKE_HOST
shift
exec /bin/sh -c "$*"
